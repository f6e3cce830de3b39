-- Appends one attempt, with its ledger rows when it was accepted and its request key when it has one, and advances head
-- and chain. The only writer of attempts, ledger rows, submission keys and the head's attempt columns. The caller
-- holds the target's lock and passes what lock_target answered. p_attempt carries the verdict and the identity; what
-- the database knows itself is filled in here. Answers the row as stored, its payload left null. Whoever has subscribed is
-- notified of an acceptance when it is committed.
create or replace function patchdiff_store.append_attempt (
  p_locked patchdiff_store.locked_target,
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_payload text,
  p_intent text,
  p_walk patchdiff_store.walk
)
  returns patchdiff_store.append_only_pdcp_logs
  language plpgsql
  volatile
as $$
declare
  v_row patchdiff_store.append_only_pdcp_logs := p_attempt;
  v_ledger patchdiff_store.append_only_manifest_ledger[];
  v_bytes bytea;
begin
  v_row.log_sequence := p_locked.log_sequence + 1;
  v_row.chain_sequence := p_locked.chain_sequence + 1;
  v_row.hash_version := 1;
  v_row.pdcp_log_id := gen_random_uuid();
  v_row.created_at := clock_timestamp();
  v_row.editing_cycle := p_locked.open_cycle;
  v_row.db_session_user := session_user;
  v_row.db_application_name := current_setting('application_name');
  v_row.db_client_addr := host(inet_client_addr());
  v_row.db_transaction_id := pg_current_xact_id()::text::bigint;
  v_row.prev_hash := p_locked.chain_head;

  if v_row.status = 'accepted' then
    v_row.change_count := cardinality(p_walk.change_id);
    if p_walk.ordinal is not null then
      v_ledger := array(select b from patchdiff_store.bundle_ledger(v_row, p_locked.ledger_sequence, p_intent, p_walk) as b);
      v_bytes := (
        select string_agg(patchdiff_store.ledger_encoding(l), ''::bytea order by l.ledger_sequence) from unnest(v_ledger) as l
      );
    elsif v_row.change_count = 1 then
      -- The commonest case, without a query.
      v_ledger := array[patchdiff_store.ledger_row(
        v_row, p_locked.ledger_sequence + 1, 1, p_intent, p_walk.change_id[1], p_walk.operation[1], p_walk.rationale[1],
        p_walk.risk[1], p_walk.span_start[1], p_walk.span_end[1], p_walk.matched_chars[1], p_walk.replacement_chars[1],
        p_walk.matched_sha256[1], p_walk.replacement_sha256[1], p_walk.start_byte[1], p_walk.deleted_bytes[1],
        p_walk.inserted_bytes[1])];
      v_bytes := patchdiff_store.ledger_encoding(v_ledger[1]);
    else
      v_ledger := array(
        select patchdiff_store.ledger_row(
          v_row, p_locked.ledger_sequence + c.ordinal, c.ordinal::integer, p_intent, c.change_id, c.operation, c.rationale,
          c.risk, c.span_start, c.span_end, c.matched_chars, c.replacement_chars, c.matched_sha256, c.replacement_sha256,
          c.start_byte, c.deleted_bytes, c.inserted_bytes)
        from unnest(
          p_walk.change_id, p_walk.operation, p_walk.rationale, p_walk.risk, p_walk.span_start, p_walk.span_end,
          p_walk.matched_chars, p_walk.replacement_chars, p_walk.matched_sha256, p_walk.replacement_sha256,
          p_walk.start_byte, p_walk.deleted_bytes, p_walk.inserted_bytes
        ) with ordinality as c(
          change_id, operation, rationale, risk, span_start, span_end, matched_chars, replacement_chars,
          matched_sha256, replacement_sha256, start_byte, deleted_bytes, inserted_bytes, ordinal
        )
        order by c.ordinal
      );
      v_bytes := (
        select string_agg(patchdiff_store.ledger_encoding(l), ''::bytea order by l.ledger_sequence) from unnest(v_ledger) as l
      );
    end if;
  else
    v_row.change_count := 0;
  end if;

  v_row.row_hash := sha256(v_row.prev_hash || patchdiff_store.attempt_encoding(v_row) || coalesce(v_bytes, ''));

  -- One statement for all that is appended: five would cost as much again. Foreign keys are checked at its end.
  with attempt as (
    insert into patchdiff_store.append_only_pdcp_logs (
      target_file_id, log_sequence, pdcp_log_id, created_at, chain_sequence, hash_version, before_version,
      after_version, expected_target_version, editing_cycle, regeneration_attempt, change_count, parent_pdcp_log_id,
      status, decided_by, failure_reason, failure_code, failed_change_id, failure_detail, validation_stage,
      before_hash, after_hash, expected_current_hash, pdcp_content_hash, protocol_version, runtime_version,
      submission_source, regeneration_source, client_request_id, request_fingerprint, db_session_user,
      db_application_name, db_client_addr, db_transaction_id, prev_hash, row_hash, actor, diagnostic_json, warnings,
      pdcp_content
    )
    values (
      v_row.target_file_id, v_row.log_sequence, v_row.pdcp_log_id, v_row.created_at, v_row.chain_sequence,
      v_row.hash_version, v_row.before_version, v_row.after_version, v_row.expected_target_version,
      v_row.editing_cycle, v_row.regeneration_attempt, v_row.change_count, v_row.parent_pdcp_log_id, v_row.status,
      v_row.decided_by, v_row.failure_reason, v_row.failure_code, v_row.failed_change_id, v_row.failure_detail,
      v_row.validation_stage, v_row.before_hash, v_row.after_hash, v_row.expected_current_hash,
      v_row.pdcp_content_hash, v_row.protocol_version, v_row.runtime_version, v_row.submission_source,
      v_row.regeneration_source, v_row.client_request_id, v_row.request_fingerprint, v_row.db_session_user,
      v_row.db_application_name, v_row.db_client_addr, v_row.db_transaction_id, v_row.prev_hash, v_row.row_hash,
      v_row.actor, v_row.diagnostic_json, v_row.warnings, p_payload
    )
  ),
  ledger as (
    insert into patchdiff_store.append_only_manifest_ledger
    select l.* from unnest(v_ledger) as l
  ),
  remembered as (
    insert into patchdiff_store.request_keys (
      target_file_id, client_request_id, kind, request_fingerprint, log_sequence, created_at
    )
    select
      v_row.target_file_id, v_row.client_request_id, 'submission', v_row.request_fingerprint, v_row.log_sequence,
      v_row.created_at
    where v_row.client_request_id is not null
  )
  update patchdiff_store.target_heads as h
  set log_sequence = v_row.log_sequence,
      ledger_sequence = p_locked.ledger_sequence + v_row.change_count,
      chain_sequence = v_row.chain_sequence,
      accepted_version = case v_row.status when 'accepted' then v_row.after_version else h.accepted_version end,
      accepted_hash = case v_row.status when 'accepted' then v_row.after_hash else h.accepted_hash end,
      chain_head = v_row.row_hash
  where h.target_file_id = v_row.target_file_id;

  -- Sent when the caller's transaction commits, ids only. A notification makes commits wait for one another, so none is
  -- sent while nobody has asked for it.
  if v_row.status = 'accepted' and exists (
    select from patchdiff_store.commit_subscriptions as s where s.expires_at > v_row.created_at
  ) then
    perform pg_notify('patchdiff_commits', concat(
      '{"target_file_id":"', v_row.target_file_id,
      '","pdcp_log_id":"', v_row.pdcp_log_id,
      '","version":', v_row.after_version, '}'
    ));
  end if;

  return v_row;
end;
$$;

comment on function patchdiff_store.append_attempt(
  patchdiff_store.locked_target, patchdiff_store.append_only_pdcp_logs, text, text, patchdiff_store.walk
) is 'Appends one attempt with its ledger rows and request key, and advances head and chain.';
