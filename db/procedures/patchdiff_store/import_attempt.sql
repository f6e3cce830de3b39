-- Brings in one attempt of an older history, as its owner (docs/spec/import.md): original id, time, key, parent, counter,
-- source, protocol, runtime, payload byte for byte, and outcome. Granted to nobody, and not security definer.
-- Promises: an accepted attempt is replayed by the database itself under its recorded profile, and comes in only when
-- versions, hashes, payload and result agree; a rejected one only when it is one. Nothing is repaired, replaced or
-- admitted anew, and the row says for ever that it was brought in, when and by whom.
-- Refuses malformed arguments (PD100), an unknown target (PD104), one whose content is damaged (PD106), an attempt that is
-- not the next one (PD111), that its own replay does not confirm (PD112), or that is there already (PD113).
-- Race-safe by the target's row lock, taken before anything of the target is read. Lock order: target, head.
create or replace function patchdiff_store.import_attempt (
  p_target uuid,
  p_pdcp_log_id uuid,
  p_created_at timestamptz,
  p_status text,
  p_protocol_version text,
  p_runtime_version text,
  p_payload text,
  p_payload_hash text,
  p_before_version bigint,
  p_before_hash text,
  p_after_version bigint default null,
  p_after_hash text default null,
  p_decided_by text default 'runtime',
  p_client_request_id text default null,
  p_is_fingerprinted boolean default true,
  p_parent text default null,
  p_attempt integer default null,
  p_source text default null,
  p_actor json default null,
  p_warnings json default null,
  p_validation_stage text default null,
  p_failure_reason text default null,
  p_failure_code text default null,
  p_failure_detail text default null,
  p_failed_change_id text default null,
  p_diagnostic json default null
)
  returns patchdiff.attempt_entry
  language plpgsql
  volatile
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set plan_cache_mode = 'force_generic_plan'
  set standard_conforming_strings = 'on'
as $$
declare
  v_row patchdiff_store.append_only_pdcp_logs;
  v_locked patchdiff_store.locked_target;
  v_record jsonb;
  v_evidence record;
  v_walk patchdiff_store.walk;
  v_content bytea;
  v_entry patchdiff.attempt_entry;
begin
  -- Check.
  v_row.target_file_id := p_target;
  v_row.pdcp_log_id := p_pdcp_log_id;
  v_row.created_at := p_created_at;
  v_row.imported_at := clock_timestamp();
  v_row.status := p_status;
  v_row.protocol_version := p_protocol_version;
  v_row.runtime_version := p_runtime_version;
  v_row.pdcp_content_hash := p_payload_hash;
  v_row.before_version := p_before_version;
  v_row.before_hash := p_before_hash;
  v_row.after_version := case p_status when 'rejected' then coalesce(p_after_version, p_before_version) else p_after_version end;
  v_row.after_hash := case p_status when 'rejected' then coalesce(p_after_hash, p_before_hash) else p_after_hash end;
  v_row.decided_by := p_decided_by;
  v_row.client_request_id := p_client_request_id;
  v_row.regeneration_attempt := p_attempt;
  v_row.submission_source := p_source;
  v_row.actor := p_actor;
  v_row.warnings := p_warnings;
  v_row.validation_stage := case p_status when 'accepted' then coalesce(p_validation_stage, 'accepted') else p_validation_stage end;
  v_row.failure_reason := p_failure_reason;
  v_row.failure_code := p_failure_code;
  v_row.failure_detail := p_failure_detail;
  v_row.failed_change_id := p_failed_change_id;
  v_row.diagnostic_json := p_diagnostic;
  perform patchdiff_store.check_import_call(v_row, p_payload, p_parent);

  -- Lock.
  v_locked := patchdiff_store.lock_target(p_target);
  if v_locked.target_file_id is null then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  -- Guard.
  perform patchdiff_store.check_import_place(v_locked, v_row);
  if p_before_hash <> v_locked.current_hash then
    perform patchdiff_store.refuse_import(v_row, 'before_hash', 'it starts from other content', jsonb_build_object(
      'recorded', p_before_hash, 'current', v_locked.current_hash));
  end if;

  if patchdiff_store.sha256_hex(convert_to(p_payload, 'UTF8')) <> p_payload_hash then
    perform patchdiff_store.refuse_import(v_row, 'payload_hash', 'the payload does not hash to its recorded hash');
  end if;

  v_record := patchdiff_store.payload_json(p_payload);
  if p_status = 'accepted' and patchdiff_store.holds_exponent(p_payload) then
    v_record := null;
  end if;

  -- Rules without envelopes stored a refused record with NUL as it is. Its guards and its format are what is read here.
  if v_record is null and p_status = 'rejected' and patchdiff_store.holds_unencodable(p_payload) then
    v_record := patchdiff_store.payload_json(patchdiff_store.mark_unencodable(p_payload));
  end if;

  v_evidence := patchdiff_store.import_evidence(p_payload, v_record);
  v_row.expected_target_version := patchdiff_store.guard_version(v_record);
  v_row.expected_current_hash := patchdiff_store.guard_hash(v_record);

  if p_parent ~* '\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z' then
    select a.pdcp_log_id, a.submission_source
    into v_row.parent_pdcp_log_id, v_row.regeneration_source
    from patchdiff_store.append_only_pdcp_logs as a
    where a.target_file_id = p_target
    and a.pdcp_log_id = p_parent::uuid
    and a.status = 'rejected';
  end if;

  -- What names no rejected attempt is itself a reason to reject, and found before some others.
  if p_parent is not null and v_row.parent_pdcp_log_id is null
    and coalesce(p_failure_reason not in ('context_invalid', 'target_encoding_invalid'), true)
  then
    perform patchdiff_store.refuse_import(v_row, 'parent', 'the parent is no rejected attempt of the target');
  end if;

  if p_is_fingerprinted is not false then
    v_row.request_fingerprint := patchdiff_store.request_fingerprint(
      v_row, coalesce(v_row.parent_pdcp_log_id::text, p_parent), v_evidence.evidence_format, v_evidence.evidence_sha256);
  end if;

  if p_status = 'accepted' then
    v_walk := patchdiff_store.import_walk(v_locked, v_row, v_record);
  else
    perform patchdiff_store.check_import_rejection(v_row, p_payload, v_record, v_evidence.evidence_format);
  end if;

  -- Write.
  if p_status = 'accepted' then
    v_content := v_walk.after_content;
    v_walk.after_content := null;
    update patchdiff_store.cloud_target_files as t
    set current_content = convert_from(v_content, 'UTF8'),
        current_hash = v_walk.after_hash,
        version = v_row.after_version,
        content_bytes = octet_length(v_content),
        content_chars = v_walk.after_chars,
        updated_at = clock_timestamp()
    where t.target_file_id = p_target;
  end if;

  v_row.log_sequence := patchdiff_store.append_import(v_locked, v_row, p_payload, v_record ->> 'intent', v_walk);
  select e.*
  into strict v_entry
  from patchdiff_store.attempt_entry as e
  where e.target_file_id = p_target
  and e.log_sequence = v_row.log_sequence;
  v_entry.pdcp_content := null;
  return v_entry;
end;
$$;

comment on function patchdiff_store.import_attempt(
  uuid, uuid, timestamptz, text, text, text, text, text, bigint, text, bigint, text, text, text, boolean, text, integer, text,
  json, json, text, text, text, text, text, json
) is 'Brings in one attempt of an older history, as its owner, verified by replay.';
