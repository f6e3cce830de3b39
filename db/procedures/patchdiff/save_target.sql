-- SAVE without publication: a checkpoint snapshot of the current content, and a new editing cycle that begins with it.
-- `unchanged` when the newest snapshot already has this version; `rejected` by a guard or for diverged content.
-- A request key returns its first receipt for ever; a rejection of the key itself is not recorded.
-- With p_sync_workspace the call only settles what needs no publication (key, guards, nothing new to publish) and
-- otherwise answers `publication_needed` and writes nothing: patchdiff.open_publication is next.
-- Refuses malformed arguments (PD100) and an unknown target (PD104). Race-safe: everything is read under the lock.
create or replace function patchdiff.save_target (
  p_target uuid,
  p_expected_version bigint default null,
  p_expected_hash text default null,
  p_client_request_id text default null,
  p_actor json default null,
  p_sync_workspace boolean default false
)
  returns patchdiff.save_receipt
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set standard_conforming_strings = 'on'
as $$
declare
  v_sync_workspace boolean := coalesce(p_sync_workspace, false);
  v_fingerprint text;
  v_locked patchdiff_store.locked_target;
  v_fault patchdiff_store.fault;
  v_newest record;
  v_snapshot patchdiff_store.target_snapshots;
  v_receipt patchdiff.save_receipt;
begin
  -- check
  perform patchdiff_store.check_save(p_target, p_expected_version, p_expected_hash, p_client_request_id);
  perform patchdiff_store.check_claim('p_actor', p_actor);
  v_fingerprint := patchdiff_store.save_fingerprint(p_target, p_expected_version, p_expected_hash, v_sync_workspace);

  -- lock
  v_locked := patchdiff_store.lock_target(p_target);
  if v_locked.target_file_id is null then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  -- guard
  v_receipt := patchdiff_store.recall_save(v_locked, p_client_request_id, v_fingerprint);
  if v_receipt.outcome is not null then
    return v_receipt;
  end if;

  v_fault := patchdiff_store.save_fault(v_locked, p_expected_version, p_expected_hash);
  if v_fault.failure_reason is not null then
    v_receipt := patchdiff_store.save_answer(v_locked, 'rejected', v_fault);
    perform patchdiff_store.remember_save(p_target, p_client_request_id, v_fingerprint, v_receipt);
    return v_receipt;
  end if;

  select s.version, s.snapshot_id
  into strict v_newest
  from patchdiff_store.target_snapshots as s
  where s.target_file_id = p_target and s.snapshot_sequence = v_locked.snapshot_sequence;
  if v_sync_workspace and (v_newest.version <> v_locked.version or v_locked.last_synced_version is distinct from v_locked.version) then
    return patchdiff_store.save_answer(v_locked, 'publication_needed', null);
  end if;

  -- write
  if v_newest.version = v_locked.version then
    v_receipt := patchdiff_store.save_answer(v_locked, 'unchanged', null);
    v_receipt.snapshot_id := v_newest.snapshot_id;
  else
    v_snapshot := patchdiff_store.append_snapshot(
      v_locked, 'save_checkpoint', null, p_actor, p_client_request_id, v_fingerprint);
    v_receipt := patchdiff_store.save_answer(patchdiff_store.lock_target(p_target), 'checkpointed', null);
    v_receipt.snapshot_id := v_snapshot.snapshot_id;
  end if;
  perform patchdiff_store.remember_save(p_target, p_client_request_id, v_fingerprint, v_receipt);
  return v_receipt;
end;
$$;

comment on function patchdiff.save_target(uuid, bigint, text, text, json, boolean) is
  'SAVE without publication: a checkpoint snapshot and a new editing cycle, or the recorded outcome of its key.';
