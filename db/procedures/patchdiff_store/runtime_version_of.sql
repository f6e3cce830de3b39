-- The frozen profile under which a record is judged and recorded (docs/spec/decoding.md). Total: it answers for any value.
create or replace function patchdiff_store.runtime_version_of (
  p_record jsonb
)
  returns text
  language plpgsql
  immutable
as $$
begin
  case patchdiff_store.protocol_of(p_record)
    when 'patchdiff-tx/2' then
      if jsonb_typeof(p_record -> 'operations') = 'array' and exists (
        select from jsonb_array_elements(p_record -> 'operations') as e(item)
        where jsonb_typeof(e.item) = 'object'
          and e.item -> 'op' = '"span"'
          and (
            coalesce(jsonb_typeof(e.item -> 'expected_before'), 'null') <> 'null'
            or coalesce(jsonb_typeof(e.item -> 'expected_after'), 'null') <> 'null'
          )
      ) then
        return 'patchdiff-mvp-0.5.0';
      end if;

      return 'patchdiff-mvp-0.3.0';
    when 'patchdiff-tx/3' then
      return 'patchdiff-mvp-0.4.0';
    when 'patchdiff-observed-batch/1' then
      return 'patchdiff-observed-batch-r1';
    else
      return 'patchdiff-mvp-0.2.2';
  end case;
end;
$$;

comment on function patchdiff_store.runtime_version_of(jsonb) is 'The runtime profile under which a record is recorded.';
