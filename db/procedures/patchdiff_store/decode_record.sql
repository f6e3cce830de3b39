-- Decodes a record that parses: P1 to P8 of docs/spec/decoding.md, the first fault wins, all null when there is none.
-- p_malformed names the code of the first of attempt, parent and source that is malformed, which P2 has between the
-- guards and the format; those three travel beside the record. So does p_scopes, the evidence of a bundle's scopes (decode_groups).
create or replace function patchdiff_store.decode_record (
  p_record jsonb,
  p_target uuid,
  p_malformed text,
  p_scopes jsonb default null
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_format text := patchdiff_store.protocol_of(p_record);
  v_container text := case v_format
    when 'patchdiff-tx/1' then 'edits' when 'patchdiff-observed-batch/1' then 'groups' else 'operations'
  end;
  v_has_version boolean := coalesce(p_record -> 'expected_target_version', 'null') <> 'null';
  v_has_hash boolean := coalesce(p_record -> 'expected_current_hash', 'null') <> 'null';
  v_unknown text;
  v_fault patchdiff_store.fault;
  v_used text[] := '{}';
  v_item record;
begin
  if not v_has_version and not v_has_hash then
    return patchdiff_store.fault_of('guard_missing');
  end if;

  if v_has_version and patchdiff_store.guard_version(p_record) is null then
    return patchdiff_store.fault_of('guard_malformed', 'expected_target_version',
      p_words => '{"rule": "an integer from 0 to 9007199254740991"}');
  end if;

  if v_has_hash and patchdiff_store.guard_hash(p_record) is null then
    return patchdiff_store.fault_of('guard_malformed', 'expected_current_hash',
      p_words => '{"rule": "64 lowercase hexadecimal digits"}');
  end if;

  if p_malformed is not null then
    return patchdiff_store.fault_of(p_malformed, case p_malformed
      when 'attempt_malformed' then 'attempt'
      when 'parent_malformed' then 'parent_pdcp_log_id'
      else 'source'
    end);
  end if;

  if v_format = 'unknown' then
    return patchdiff_store.fault_of('unknown_format', 'format');
  end if;

  if jsonb_typeof(p_record -> 'target_file_id') is distinct from 'string'
    or lower(p_record ->> 'target_file_id') <> p_target::text
  then
    return patchdiff_store.fault_of('target_mismatch', 'target_file_id');
  end if;

  if jsonb_typeof(p_record -> v_container) is distinct from 'array' or p_record -> v_container = '[]' then
    if v_format = 'patchdiff-tx/3' then
      return patchdiff_store.fault_of('manifest_missing', 'replacement', p_words => '{"rule": "a string"}');
    end if;

    return patchdiff_store.fault_of('manifest_missing', v_container, p_words => '{"rule": "a non-empty array"}');
  end if;

  select min(k.name collate "C")
  into v_unknown
  from jsonb_object_keys(p_record) as k(name)
  where k.name not in (
    'expected_current_hash', 'expected_target_version', 'format', 'intent', 'target_file_id', v_container
  )
  and not (v_format = 'patchdiff-observed-batch/1' and k.name = 'bundle_id');
  if v_unknown is not null then
    return patchdiff_store.fault_of('unknown_field', left(v_unknown, 64));
  end if;

  if jsonb_typeof(p_record -> 'intent') is distinct from 'string' or patchdiff_store.is_blank(p_record ->> 'intent') then
    return patchdiff_store.fault_of('intent_invalid', 'intent');
  end if;

  if char_length(p_record ->> 'intent') > 4096 then
    return patchdiff_store.fault_of('intent_too_long', 'intent');
  end if;

  if v_format = 'patchdiff-observed-batch/1' then
    return patchdiff_store.decode_groups(p_record -> 'groups', p_scopes);
  end if;

  for v_item in
    select i.item, i.position, jsonb_array_length(p_record -> v_container) as count
    from jsonb_array_elements(p_record -> v_container) with ordinality as i(item, position)
  loop
    v_fault := patchdiff_store.decode_item(v_item.item, v_item.position::integer, v_item.count, v_format, v_used);
    if v_fault.failure_reason is not null then
      return v_fault;
    end if;

    v_used := v_used || patchdiff_store.change_id_of(v_item.item, v_item.position::integer);
  end loop;

  return null;
end;
$$;

comment on function patchdiff_store.decode_record(jsonb, uuid, text, jsonb) is
  'The first protocol fault of a record, or all null when it decodes.';
