-- Applies a bundle that decodes: every scope must have the text that was observed, every group is applied to its own slice as
-- walk_found does, and the slices are put back from the last to the first, so that earlier places stay. The first scope, then the
-- first operation, in submitted order that does not hold is the fault. The walk's arrays are in the order of application;
-- resolved_starts are byte offsets in the slices, in submitted order. The content is read through once for all places, by ascending
-- start, and written once: a reading or a copy for each scope would hold the lock for seconds.
create or replace function patchdiff_store.walk_bundle (
  p_content bytea,
  p_chars integer,
  p_groups jsonb,
  p_scopes jsonb
)
  returns patchdiff_store.walk
  language plpgsql
  stable
as $$
declare
  v_walk patchdiff_store.walk;
  v_bytes integer := octet_length(p_content);
  v_count integer := jsonb_array_length(p_groups);
  v_order integer[];
  v_mark_chars integer := 0;
  v_mark_bytes integer := 0;
  v_scope jsonb;
  v_start integer;
  v_end integer;
  v_from integer[];
  v_to integer[];
  v_hash text;
  v_before integer[] := '{0}';
  v_operations patchdiff_store.operations;
  v_part patchdiff_store.walk;
  v_fault patchdiff_store.fault;
  v_parts patchdiff_store.walk[];
  v_pieces bytea[] := '{}';
  v_length integer;
  v_i integer;
