-- One attempt by its id, with its payload: one row, or none. One of the few reads across targets.
create or replace function patchdiff.read_attempt (
  p_pdcp_log_id uuid
)
  returns setof patchdiff.attempt_entry
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select e.*
  from patchdiff_store.attempt_entry as e
  where e.pdcp_log_id = p_pdcp_log_id
$$;

comment on function patchdiff.read_attempt(uuid) is 'One attempt by its id, with its payload.';
