-- Judges one submission to one target under the target's lock and records the outcome: the whole of commit_attempt but
-- its argument checks, for every entry point. p_verdict is the caller's claim: accepted, rejected, none, or derive when
-- there is no runtime and the database finds every place itself (no base is compared then). p_is_disk: the record was built by
-- adopt_disk, which holds the limit of a file instead of those of a submission.
-- Promises: an accepted attempt is exactly what the payload says, applied to exactly the stored content; a rejection
-- changes nothing but the log; a key returns its first outcome for ever. A claim that differs from what is derived here
-- is recorded as claim_mismatch. Raises only for what no row can hold (PD101, PD102).
-- Race-safe: the target row is locked before anything is read that the answer depends on, and each later statement
-- sees what was committed during the wait. Lock order: target, head.
create or replace function patchdiff_store.commit_submission (
  p_target uuid,
  p_payload text,
  p_client_request_id text,
  p_parent text,
  p_attempt integer,
  p_source text,
  p_actor json,
  p_base_hash text,
  p_verdict text,
  p_resolved_starts integer[],
  p_after_hash text,
  p_claimed_reason text,
  p_warnings json,
  p_raw_metadata jsonb,
  p_is_disk boolean default false
)
  returns patchdiff.commit_receipt
  language plpgsql
  volatile
as $$
declare
  v_locked patchdiff_store.locked_target;
  v_record jsonb;
  v_format text;
  v_container text;
  v_operations patchdiff_store.operations;
  v_replacement text;
  v_observation jsonb;
  v_stored text := p_payload;
  v_is_sound boolean;
  v_envelope patchdiff_store.envelope;
  v_row patchdiff_store.append_only_pdcp_logs;
  v_parent text := p_parent;
  v_malformed text;
  v_key patchdiff_store.request_keys;
  v_content bytea;
  v_is_stale boolean;
  v_is_intact boolean;
  v_is_judged boolean := false;
  v_is_verified boolean := false;
  v_walk patchdiff_store.walk;
  v_fault patchdiff_store.fault;
  v_members text;
  v_head text;
  v_receipt patchdiff.commit_receipt;