begin
  v_order := array(
    select s.position::integer
    from jsonb_array_elements(p_scopes) with ordinality as s(scope, position)
    order by (s.scope ->> 'start')::integer
  );
  foreach v_i in array v_order loop
    v_start := (p_scopes #>> array[(v_i - 1)::text, 'start'])::integer;
    v_end := (p_scopes #>> array[(v_i - 1)::text, 'end'])::integer;
    exit when v_end > p_chars;
    v_from[v_i] := patchdiff_store.prefix_bytes(p_content, v_start, v_mark_bytes, v_mark_chars, v_bytes, p_chars);
    v_to[v_i] := patchdiff_store.prefix_bytes(p_content, v_end, v_from[v_i], v_start, v_bytes, p_chars);
    v_mark_chars := v_end;
    v_mark_bytes := v_to[v_i];
  end loop;

  for v_i in 1..v_count loop
    v_scope := p_scopes -> (v_i - 1);
    v_hash := patchdiff_store.sha256_hex(substring(p_content from v_from[v_i] + 1 for v_to[v_i] - v_from[v_i]));
    if v_hash is distinct from v_scope ->> 'sha256' then
      v_walk.fault := patchdiff_store.cut_context(
        patchdiff_store.fault_of('scope_hash_mismatch', 'groups[' || (v_i - 1) || '].scope_id'), p_content, p_chars, 0,
        (v_scope ->> 'start')::integer);
      v_walk.fault.evidence := concat(
        ',"observed_sha256":"', v_scope ->> 'sha256', '","actual_sha256":', coalesce('"' || v_hash || '"', 'null'));
      v_walk.fault := patchdiff_store.in_group(v_walk.fault, v_i - 1, null, null, v_scope);
      return v_walk;
    end if;
  end loop;

  for v_i in 1..v_count loop
    v_scope := p_scopes -> (v_i - 1);
    v_operations := patchdiff_store.read_operations(p_groups -> (v_i - 1) -> 'operations', 'patchdiff-tx/2');
    v_length := cardinality(v_operations.operation);
    v_before[v_i + 1] := v_before[v_i] + v_length;
    -- Ids are counted over the whole bundle.
    v_operations.change_id := array(
      select patchdiff_store.change_id_of(o.item, v_before[v_i] + o.position::integer)
      from jsonb_array_elements(p_groups -> (v_i - 1) -> 'operations') with ordinality as o(item, position)
      order by o.position
    );
    v_part := patchdiff_store.walk_found(
      substring(p_content from v_from[v_i] + 1 for v_to[v_i] - v_from[v_i]),
      (v_scope ->> 'end')::integer - (v_scope ->> 'start')::integer,
      v_operations,
      'operations'
    );
    if v_part.after_content is null then
      -- No slice outgrows a result: what was observed and what a payload adds are smaller.
      v_fault := v_part.fault;
      v_walk.fault := patchdiff_store.in_group(v_fault, v_i - 1, v_fault.ordinal - 1, v_before[v_i], v_scope);
      v_walk.fault.ordinal := v_fault.ordinal + v_before[v_i];
      return v_walk;
    end if;

    v_walk.resolved_starts := v_walk.resolved_starts || v_part.start_byte;
    v_parts[v_i] := v_part;
  end loop;

  v_mark_bytes := v_bytes;
  v_walk.after_chars := p_chars;
  for v_rank in reverse v_count..1 loop
    v_i := v_order[v_rank];
    v_scope := p_scopes -> (v_i - 1);
    v_start := (v_scope ->> 'start')::integer;
    v_part := v_parts[v_i];
    v_length := cardinality(v_part.change_id);
    v_pieces[2 * v_rank - 1] := v_part.after_content;
    v_pieces[2 * v_rank] := substring(p_content from v_to[v_i] + 1 for v_mark_bytes - v_to[v_i]);
    v_mark_bytes := v_from[v_i];
    v_walk.after_chars := v_walk.after_chars + v_part.after_chars - ((v_scope ->> 'end')::integer - v_start);
    v_walk.change_id := v_walk.change_id || v_part.change_id;
    v_walk.operation := v_walk.operation || v_part.operation;
    v_walk.rationale := v_walk.rationale || v_part.rationale;
    v_walk.risk := v_walk.risk || v_part.risk;
    v_walk.matched_chars := v_walk.matched_chars || v_part.matched_chars;
    v_walk.replacement_chars := v_walk.replacement_chars || v_part.replacement_chars;
    v_walk.matched_sha256 := v_walk.matched_sha256 || v_part.matched_sha256;
    v_walk.replacement_sha256 := v_walk.replacement_sha256 || v_part.replacement_sha256;
    v_walk.deleted_bytes := v_walk.deleted_bytes || v_part.deleted_bytes;
    v_walk.inserted_bytes := v_walk.inserted_bytes || v_part.inserted_bytes;
    v_walk.scope_id := v_walk.scope_id || array_fill(v_scope ->> 'scope_id', array[v_length]);
    v_walk.scope_span_start := v_walk.scope_span_start || v_part.span_start;
    v_walk.scope_span_end := v_walk.scope_span_end || v_part.span_end;
    for v_j in 1..v_length loop
      v_walk.ordinal := v_walk.ordinal || (v_before[v_i] + v_j);
      v_walk.span_start := v_walk.span_start || (v_start + v_part.span_start[v_j]);
      v_walk.span_end := v_walk.span_end || (v_start + v_part.span_end[v_j]);
      v_walk.start_byte := v_walk.start_byte || (v_from[v_i] + v_part.start_byte[v_j]);
    end loop;
  end loop;

  v_walk.after_content := substring(p_content from 1 for v_mark_bytes) || (
    select string_agg(p.piece, ''::bytea order by p.position) from unnest(v_pieces) with ordinality as p(piece, position)
  );
  if octet_length(v_walk.after_content) > 16777216 then
    v_walk.fault := patchdiff_store.cut_context(
      patchdiff_store.fault_of('result_too_large'), v_walk.after_content, v_walk.after_chars, v_before[v_count + 1], null);
    v_walk.after_content := null;
    return v_walk;
  end if;

  v_walk.after_hash := patchdiff_store.sha256_hex(v_walk.after_content);
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_bundle(bytea, integer, jsonb, jsonb) is
  'Applies a bundle that decodes to the slices of its scopes; the first fault with its evidence, or the result.';
