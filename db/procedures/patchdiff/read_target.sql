-- One target with its content: one row, or none when there is no such target. No lock: one committed state.
create or replace function patchdiff.read_target (
  p_target uuid
)
  returns setof patchdiff.target_state
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select t.*
  from patchdiff_store.target_state as t
  where t.target_file_id = p_target
$$;

comment on function patchdiff.read_target(uuid) is 'A target with its content.';
