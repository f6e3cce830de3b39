-- A fault of an operation, or of a group itself (p_operation null), with where in the bundle it is: path and words of an operation name its group,
-- ordinals count over the bundle, candidates stand in document coordinates beside those of the scope. Positions are 0-based.
create or replace function patchdiff_store.in_group (
  p_fault patchdiff_store.fault,
  p_group integer,
  p_operation integer,
  p_before integer,
  p_scope jsonb
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_fault patchdiff_store.fault := p_fault;
  v_item text := 'operations[' || p_operation || ']';
  v_place text := 'groups[' || p_group || '].' || v_item;
  v_candidate constant text := '\{"occurrence_index":(\d+),"start":(\d+),"end":(\d+),';
  v_start integer := (p_scope ->> 'start')::integer;
  v_pieces text[];
  v_found text[];
  v_count integer := 1;
  v_consumed text[];
begin
  if p_operation is not null then
    if left(v_fault.path, length(v_item)) = v_item then
      v_fault.path := v_place || substr(v_fault.path, length(v_item) + 1);
    end if;
    if left(v_fault.failure_detail, length(v_item)) = v_item then
      v_fault.failure_detail := v_place || substr(v_fault.failure_detail, length(v_item) + 1);
    end if;

    v_consumed := regexp_match(v_fault.evidence, '\A(,"consumed_match":\{"change_id":"[A-Za-z0-9_.:-]*","ordinal":)(\d+)(.*)\Z');
    if v_consumed is not null then
      v_fault.evidence := v_consumed[1] || (v_consumed[2]::integer + p_before) || v_consumed[3];
    end if;

    -- Inside a JSON string a quote is escaped, so what the pattern finds is a candidate.
    if strpos(v_fault.evidence, ',"exact_candidates":[') = 1 then
      v_pieces := regexp_split_to_array(v_fault.evidence, v_candidate);
      v_fault.evidence := v_pieces[1];
      for v_found in select m from regexp_matches(p_fault.evidence, v_candidate, 'g') as m loop
        v_count := v_count + 1;
        v_fault.evidence := concat(
          v_fault.evidence,
          '{"occurrence_index":', v_found[1],
          ',"start":', v_found[2]::integer + v_start, ',"end":', v_found[3]::integer + v_start,
          ',"scope_start":', v_found[2], ',"scope_end":', v_found[3], ',', v_pieces[v_count]
        );
      end loop;
    end if;
  end if;

  v_fault.evidence := concat(
    v_fault.evidence, ',"group_index":', p_group, ',"operation_index":' || p_operation,
    ',"scope":{"scope_id":' || to_json(p_scope ->> 'scope_id') || ',"qualified_path":' || to_json(p_scope ->> 'qualified_path')
      || ',"start":' || (p_scope ->> 'start') || ',"end":' || (p_scope ->> 'end') || '}'
  );
  return v_fault;
end;
$$;

comment on function patchdiff_store.in_group(patchdiff_store.fault, integer, integer, integer, jsonb) is
  'A fault with where in a bundle it is.';
