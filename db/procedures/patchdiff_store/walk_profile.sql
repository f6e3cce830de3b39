-- Applies the operations of a recorded attempt under the semantics of its profile and finds every place itself: walk_found
-- for profiles that are no longer recorded, without evidence and without a limit on the result. Of the first operation
-- that does not apply, the fault holds code and path.
create or replace function patchdiff_store.walk_profile (
  p_content bytea,
  p_chars integer,
  p_operations patchdiff_store.operations,
  p_container text,
  p_overlapping boolean,
  p_selectors_on_single boolean
)
  returns patchdiff_store.walk
  language plpgsql
  stable
as $$
declare
  v_walk patchdiff_store.walk := patchdiff_store.walk_of(p_operations);
  v_buffer bytea := p_content;
  v_chars integer := p_chars;
  v_mark_bytes integer := 0;
  v_mark_chars integer := 0;
  v_operation text[] := p_operations.operation;
  v_matched text[] := p_operations.matched;
  v_replacement text[] := p_operations.replacement;
  v_old bytea;
  v_new bytea;
  v_start integer;
  v_start_chars integer;
  v_code text;
  v_starts integer[];
  v_span_start integer[];
  v_span_end integer[];
  v_matched_chars integer[] := v_walk.matched_chars;
  v_replacement_chars integer[] := v_walk.replacement_chars;
begin
  for v_i in 1..cardinality(v_operation) loop
    v_old := convert_to(v_matched[v_i], 'UTF8');
    v_new := convert_to(v_replacement[v_i], 'UTF8');

    if v_operation[v_i] = 'span' then
      v_start_chars := least(p_operations.span_start[v_i], v_chars);
      v_start := patchdiff_store.prefix_bytes(
        v_buffer, v_start_chars, v_mark_bytes, v_mark_chars, octet_length(v_buffer), v_chars);
      v_code := case
        when p_operations.span_start[v_i] > p_operations.span_end[v_i] or p_operations.span_end[v_i] > v_chars
          then 'span_out_of_bounds'
        when not patchdiff_store.span_holds(v_buffer, v_chars, p_operations, v_i, v_start)
          then 'span_expected_text_mismatch'
      end;
    else
      select m.start, m.code
      into v_start, v_code
      from patchdiff_store.import_match_start(
        v_buffer, v_old, p_operations.occurrence_index[v_i], p_operations.anchor_before[v_i],
        p_operations.anchor_after[v_i], p_overlapping, p_selectors_on_single
      ) as m;
      if v_code is null then
        v_start_chars := patchdiff_store.prefix_chars(
          v_buffer, v_start, v_mark_bytes, v_mark_chars, octet_length(v_buffer), v_chars);
      elsif v_code = 'match_absent' and v_i > 1
        and patchdiff_store.next_occurrence(p_content, v_old, 0, octet_length(p_content)) is not null
      then
        v_code := 'sequential_match_invalid';
      end if;
    end if;

    if v_code is not null then
      v_walk.fault.failure_code := v_code;
      v_walk.fault.path := p_container || '[' || (v_i - 1) || ']';
      return v_walk;
    end if;

    v_buffer := overlay(v_buffer placing v_new from v_start + 1 for octet_length(v_old));
    v_starts[v_i] := v_start;
    v_span_start[v_i] := v_start_chars;
    v_span_end[v_i] := v_start_chars + v_matched_chars[v_i];
    v_chars := v_chars - v_matched_chars[v_i] + v_replacement_chars[v_i];
    v_mark_bytes := v_start;
    v_mark_chars := v_start_chars;
  end loop;

  v_walk.after_content := v_buffer;
  v_walk.after_chars := v_chars;
  v_walk.after_hash := patchdiff_store.sha256_hex(v_buffer);
  v_walk.span_start := v_span_start;
  v_walk.span_end := v_span_end;
  v_walk.start_byte := v_starts;
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_profile(bytea, integer, patchdiff_store.operations, text, boolean, boolean) is
  'Applies the operations of a recorded attempt under the semantics of its profile.';
