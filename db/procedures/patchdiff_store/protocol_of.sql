-- The protocol version a record is recorded under: its format when that is a public one, else unknown.
create or replace function patchdiff_store.protocol_of (
  p_record jsonb
)
  returns text
  language sql
  immutable
as $$
  select case
    when p_record -> 'format' in (
      '"patchdiff-tx/1"', '"patchdiff-tx/2"', '"patchdiff-tx/3"', '"patchdiff-observed-batch/1"'
    ) then p_record ->> 'format'
    else 'unknown'
  end
$$;

comment on function patchdiff_store.protocol_of(jsonb) is 'The public format a record names, else unknown.';
