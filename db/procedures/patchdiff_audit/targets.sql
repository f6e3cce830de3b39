-- Every target with its state and the head of its chain. Filter by target_file_id for O(1).
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
  t.chain_head
from patchdiff_store.target_state as t;

comment on view patchdiff_audit.targets is 'Every target with its state and the head of its chain.';
