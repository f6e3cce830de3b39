-- P8 of a bundle: the first fault of its groups in submitted order, or all null when they decode. p_scopes: the evidence of each
-- group's scope, JSON null where the bundle has none of this id (observation_of).
create or replace function patchdiff_store.decode_groups (
  p_groups jsonb,
  p_scopes jsonb
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_group record;
  v_base text;
  v_name text;
  v_type text;
  v_scope jsonb;
  v_other record;
  v_item record;
  v_before integer := 0;
  v_used text[] := '{}';
  v_fault patchdiff_store.fault;
begin
  for v_group in
    select g.item, g.position::integer - 1 as index from jsonb_array_elements(p_groups) with ordinality as g(item, position)
  loop
    v_base := 'groups[' || v_group.index || ']';
    if jsonb_typeof(v_group.item) <> 'object' then
      return patchdiff_store.in_group(patchdiff_store.fault_of('not_an_object', v_base), v_group.index, null, null, null);
    end if;

    select min(k.name collate "C")
    into v_name
    from jsonb_object_keys(v_group.item) as k(name)
    where k.name not in ('operations', 'scope_id');
    if v_name is not null then
      return patchdiff_store.in_group(
        patchdiff_store.fault_of('unknown_field', v_base || '.' || left(v_name, 64)), v_group.index, null, null, null);
    end if;

    v_type := coalesce(jsonb_typeof(v_group.item -> 'scope_id'), 'null');
    v_scope := p_scopes -> v_group.index;
    if v_type <> 'string' or coalesce(jsonb_typeof(v_scope), 'null') <> 'object' then
      return patchdiff_store.in_group(
        case
          when v_type = 'null' then patchdiff_store.fault_of('field_missing', v_base || '.scope_id')
          when v_type <> 'string' then
            patchdiff_store.fault_of('field_type', v_base || '.scope_id', p_words => '{"type": "a string"}')
          else patchdiff_store.fault_of('scope_not_observed', v_base || '.scope_id')
        end,
        v_group.index, null, null, null);
    end if;

    select s.scope, s.position::integer - 1 as index
    into v_other
    from jsonb_array_elements(p_scopes) with ordinality as s(scope, position)
    where s.position <= v_group.index
    and (s.scope ->> 'start')::integer < (v_scope ->> 'end')::integer
    and (v_scope ->> 'start')::integer < (s.scope ->> 'end')::integer
    order by s.position
    limit 1;
    if found then
      v_fault := patchdiff_store.fault_of('scopes_overlap', v_base || '.scope_id', p_words => jsonb_build_object('other', v_other.index));
      v_fault.evidence := concat(
        ',"overlapping_scopes":[{"group_index":', v_other.index,
        ',"scope_id":', to_json(v_other.scope ->> 'scope_id'), ',"qualified_path":', to_json(v_other.scope ->> 'qualified_path'),
        '},{"group_index":', v_group.index,
        ',"scope_id":', to_json(v_scope ->> 'scope_id'), ',"qualified_path":', to_json(v_scope ->> 'qualified_path'), '}]'
      );
      return patchdiff_store.in_group(v_fault, v_group.index, null, null, v_scope);
    end if;

    if jsonb_typeof(v_group.item -> 'operations') is distinct from 'array' or v_group.item -> 'operations' = '[]' then
      v_fault := patchdiff_store.fault_of(
        'manifest_missing', v_base || '.operations', p_words => '{"rule": "a non-empty array"}');
      return patchdiff_store.in_group(v_fault, v_group.index, null, null, v_scope);
    end if;

    for v_item in
      select i.item, i.position::integer as position
      from jsonb_array_elements(v_group.item -> 'operations') with ordinality as i(item, position)
    loop
      v_fault := patchdiff_store.decode_item(v_item.item, v_before + v_item.position, 1, 'patchdiff-tx/2', v_used);
      if v_fault.failure_reason is not null then
        -- The decoder of items counts them over the whole submission.
        v_fault.path := patchdiff_store.renumbered(v_fault.path, v_before);
        v_fault.failure_detail := patchdiff_store.renumbered(v_fault.failure_detail, v_before);
        return patchdiff_store.in_group(v_fault, v_group.index, v_item.position - 1, v_before, v_scope);
      end if;

      v_used := v_used || patchdiff_store.change_id_of(v_item.item, v_before + v_item.position);
    end loop;

    v_before := v_before + jsonb_array_length(v_group.item -> 'operations');
  end loop;

  return null;
end;
$$;

comment on function patchdiff_store.decode_groups(jsonb, jsonb) is
  'The first protocol fault of the groups of a bundle, or all null when they decode.';
