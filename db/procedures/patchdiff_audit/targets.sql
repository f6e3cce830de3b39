-- Every target with its state and the head of its chain. Filter by target_file_id for O(1). actor_… and actor are what its
-- creator claims to be, db_… is what the database saw of the creation.
create or replace view patchdiff_audit.targets as
select
  t.target_file_id,
  t.display_name,
  t.version,
  t.current_hash,
  t.content_chars,
  t.content_bytes,
  t.status,
  t.workspace_tracked,
  t.workspace_root,
  t.workspace_path,
  t.last_synced_disk_sha256,
  t.last_synced_version,
  t.source_bom,
  t.source_line_endings,
  t.created_at,
  t.updated_at,
  t.log_sequence as attempts,
  t.ledger_sequence as changes,
  t.snapshot_sequence as snapshots,
  t.publication_sequence as publication_rows,
  t.open_cycle,
  t.chain_sequence,
  t.chain_head,
  r.actor ->> 'host' as actor_host,
  r.actor ->> 'host_version' as actor_host_version,
  r.actor ->> 'agent' as actor_agent,
  r.actor ->> 'session' as actor_session,
  s.actor,
  s.db_session_user,
  s.db_application_name,
  s.db_client_addr,
  s.db_transaction_id
from patchdiff_store.target_state as t
left join patchdiff_store.target_snapshots as s
  on s.target_file_id = t.target_file_id and s.snapshot_sequence = 1
cross join lateral (
  select case when pg_input_is_valid(s.actor::text, 'jsonb') then s.actor end as actor
) as r;

comment on view patchdiff_audit.targets is 'Every target with its state and the head of its chain.';
