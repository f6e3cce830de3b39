-- A target with its head, in the columns of patchdiff.target_state: what every read of targets shows, in one place.
-- The content comes last and is read only by a query that names it.
create or replace view patchdiff_store.target_state as
select
  t.target_file_id,
  t.display_name,
  t.version,
  t.current_hash,
  t.content_chars,
  t.content_bytes,
  t.status,
  t.workspace_tracked,
  t.workspace_root_identity as workspace_root,
  t.workspace_path,
  t.last_synced_disk_sha256,
  t.last_synced_version,
  t.source_bom,
  t.source_line_endings,
  t.created_at,
  t.updated_at,
  h.log_sequence,
  h.ledger_sequence,
  h.snapshot_sequence,
  h.publication_sequence,
  h.open_cycle,
  h.chain_sequence,
  encode(h.chain_head, 'hex') as chain_head,
  t.current_content
from patchdiff_store.cloud_target_files as t
join patchdiff_store.target_heads as h on h.target_file_id = t.target_file_id;

comment on view patchdiff_store.target_state is 'A target with its head, as the reads of targets show it.';
