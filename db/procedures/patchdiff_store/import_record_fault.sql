-- What stands against reading a recorded payload under its profile: P1 to P8 of docs/spec/decoding.md without the limits
-- on fresh submissions, the first fault wins; code null when it decodes. The same as decodeRecord of src/transaction with
-- fresh = false. p_record is null for a payload that jsonb cannot hold.
create or replace function patchdiff_store.import_record_fault (
  p_record jsonb,
  p_target uuid,
  p_protocol_version text,
  p_has_historical_ids boolean,
  p_has_adjacency boolean,
  out code text,
  out path text
)
  language plpgsql
  immutable
as $$
declare
  v_container text := case p_protocol_version when 'patchdiff-tx/1' then 'edits' else 'operations' end;
  v_version jsonb := nullif(p_record -> 'expected_target_version', 'null');
  v_hash jsonb := nullif(p_record -> 'expected_current_hash', 'null');
  v_items jsonb := p_record -> v_container;
  v_unknown text;
  v_ids text[];
  v_duplicate bigint;
  v_item record;
begin
  if jsonb_typeof(p_record) is distinct from 'object' then
    code := 'not_an_object';
    return;
  end if;

  select min(k.name collate "C")
  into v_unknown
  from jsonb_object_keys(p_record) as k(name)
  where k.name not in (
    'expected_current_hash', 'expected_target_version', 'format', 'intent', 'target_file_id', v_container
  );

  select f.code, f.path
  into code, path
  from (values
    (1, 'guard_missing', null, v_version is null and v_hash is null),
    (2, 'guard_malformed', 'expected_target_version', v_version is not null and patchdiff_store.guard_version(p_record) is null),
    (3, 'guard_malformed', 'expected_current_hash', v_hash is not null and patchdiff_store.guard_hash(p_record) is null),
    (4, 'unknown_format', 'format', p_record -> 'format' is distinct from to_jsonb(p_protocol_version)),
    (5, 'target_mismatch', 'target_file_id', case jsonb_typeof(p_record -> 'target_file_id')
      when 'string' then lower(p_record ->> 'target_file_id') <> p_target::text
      else true
    end),
    (6, 'manifest_missing', v_container, jsonb_typeof(v_items) is distinct from 'array' or v_items = '[]'),
    (7, 'unknown_field', left(v_unknown, 64), v_unknown is not null),
    (8, 'intent_invalid', 'intent', case jsonb_typeof(p_record -> 'intent')
      when 'string' then patchdiff_store.is_blank(p_record ->> 'intent')
      else true
    end)
  ) as f(position, code, path, is_broken)
  where f.is_broken
  order by f.position
  limit 1;
  if code is not null then
    return;
  end if;

  v_ids := array(
    select case coalesce(jsonb_typeof(nullif(i.item -> 'change_id', 'null')), 'absent')
      when 'absent' then 'chg_' || lpad(i.position::text, greatest(3, length(i.position::text)), '0')
      when 'string' then case
        when p_has_historical_ids or i.item ->> 'change_id' ~ '\A[A-Za-z0-9_.:-]{1,64}\Z' then i.item ->> 'change_id'
      end
    end
    from jsonb_array_elements(v_items) with ordinality as i(item, position)
    order by i.position
  );
  select min(d.position)
  into v_duplicate
  from (
    select i.position, row_number() over (partition by i.id order by i.position) as nth
    from unnest(v_ids) with ordinality as i(id, position)
    where i.id is not null
  ) as d
  where d.nth > 1;

  for v_item in
    select i.item, i.position::integer, jsonb_array_length(v_items) as count
    from jsonb_array_elements(v_items) with ordinality as i(item, position)
    order by i.position
  loop
    select f.code, f.path
    into code, path
    from patchdiff_store.import_item_fault(
      v_item.item, v_item.position, v_item.count, p_protocol_version, p_has_adjacency, v_ids[v_item.position],
      v_item.position = v_duplicate
    ) as f;
    exit when code is not null;
  end loop;

  if code is null then
    path := null;
  end if;
end;
$$;

comment on function patchdiff_store.import_record_fault(jsonb, uuid, text, boolean, boolean) is
  'What stands against reading a recorded payload under its profile; null when it decodes.';
