-- Every editing cycle: the snapshot it began with, and, once SAVE has closed it, when and at which version. actor_… and
-- actor are what the opener (the creation, or the SAVE that closed the cycle before) claims to be, db_… is what the database saw.
create or replace view patchdiff_audit.cycles as
select
  c.target_file_id,
  c.editing_cycle,
  c.opened_at,
  c.opened_at_version,
  s.kind as opened_by,
  s.snapshot_id,
  s.content_hash,
  n.opened_at as closed_at,
  n.opened_at_version as closed_at_version,
  r.actor ->> 'host' as actor_host,
  r.actor ->> 'host_version' as actor_host_version,
  r.actor ->> 'agent' as actor_agent,
  r.actor ->> 'session' as actor_session,
  s.actor,
  s.db_session_user,
  s.db_application_name,
  s.db_client_addr,
  s.db_transaction_id
from patchdiff_store.editing_cycles as c
join patchdiff_store.target_snapshots as s
  on s.target_file_id = c.target_file_id and s.snapshot_sequence = c.snapshot_sequence
left join patchdiff_store.editing_cycles as n
  on n.target_file_id = c.target_file_id and n.editing_cycle = c.editing_cycle + 1
cross join lateral (
  select case when pg_input_is_valid(s.actor::text, 'jsonb') then s.actor end as actor
) as r;

comment on view patchdiff_audit.cycles is 'Every editing cycle, from the snapshot it began with to the SAVE that closed it.';
