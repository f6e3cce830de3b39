-- The version guard of a record, or null when it is absent or malformed: an integer from 0 to 2^53-1.
create or replace function patchdiff_store.guard_version (
  p_record jsonb
)
  returns bigint
  language sql
  immutable
as $$
  select case
    when jsonb_typeof(p_record -> 'expected_target_version') = 'number'
      and p_record ->> 'expected_target_version' ~ '\A(0|[1-9][0-9]{0,15})\Z'
      then case
        when (p_record ->> 'expected_target_version')::bigint <= 9007199254740991
          then (p_record ->> 'expected_target_version')::bigint
      end
  end
$$;

comment on function patchdiff_store.guard_version(jsonb) is
  'The version guard of a record, or null when absent or not an integer from 0 to 9007199254740991.';