begin
  v_locked := patchdiff_store.lock_target(p_target);
  if v_locked.target_file_id is null then
    v_receipt.outcome := 'not_found';
    v_receipt.deduplicated := false;
    return v_receipt;
  end if;

  -- Read.
  v_record := patchdiff_store.payload_json(p_payload);
  v_format := patchdiff_store.protocol_of(v_record);
  v_container := case v_format when 'patchdiff-tx/1' then 'edits' else 'operations' end;
  if v_format = 'patchdiff-tx/3' then
    v_replacement := case jsonb_typeof(v_record #> '{operations,0,replace}')
      when 'string' then v_record #>> '{operations,0,replace}'
    end;
  elsif v_format = 'patchdiff-observed-batch/1' then
    v_observation := patchdiff_store.observation_of(p_target, v_record);
  elsif v_format <> 'unknown' and patchdiff_store.are_readable_items(p_payload, v_record -> v_container) then
    v_operations := patchdiff_store.read_operations(v_record -> v_container, v_format);
  end if;

  v_is_sound := p_is_disk or patchdiff_store.is_sound(
    p_payload, v_record, p_target, v_operations.canonical, v_operations.well_formed,
    cardinality(v_operations.operation), v_replacement);
  if not v_is_sound or p_raw_metadata is not null then
    v_envelope := patchdiff_store.envelope_of(p_payload, v_record, p_parent, p_raw_metadata);
    v_is_sound := v_is_sound and v_envelope.stored is null;
    v_record := case when v_envelope.stored is null then v_record else v_envelope.record end;
    if v_format = 'patchdiff-observed-batch/1' and v_envelope.stored is null then
      v_stored := patchdiff_store.bundle_payload(p_payload, v_observation);
    end if;
  end if;

  v_stored := coalesce(v_envelope.stored, v_stored);

  -- Identity.
  if p_parent ~* '\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z' then
    select a.pdcp_log_id, a.submission_source
    into v_row.parent_pdcp_log_id, v_row.regeneration_source
    from patchdiff_store.append_only_pdcp_logs as a
    where a.target_file_id = p_target
    and a.pdcp_log_id = p_parent::uuid
    and a.status = 'rejected';
  end if;

  v_parent := coalesce(v_row.parent_pdcp_log_id::text, p_parent);

  v_malformed := case
    when p_raw_metadata ? 'attempt' or p_attempt < 1 then 'attempt_malformed'
    when p_raw_metadata ? 'parent_pdcp_log_id' or patchdiff_store.is_blank(p_parent) then 'parent_malformed'
    when p_raw_metadata ? 'source' or not patchdiff_store.is_source(p_source) then 'source_malformed'
  end;

  v_row.target_file_id := p_target;
  v_row.before_version := v_locked.version;
  v_row.before_hash := v_locked.current_hash;
  v_row.expected_target_version := patchdiff_store.guard_version(v_record);
  v_row.expected_current_hash := patchdiff_store.guard_hash(v_record);
  v_row.regeneration_attempt := case when p_attempt >= 1 then p_attempt end;
  v_row.submission_source := case
    when p_raw_metadata ? 'source' or not patchdiff_store.is_source(p_source) then null
    else coalesce(p_source, 'model_response')
  end;
  v_row.actor := p_actor;
  v_row.protocol_version := patchdiff_store.protocol_of(v_record);
  v_row.runtime_version := patchdiff_store.runtime_version_of(v_record);
  v_row.pdcp_content_hash := patchdiff_store.sha256_hex(convert_to(v_stored, 'UTF8'));
  v_row.request_fingerprint := patchdiff_store.request_fingerprint(
    v_row, v_parent, v_envelope.evidence_format, v_envelope.evidence_sha256);
  v_row.decided_by := 'database';

  -- Guards.
  if p_client_request_id is not null then
    select k.*
    into v_key
    from patchdiff_store.request_keys as k
    where k.target_file_id = p_target
    and k.client_request_id = p_client_request_id;
    if v_key.kind = 'submission' and v_key.request_fingerprint is null then
      v_key.request_fingerprint := patchdiff_store.stored_fingerprint(p_target, v_key.log_sequence);
    end if;

    if v_key.kind = 'submission' and (
      v_key.request_fingerprint = v_row.request_fingerprint
      or (
        v_envelope.stored is not null
        and v_key.request_fingerprint = patchdiff_store.earlier_fingerprint(v_row, p_payload, v_parent, p_raw_metadata)
      )
    ) then
      return patchdiff_store.recall_attempt(v_locked, v_key.log_sequence);
    end if;
  end if;

  if v_key.kind is null and p_client_request_id ~ '\A[\x21-\x7E]{1,128}\Z' then
    v_row.client_request_id := p_client_request_id;
  end if;

  if v_key.kind is not null then
    v_fault := patchdiff_store.key_conflict(v_key, p_client_request_id);
  elsif p_client_request_id is not null and v_row.client_request_id is null
    or p_raw_metadata ? 'client_request_id'
      and not patchdiff_store.holds_unencodable(p_raw_metadata ->> 'client_request_id')
  then
    v_fault := patchdiff_store.fault_of('invalid_client_request_id');
  elsif v_envelope.failure_code = 'text_not_encodable' then
    v_fault := patchdiff_store.fault_of('text_not_encodable');
  elsif not patchdiff_store.is_blank(p_parent) and v_row.parent_pdcp_log_id is null then
    v_fault := patchdiff_store.fault_of('parent_invalid');
  elsif v_format = 'patchdiff-observed-batch/1' and v_observation is null then
    v_fault := patchdiff_store.fault_of('bundle_invalid');
  elsif v_row.expected_target_version <> v_locked.version or v_row.expected_current_hash <> v_locked.current_hash then
    v_fault := patchdiff_store.guard_fault(v_row);
  else
    -- Protocol: no base can change it.
    if v_envelope.failure_code is not null then
      v_fault := patchdiff_store.fault_of(v_envelope.failure_code);
    elsif v_observation is not null or not v_is_sound or v_malformed is not null then
      v_fault := patchdiff_store.decode_record(v_record, p_target, v_malformed, v_observation -> 'scopes');
    end if;

    v_is_judged := true;
    if v_fault.failure_reason is null then
      -- Applicability: the verdict depends on the content alone.
      v_is_stale := p_verdict = 'none' or (p_verdict <> 'derive' and p_base_hash is distinct from v_locked.current_hash);
      -- Replacing everything needs no content but its hash.
      select patchdiff_store.is_intact(v_locked, c.content), case when v_is_stale or v_replacement is null then c.content end
      into strict v_is_intact, v_content
      from (
        select convert_to(t.current_content, 'UTF8') as content
        from patchdiff_store.cloud_target_files as t
        where t.target_file_id = p_target
        offset 0
      ) as c;

      if not v_is_intact then
        v_fault := patchdiff_store.fault_of('content_diverged');
        v_is_judged := false;
        v_locked.content_chars := (
          select char_length(t.current_content)
          from patchdiff_store.cloud_target_files as t
          where t.target_file_id = p_target
        );
      elsif v_is_stale then
        return patchdiff_store.stale_receipt(v_locked, v_row.request_fingerprint, v_content);
      elsif v_observation is not null then
        v_walk := patchdiff_store.walk_bundle(
          v_content, v_locked.content_chars, v_record -> 'groups', v_observation -> 'scopes');
        v_fault := v_walk.fault;
        v_is_verified := p_verdict = 'accepted'
          and v_fault.failure_reason is null
          and v_walk.resolved_starts = p_resolved_starts
          and v_walk.after_hash = p_after_hash
          and patchdiff_store.is_canonical(p_payload, v_record);
      else
        if p_verdict = 'accepted' and (v_is_sound or patchdiff_store.is_canonical(p_payload, v_record)) then
          v_walk := case
            when v_format <> 'patchdiff-tx/3' then
              patchdiff_store.walk_claimed(v_content, v_locked.content_chars, v_operations, p_resolved_starts)
            when p_resolved_starts = '{0}' then
              patchdiff_store.walk_replacement(v_locked, v_replacement)
          end;
          v_is_verified := coalesce(v_walk.after_hash = p_after_hash, false);
        end if;

        if not v_is_verified then
          v_walk := case
            when v_format <> 'patchdiff-tx/3' then
              patchdiff_store.walk_found(v_content, v_locked.content_chars, v_operations, v_container)
            else patchdiff_store.walk_replacement(v_locked, v_replacement)
          end;
          v_fault := v_walk.fault;
        end if;
      end if;
    end if;
  end if;

  -- Claim.
  if v_is_judged and p_verdict = 'rejected' and v_fault.failure_reason is distinct from p_claimed_reason then
    v_fault := patchdiff_store.non_finite_fault(
      v_fault, coalesce(v_envelope.stored, p_payload), p_target, v_malformed, p_claimed_reason, v_observation -> 'scopes');
  end if;

  if v_is_judged and p_verdict in ('accepted', 'rejected') then
    if (case p_verdict when 'accepted' then v_is_verified else v_fault.failure_reason = p_claimed_reason end) is true then
      v_row.decided_by := 'runtime';
    else
      v_members := concat(
        ',"claimed":', patchdiff_store.claim_json(p_verdict, p_claimed_reason, p_after_hash),
        ',"derived":', patchdiff_store.claim_json(
          case when v_fault.failure_reason is null then 'accepted' else 'rejected' end,
          v_fault.failure_reason, v_walk.after_hash)
      );
      v_fault := patchdiff_store.fault_of('claim_mismatch');
      v_row.client_request_id := null;
    end if;
  end if;

  -- Write.
  if v_fault.failure_reason is null then
    v_row.status := 'accepted';
    v_row.validation_stage := 'accepted';
    v_row.after_version := v_locked.version + 1;
    v_row.after_hash := v_walk.after_hash;
    v_row.warnings := patchdiff_store.warnings_of(v_walk, v_locked.current_hash, case p_verdict
      when 'derive' then patchdiff_store.shifted_bases(v_content, v_operations, v_walk)
      else p_warnings
    end)::json;
    v_locked.version := v_row.after_version;
    v_locked.current_hash := v_row.after_hash;
    update patchdiff_store.cloud_target_files as t
    set current_content = convert_from(v_walk.after_content, 'UTF8'),
        current_hash = v_walk.after_hash,
        version = v_row.after_version,
        content_bytes = octet_length(v_walk.after_content),
        content_chars = v_walk.after_chars,
        updated_at = clock_timestamp()
    where t.target_file_id = p_target;
    -- Taken out, so that the walk can be handed on without copying it.
    v_walk.after_content := null;
  else
    v_head := patchdiff_store.head_of_content(p_target);
    if v_fault.context_kind is null then
      v_fault.context_kind := 'prefix';
      v_fault.context_start := 0;
      v_fault.context_total := v_locked.content_chars;
      v_fault.context_text := v_head;
    end if;

    v_row.status := 'rejected';
    v_row.after_version := v_locked.version;
    v_row.after_hash := v_locked.current_hash;
    v_row.failure_reason := v_fault.failure_reason;
    v_row.failure_code := v_fault.failure_code;
    v_row.failure_detail := v_fault.failure_detail;
    v_row.failed_change_id := v_fault.failed_change_id;
    v_row.validation_stage := v_fault.validation_stage;
    v_row.diagnostic_json := patchdiff_store.diagnostic_of(v_row, v_fault, concat(
      patchdiff_store.raw_values(
        v_row, p_payload, v_record, p_client_request_id, p_parent, p_attempt, p_source, p_raw_metadata),
      v_members
    ))::json;
  end if;

  v_row := patchdiff_store.append_attempt(
    v_locked, v_row, v_stored,
    case v_row.status when 'accepted' then v_record ->> 'intent' end, v_walk);
  return patchdiff_store.receipt_of(
    v_locked,
    v_row,
    case v_row.status when 'accepted' then patchdiff_store.changes_json(v_walk) end,
    v_head
  );
end;
$$;

comment on function patchdiff_store.commit_submission(
  uuid, text, text, text, integer, text, json, text, text, integer[], text, text, json, jsonb, boolean
) is 'Judges one submission under the target''s lock and records the outcome.';
