-- Applies the operations of a decoded record and finds every place itself: the database's own reading, used wherever no
-- claim is to be believed (rejections, contradicted claims, calls without a runtime). The first operation that does
-- not apply decides the fault, with its evidence; then the rest of the walk says nothing.
create or replace function patchdiff_store.walk_found (
  p_content bytea,
  p_chars integer,
  p_operations patchdiff_store.operations,
  p_container text
)
  returns patchdiff_store.walk
  language plpgsql
  immutable
as $$
declare
  v_walk patchdiff_store.walk;
  v_buffer bytea := p_content;
  v_chars integer := p_chars;
  v_mark_bytes integer := 0;
  v_mark_chars integer := 0;
  v_old bytea;
  v_new bytea;
  v_start integer;
  v_start_chars integer;
  v_place record;
  v_by integer;
begin
  v_walk.change_id := p_operations.change_id;
  v_walk.operation := p_operations.operation;
  v_walk.rationale := p_operations.rationale;
  v_walk.risk := p_operations.risk;

  for v_i in 1..cardinality(p_operations.operation) loop
    v_old := convert_to(p_operations.matched[v_i], 'UTF8');
    v_new := convert_to(p_operations.replacement[v_i], 'UTF8');

    if p_operations.operation[v_i] = 'span' then
      v_start_chars := least(p_operations.span_start[v_i], v_chars);
      v_start := patchdiff_store.prefix_bytes(
        v_buffer, v_start_chars, v_mark_bytes, v_mark_chars, octet_length(v_buffer), v_chars);
      if not patchdiff_store.span_holds(v_buffer, v_chars, p_operations, v_i, v_start) then
        v_walk.fault := patchdiff_store.span_fault(v_buffer, v_chars, p_operations, v_i);
        return v_walk;
      end if;
    else
      v_place := patchdiff_store.resolve_match(
        v_buffer, v_old, p_operations.occurrence_index[v_i], p_operations.anchor_before[v_i], p_operations.anchor_after[v_i]);
      v_start := v_place.start;
      if v_place.code = 'match_absent' and v_i > 1
        and patchdiff_store.next_occurrence(p_content, v_old, 0, 2147483647) is not null
      then
        v_by := patchdiff_store.consumer_of(p_content, v_old, v_walk, p_operations.replacement);
        v_place.code := 'sequential_match_invalid';
        v_place.point_chars := least(v_walk.span_start[v_by], v_chars);
        v_place.evidence := concat(
          ',"consumed_match":{"change_id":', to_json(p_operations.change_id[v_by]), ',"ordinal":', v_by,
          ',"span_start":', v_walk.span_start[v_by], ',"span_end":', v_walk.span_end[v_by], '}'
        );
      end if;

      if v_start is null then
        v_walk.fault := patchdiff_store.cut_context(
          patchdiff_store.fault_of(v_place.code, null, v_i, p_operations.change_id[v_i], jsonb_build_object(
            'path', p_container || '[' || (v_i - 1) || '].match',
            'change_id', p_operations.change_id[v_by],
            'count', case when v_place.count >= 1000 then 'at least 1000' else v_place.count::text end
          )),
          v_buffer, v_chars, v_i - 1, v_place.point_chars
        );
        v_walk.fault.evidence := concat(
          v_place.evidence,
          case when v_place.count is null then ',"near_miss_query":' || to_json(left(p_operations.matched[v_i], 256))::text end
        );
        return v_walk;
      end if;

      v_start_chars := patchdiff_store.prefix_chars(
        v_buffer, v_start, v_mark_bytes, v_mark_chars, octet_length(v_buffer), v_chars);
    end if;

    v_buffer := overlay(v_buffer placing v_new from v_start + 1 for octet_length(v_old));
    v_walk.span_start[v_i] := v_start_chars;
    v_walk.span_end[v_i] := v_start_chars + length(v_old, 'UTF8');
    v_walk.matched_chars[v_i] := length(v_old, 'UTF8');
    v_walk.replacement_chars[v_i] := length(v_new, 'UTF8');
    v_walk.start_byte[v_i] := v_start;
    v_walk.deleted_bytes[v_i] := octet_length(v_old);
    v_walk.inserted_bytes[v_i] := octet_length(v_new);
    v_walk.matched_sha256[v_i] := patchdiff_store.sha256_hex(v_old);
    v_walk.replacement_sha256[v_i] := patchdiff_store.sha256_hex(v_new);
    v_chars := v_chars - v_walk.matched_chars[v_i] + v_walk.replacement_chars[v_i];
    v_mark_bytes := v_start;
    v_mark_chars := v_start_chars;
  end loop;

  if octet_length(v_buffer) > 16777216 then
    v_walk.fault := patchdiff_store.cut_context(
      patchdiff_store.fault_of('result_too_large'), v_buffer, v_chars, cardinality(p_operations.operation), null);
    return v_walk;
  end if;

  v_walk.after_content := v_buffer;
  v_walk.after_chars := v_chars;
  v_walk.after_hash := patchdiff_store.sha256_hex(v_buffer);
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_found(bytea, integer, patchdiff_store.operations, text) is
  'Applies operations and finds every place itself; the first fault with its evidence, or the result.';
