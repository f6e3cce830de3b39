-- Every publication: its intent, and its outcome, null while it is open (which after a crash asks for reconciliation).
-- actor_… and actor are what the opener claims to be, db_… is what the database saw of it; closed_… the same of whoever recorded the outcome.
create or replace view patchdiff_audit.publications as
select
  i.target_file_id,
  i.publication_sequence,
  i.publication_id,
  i.created_at as opened_at,
  i.version,
  i.content_hash,
  i.workspace_root_identity as workspace_root,
  i.workspace_path,
  i.expected_disk_sha256,
  i.written_sha256,
  i.written_bytes,
  i.editing_cycle,
  i.actor,
  o.kind as outcome,
  o.created_at as closed_at,
  o.observed_disk_sha256,
  o.detail,
  r.actor ->> 'host' as actor_host,
  r.actor ->> 'host_version' as actor_host_version,
  r.actor ->> 'agent' as actor_agent,
  r.actor ->> 'session' as actor_session,
  i.db_session_user,
  i.db_application_name,
  i.db_client_addr,
  i.db_transaction_id,
  o.actor as closed_actor,
  o.db_session_user as closed_db_session_user,
  o.db_application_name as closed_db_application_name,
  o.db_client_addr as closed_db_client_addr,
  o.db_transaction_id as closed_db_transaction_id
from patchdiff_store.workspace_publications as i
left join patchdiff_store.workspace_publications as o
  on o.target_file_id = i.target_file_id and o.intent_publication_id = i.publication_id
cross join lateral (
  select case when pg_input_is_valid(i.actor::text, 'jsonb') then i.actor end as actor
) as r
where i.kind = 'intent';

comment on view patchdiff_audit.publications is 'Every publication with its outcome, null while it is open.';
