-- First transaction of a SAVE that publishes: appends the intent to write one version of a target to its file.
-- Outcomes: `opened`; `rejected` (a guard, diverged content, no binding, or the target or its synced digest moved since
-- the bytes were rendered; only a guard's or a divergence's verdict is recorded under the request key); `recovered`
-- when the key already has a receipt, then `receipt` holds it as JSON.
-- p_eol_runs says which ending each line of the version gets, as runs, where that is recorded line by line; kept with the
-- intent, and with the target once the publication is recorded.
-- Refuses malformed arguments, runs that do not make the bytes to be written among them (PD100), and an unknown target (PD104). Race-safe: decided under the target's lock, and
-- every intent is rechecked under it again by lock_publication before the file is touched.
create or replace function patchdiff.open_publication (
  p_target uuid,
  p_expected_version bigint,
  p_expected_hash text,
  p_version bigint,
  p_content_hash text,
  p_expected_disk_sha256 text,
  p_written_sha256 text,
  p_written_bytes bigint,
  p_actor json default null,
  p_client_request_id text default null,
  p_eol_runs jsonb default null
)
  returns patchdiff.publication_receipt
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set standard_conforming_strings = 'on'
as $$
declare
  v_fingerprint text;
  v_locked patchdiff_store.locked_target;
  v_saved patchdiff.save_receipt;
  v_fault patchdiff_store.fault;
  v_row patchdiff_store.workspace_publications;
  v_receipt patchdiff.publication_receipt;
begin
  -- check
  perform patchdiff_store.check_save(p_target, p_expected_version, p_expected_hash, p_client_request_id);
  perform patchdiff_store.check_claim('p_actor', p_actor);
  perform patchdiff_store.check_digest('p_content_hash', p_content_hash, true);
  perform patchdiff_store.check_digest('p_expected_disk_sha256', p_expected_disk_sha256, false);
  perform patchdiff_store.check_digest('p_written_sha256', p_written_sha256, true);
  if p_version is null or p_written_bytes is null or p_written_bytes < 0 then
    raise exception 'p_version and p_written_bytes are required'
      using errcode = 'PD100',
            detail = json_build_object('argument', case when p_version is null then 'p_version' else 'p_written_bytes' end)::text,
            hint = 'send the version that was rendered and the number of bytes to be written';
  end if;
  v_fingerprint := patchdiff_store.save_fingerprint(p_target, p_expected_version, p_expected_hash, true);

  -- lock
  v_locked := patchdiff_store.lock_target(p_target);
  if v_locked.target_file_id is null then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  -- guard
  v_saved := patchdiff_store.recall_save(v_locked, p_client_request_id, v_fingerprint);
  if v_saved.outcome is not null then
    v_fault.failure_reason := v_saved.failure_reason;
    v_fault.failure_code := v_saved.failure_code;
    v_fault.failure_detail := v_saved.failure_detail;
    v_receipt := patchdiff_store.publication_answer(
      v_locked, case when v_saved.deduplicated then 'recovered' else v_saved.outcome end, v_fault);
    v_receipt.receipt := row_to_json(v_saved);
    return v_receipt;
  end if;

  v_fault := patchdiff_store.save_fault(v_locked, p_expected_version, p_expected_hash);
  if v_fault.failure_reason is not null then
    v_saved := patchdiff_store.save_answer(v_locked, 'rejected', v_fault);
    perform patchdiff_store.remember_save(p_target, p_client_request_id, v_fingerprint, v_saved);
    return patchdiff_store.publication_answer(v_locked, 'rejected', v_fault);
  end if;

  v_fault := patchdiff_store.publication_moved(v_locked, p_version, p_content_hash, p_expected_disk_sha256);
  if v_fault.failure_reason is not null then
    return patchdiff_store.publication_answer(v_locked, 'rejected', v_fault);
  end if;

  perform patchdiff_store.check_written_runs(p_target, p_eol_runs, p_written_sha256, p_written_bytes);

  -- write
  v_row.kind := 'intent';
  v_row.version := p_version;
  v_row.content_hash := p_content_hash;
  v_row.expected_disk_sha256 := p_expected_disk_sha256;
  v_row.written_sha256 := p_written_sha256;
  v_row.written_bytes := p_written_bytes;
  v_row.workspace_root_identity := v_locked.workspace_root_identity;
  v_row.workspace_path := v_locked.workspace_path;
  v_row.client_request_id := p_client_request_id;
  v_row.request_fingerprint := case when p_client_request_id is not null then v_fingerprint end;
  v_row.actor := p_actor;
  v_row.detail := case
    when p_eol_runs is null
      then json_build_object('expected_target_version', p_expected_version, 'expected_current_hash', p_expected_hash)
    else json_build_object(
      'expected_target_version', p_expected_version, 'expected_current_hash', p_expected_hash, 'eol_runs', p_eol_runs)
  end;
  v_row := patchdiff_store.append_publication(v_locked, v_row);

  v_receipt := patchdiff_store.publication_answer(patchdiff_store.lock_target(p_target), 'opened', null);
  v_receipt.publication_id := v_row.publication_id;
  return v_receipt;
end;
$$;

comment on function patchdiff.open_publication(uuid, bigint, text, bigint, text, text, text, bigint, json, text, jsonb) is
  'Appends the intent to publish one version of a target to its workspace file.';
