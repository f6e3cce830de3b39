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
    t.current_content
  from patchdiff_store.target_state as t
  where t.target_file_id = p_target
$$;

comment on function patchdiff.read_target(uuid) is 'A target with its content.';
