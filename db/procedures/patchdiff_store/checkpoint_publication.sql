-- What a finished publication changes beside its own row: the synced digest and version, the endings of each line as the intent keeps them, and the checkpoint. Answers
-- the id of the snapshot that holds the published version: the one appended, else the newest one when it has that
-- version, else null. The caller holds the lock, passes what lock_target answered,
-- and has left in the intent the request key that this settles, or none.
create or replace function patchdiff_store.checkpoint_publication (
  p_locked patchdiff_store.locked_target,
  p_intent patchdiff_store.workspace_publications,
  p_actor json
)
  returns uuid
  language plpgsql
  volatile
as $$
declare
  v_runs jsonb := nullif((p_intent.detail -> 'eol_runs')::jsonb, 'null');
  v_newest record;
  v_snapshot patchdiff_store.target_snapshots;
begin
  update patchdiff_store.cloud_target_files as t
  set last_synced_disk_sha256 = p_intent.written_sha256,
      last_synced_version = p_intent.version,
      eol_runs = v_runs,
      eol_version = case when v_runs is not null then p_intent.version end,
      updated_at = clock_timestamp()
  where t.target_file_id = p_locked.target_file_id;

  select s.version, s.snapshot_id
  into strict v_newest
  from patchdiff_store.target_snapshots as s
  where s.target_file_id = p_locked.target_file_id and s.snapshot_sequence = p_locked.snapshot_sequence;
  if v_newest.version = p_intent.version then
    return v_newest.snapshot_id;
  end if;
  if p_locked.version <> p_intent.version then
    return null;
  end if;

  v_snapshot := patchdiff_store.append_snapshot(
    p_locked, 'save_checkpoint', null, p_actor, p_intent.client_request_id, p_intent.request_fingerprint);
  return v_snapshot.snapshot_id;
end;
$$;

comment on function patchdiff_store.checkpoint_publication(
  patchdiff_store.locked_target, patchdiff_store.workspace_publications, json) is
  'Records the synced digest of a finished publication and appends its checkpoint.';
