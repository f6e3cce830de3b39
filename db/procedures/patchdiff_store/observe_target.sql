-- What lock_target returns (its expressions, too), without a lock: the narrow columns of a target and its head in one committed state; null when
-- there is no such target. For answers that promise nothing: whatever is written must lock.
create or replace function patchdiff_store.observe_target (
  p_target uuid
)
  returns patchdiff_store.locked_target
  language plpgsql
  stable
as $$
declare
  v_observed patchdiff_store.locked_target;
begin
  select
    t.target_file_id,
    t.display_name,
    t.version,
    t.current_hash,
    t.content_bytes,
    case octet_length(t.current_content) when t.content_bytes then t.content_chars else char_length(t.current_content) end,
    t.workspace_tracked,
    t.workspace_root_identity,
    t.workspace_path,
    t.last_synced_disk_sha256,
    t.last_synced_version,
    t.source_bom,
    t.created_at,
    h.log_sequence,
    h.ledger_sequence,
    h.snapshot_sequence,
    h.publication_sequence,
    h.chain_sequence,
    h.open_cycle,
    h.accepted_version,
    h.accepted_hash,
    h.chain_head
  into
    v_observed.target_file_id,
    v_observed.display_name,
    v_observed.version,
    v_observed.current_hash,
    v_observed.content_bytes,
    v_observed.content_chars,
    v_observed.workspace_tracked,
    v_observed.workspace_root_identity,
    v_observed.workspace_path,
    v_observed.last_synced_disk_sha256,
    v_observed.last_synced_version,
    v_observed.source_bom,
    v_observed.created_at,
    v_observed.log_sequence,
    v_observed.ledger_sequence,
    v_observed.snapshot_sequence,
    v_observed.publication_sequence,
    v_observed.chain_sequence,
    v_observed.open_cycle,
    v_observed.accepted_version,
    v_observed.accepted_hash,
    v_observed.chain_head
  from patchdiff_store.cloud_target_files as t
  join patchdiff_store.target_heads as h on h.target_file_id = t.target_file_id
  where t.target_file_id = p_target;

  if not found then
    return null;
  end if;

  return v_observed;
end;
$$;

comment on function patchdiff_store.observe_target(uuid) is
  'The narrow columns of a target and its head without a lock, or null when there is no such target.';
