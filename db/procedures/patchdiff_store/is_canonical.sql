-- Whether a payload that decodes is its own canonical JSON, explicit null members included: what canonical_record
-- does not cover. Both guard keys must be there.
create or replace function patchdiff_store.is_canonical (
  p_payload text,
  p_record jsonb
)
  returns boolean
  language plpgsql
  stable
as $$
declare
  v_container text := case p_record ->> 'format'
    when 'patchdiff-tx/1' then 'edits' when 'patchdiff-observed-batch/1' then 'groups' else 'operations'
  end;
  v_items text;
begin
  if not p_record ?& array['expected_current_hash', 'expected_target_version'] then
    return false;
  end if;

  select '[' || string_agg(
    case v_container
      when 'groups' then patchdiff_store.canonical_object(i.item, jsonb_build_object('operations', (
        select '[' || string_agg(patchdiff_store.canonical_object(o.item), ',' order by o.position) || ']'
        from jsonb_array_elements(i.item -> 'operations') with ordinality as o(item, position)
      )))
      else patchdiff_store.canonical_object(i.item)
    end,
    ',' order by i.position
  ) || ']'
  into v_items
  from jsonb_array_elements(p_record -> v_container) with ordinality as i(item, position);

  return coalesce(
    patchdiff_store.canonical_object(p_record, jsonb_build_object(v_container, v_items)) = p_payload,
    false
  );
end;
$$;

comment on function patchdiff_store.is_canonical(text, jsonb) is
  'Whether the payload of a record that decodes equals its canonical JSON byte for byte.';
