-- target_state without the content, which no page of targets may read: in the columns of patchdiff.target_state too.
create or replace view patchdiff_store.target_head as
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
  t.log_sequence,
  t.ledger_sequence,
  t.snapshot_sequence,
  t.publication_sequence,
  t.open_cycle,
  t.chain_sequence,
  t.chain_head,
  null::text as current_content
from patchdiff_store.target_state as t;

comment on view patchdiff_store.target_head is 'A target with its head and without its content.';
