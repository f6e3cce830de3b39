-- Publication intents that have no outcome yet, with what tells what became of them: the digest the file had before, the one that
-- was to be written, what the target was last synced with, and whether a later row says that the file has moved on (is_overtaken:
-- it can no longer be recorded as published). An intent is open while a SAVE runs, and after a crash until the next SAVE of the
-- target or `patchdiff reconcile --finish`. is_current: the version to be written still is the target's.
-- actor_… and actor are what the opener claims to be, db_… is what the database saw of it.
create or replace view patchdiff_audit.open_publications as
select
  p.target_file_id,
  t.display_name,
  p.publication_sequence,
  p.publication_id,
  p.opened_at,
  p.version,
  t.version as current_version,
  p.version = t.version and p.content_hash = t.current_hash as is_current,
  p.content_hash,
  p.workspace_root,
  p.workspace_path,
  p.expected_disk_sha256,
  p.written_sha256,
  p.written_bytes,
  t.last_synced_disk_sha256,
  t.last_synced_version,
  exists (
    select
    from patchdiff_store.workspace_publications as o
    left join patchdiff_store.workspace_publications as i
      on i.target_file_id = o.target_file_id and i.publication_id = o.intent_publication_id
    where o.target_file_id = p.target_file_id
    and o.publication_sequence > p.publication_sequence
    and (
      o.kind = 'adopted'
      or (o.kind = 'rebound' and (o.workspace_root_identity <> p.workspace_root or o.workspace_path <> p.workspace_path))
      or (o.kind = 'published' and i.publication_sequence > p.publication_sequence)
    )
  ) as is_overtaken,
  p.editing_cycle,
  p.actor,
  p.actor_host,
  p.actor_host_version,
  p.actor_agent,
  p.actor_session,
  p.db_session_user,
  p.db_application_name,
  p.db_client_addr,
  p.db_transaction_id
from patchdiff_audit.publications as p
join patchdiff_store.cloud_target_files as t on t.target_file_id = p.target_file_id
where p.outcome is null;

comment on view patchdiff_audit.open_publications is
  'Publication intents without an outcome, with what tells what became of them.';
