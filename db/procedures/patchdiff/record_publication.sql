-- Closes a publication intent with its outcome, once. `published`: the file now holds the intent's bytes; the synced
-- digest and version follow, and a checkpoint snapshot with a new cycle is appended when the target still is at the
-- intent's version and the newest snapshot is not (after a crash the target may have moved on: then snapshot_id is
-- null). While the stored content is not what its hash says it answers `rejected` and writes nothing, so that the intent
-- stays open. `rejected` and `superseded`: nothing was installed; the failure is what the database itself finds against
-- the intent now, and p_detail is kept in the row as the caller's claim; a published receipt repeats it in installation.
-- Recorded under the request key: `published` (under the intent's own key when none is given and it stands for nothing yet), and `rejected` when the SAVE's own guards, kept with the intent, fail now.
-- A key that stands for another publication by now is answered with a rejection that writes nothing.
-- Refuses malformed arguments (PD100), an unknown target (PD104) or intent (PD108), an intent that is closed or older
-- than a later publication (PD110).
create or replace function patchdiff.record_publication (
  p_target uuid,
  p_publication_id uuid,
  p_outcome text,
  p_observed_disk_sha256 text default null,
  p_detail json default null,
  p_client_request_id text default null,
  p_actor json default null
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
  v_locked patchdiff_store.locked_target;
  v_intent patchdiff_store.workspace_publications;
  v_key text := p_client_request_id;
  v_fingerprint text;
  v_fault patchdiff_store.fault;
  v_settled boolean;
  v_snapshot_id uuid;
  v_row patchdiff_store.workspace_publications;
  v_receipt patchdiff.save_receipt;
begin
  -- check
  perform patchdiff_store.check_save(p_target, null, null, p_client_request_id);
  perform patchdiff_store.check_claim('p_actor', p_actor);
  perform patchdiff_store.check_claim('p_detail', p_detail);
  perform patchdiff_store.check_digest('p_observed_disk_sha256', p_observed_disk_sha256, false);

  -- lock
  v_locked := patchdiff_store.lock_target(p_target);
  if v_locked.target_file_id is null then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  -- guard
  v_intent := patchdiff_store.publication_intent(p_target, p_publication_id);
  perform patchdiff_store.check_outcome(v_intent, p_outcome, p_observed_disk_sha256, p_detail, p_client_request_id);
  v_fingerprint := patchdiff_store.save_fingerprint(
    p_target,
    (v_intent.detail ->> 'expected_target_version')::bigint,
    v_intent.detail ->> 'expected_current_hash',
    true
  );
  -- Whoever finishes a SAVE that was cut off settles its key too, unless the key stands for something else by now.
  if v_key is null and p_outcome = 'published' and not exists (
    select
    from patchdiff_store.request_keys as k
    where k.target_file_id = p_target and k.client_request_id = v_intent.client_request_id
  ) then
    v_key := v_intent.client_request_id;
  end if;
  v_receipt := patchdiff_store.recall_save(v_locked, v_key, v_fingerprint, p_publication_id);
  if v_receipt.outcome is not null then
    return v_receipt;
  end if;
  perform patchdiff_store.check_publication_open(v_intent, p_outcome);
  if p_outcome = 'published' then
    v_fault := patchdiff_store.divergence(v_locked);
    if v_fault.failure_reason is not null then
      return patchdiff_store.save_answer(v_locked, 'rejected', v_fault);
    end if;
  else
    v_fault := patchdiff_store.save_fault(
      v_locked,
      (v_intent.detail ->> 'expected_target_version')::bigint,
      v_intent.detail ->> 'expected_current_hash'
    );
  end if;
  v_settled := v_key is not null
    and (p_outcome = 'published' or (p_outcome = 'rejected' and v_fault.failure_reason is not null));
  if p_outcome <> 'published' and v_fault.failure_reason is null then
    v_fault := patchdiff_store.intent_moved(v_locked, v_intent);
  end if;
  if p_outcome = 'rejected' and v_fault.failure_reason is null then
    v_fault.failure_reason := 'workspace_refused';
    v_fault.failure_code := 'publication_rejected';
    v_fault.failure_detail := 'nothing was installed; the caller''s reason is kept with the publication';
  end if;

  -- write
  v_intent.client_request_id := case when v_settled then v_key end;
  v_intent.request_fingerprint := case when v_settled then v_fingerprint end;
  if p_outcome = 'published' then
    v_snapshot_id := patchdiff_store.checkpoint_publication(v_locked, v_intent, p_actor);
    v_locked := patchdiff_store.lock_target(p_target);
  end if;

  v_row := v_intent;
  v_row.kind := p_outcome;
  v_row.intent_publication_id := p_publication_id;
  v_row.observed_disk_sha256 := p_observed_disk_sha256;
  v_row.actor := p_actor;
  v_row.detail := p_detail;
  v_row := patchdiff_store.append_publication(v_locked, v_row);

  v_receipt := patchdiff_store.save_answer(patchdiff_store.lock_target(p_target), p_outcome, v_fault);
  v_receipt.publication_id := p_publication_id;
  v_receipt.snapshot_id := v_snapshot_id;
  if p_outcome = 'published' then
    v_receipt.installation := json_build_object(
      'workspace_path', v_row.workspace_path,
      'disk_sha256', v_row.written_sha256,
      'written_bytes', v_row.written_bytes,
      'detail', v_row.detail
    );
  end if;
  if v_settled then
    perform patchdiff_store.remember_save(p_target, v_key, v_fingerprint, v_receipt);
  end if;
  return v_receipt;
end;
$$;

comment on function patchdiff.record_publication(uuid, uuid, text, text, json, text, json) is
  'Closes a publication intent with its outcome; a published one also checkpoints the target.';
