-- The hash guard of a record, or null when it is absent or malformed: 64 lower-case hexadecimal digits.
create or replace function patchdiff_store.guard_hash (
  p_record jsonb
)
  returns text
  language sql
  immutable
as $$
  select case
    when jsonb_typeof(p_record -> 'expected_current_hash') = 'string'
      and p_record ->> 'expected_current_hash' ~ '\A[0-9a-f]{64}\Z'
      then p_record ->> 'expected_current_hash'
  end
$$;

comment on function patchdiff_store.guard_hash(jsonb) is
  'The hash guard of a record, or null when absent or not 64 lower-case hexadecimal digits.';
