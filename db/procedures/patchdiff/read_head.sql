-- One target without its content: one row, or none when there is no such target. No lock, and never the long text.
create or replace function patchdiff.read_head (
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
  from patchdiff_store.target_head as t
  where t.target_file_id = p_target
$$;

comment on function patchdiff.read_head(uuid) is 'A target without its content.';
