-- Takes the target: its row, then its head row, both for no key update, and returns what is narrow in the two.
-- First in the lock order everywhere; a caller that takes two targets takes them in ascending id.
-- Null when there is no such target. Two statements, hence two snapshots: the head is read after the wait for the
-- target is over, so what comes back is the latest committed state; at REPEATABLE READ a target that moved since the
-- snapshot raises 40001. Every field is named: plpgsql.extra_errors of the caller's session would refuse to fill half a row.
-- Callers read whatever else they decide on in a later statement than this call.
create or replace function patchdiff_store.lock_target (
  p_target uuid
)
  returns patchdiff_store.locked_target
  language plpgsql
  volatile
as $$
declare
  v_locked patchdiff_store.locked_target;
begin
  select
    t.target_file_id,
    t.display_name,
    t.version,
    t.current_hash,
    t.content_bytes,
    -- What a damaged row says of its own text must hold: counted when the recorded size is not the text's (a toasted
    -- text's size is read without the text).
    case octet_length(t.current_content) when t.content_bytes then t.content_chars else char_length(t.current_content) end,
    t.workspace_tracked,
    t.workspace_root_identity,
    t.workspace_path,
    t.last_synced_disk_sha256,
    t.last_synced_version,
    t.source_bom,
    t.created_at
  into
    v_locked.target_file_id,
    v_locked.display_name,
    v_locked.version,
    v_locked.current_hash,
    v_locked.content_bytes,
    v_locked.content_chars,
    v_locked.workspace_tracked,
    v_locked.workspace_root_identity,
    v_locked.workspace_path,
    v_locked.last_synced_disk_sha256,
    v_locked.last_synced_version,
    v_locked.source_bom,
    v_locked.created_at
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target
  for no key update;

  if not found then
    return null;
  end if;

  select
    h.log_sequence,
    h.ledger_sequence,
    h.snapshot_sequence,
    h.publication_sequence,
    h.chain_sequence,
    h.open_cycle,
    h.accepted_version,
    h.accepted_hash,
    h.chain_head
  into strict
    v_locked.log_sequence,
    v_locked.ledger_sequence,
    v_locked.snapshot_sequence,
    v_locked.publication_sequence,
    v_locked.chain_sequence,
    v_locked.open_cycle,
    v_locked.accepted_version,
    v_locked.accepted_hash,
    v_locked.chain_head
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_target
  for no key update;

  return v_locked;
end;
$$;

comment on function patchdiff_store.lock_target(uuid) is
  'Locks a target row and then its head row and returns their narrow columns, or null when there is no such target.';
