-- Appends one attempt, with its ledger rows when it was accepted and its request key when it has one, and advances head
-- and chain. The only writer of attempts, ledger rows, submission keys and the head's attempt columns. The caller
-- holds the target's lock and passes what lock_target answered. p_attempt carries the verdict and the identity; what
-- the database knows itself is filled in here. Answers the row as stored, its payload left null.
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
    v_ledger := array(
      select row(
        v_row.target_file_id, p_locked.ledger_sequence + c.ordinal, v_row.log_sequence, c.ordinal, c.ordinal,
        v_row.editing_cycle, c.start_byte, c.deleted_bytes, c.inserted_bytes, c.change_id, c.operation, 'typed', c.risk, c.rationale,
        coalesce(c.rationale, p_intent),
        jsonb_build_object(
          'span_start', c.span_start, 'span_end', c.span_end,
          'matched_chars', c.matched_chars, 'replacement_chars', c.replacement_chars,
          'matched_sha256', c.matched_sha256, 'replacement_sha256', c.replacement_sha256
        ),
        null, null, null, null
      )::patchdiff_store.append_only_manifest_ledger
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
  else
    v_row.change_count := 0;
  end if;

  v_row.row_hash := sha256(v_row.prev_hash || patchdiff_store.attempt_encoding(v_row) || coalesce(v_bytes, ''));
  v_row.pdcp_content := p_payload;
  insert into patchdiff_store.append_only_pdcp_logs values (v_row.*);
  v_row.pdcp_content := null;

  if v_ledger is not null then
    insert into patchdiff_store.append_only_manifest_ledger
    select l.* from unnest(v_ledger) as l;
  end if;

  if v_row.client_request_id is not null then
    insert into patchdiff_store.request_keys (
      target_file_id, client_request_id, kind, request_fingerprint, log_sequence, created_at
    )
    values (
      v_row.target_file_id, v_row.client_request_id, 'submission', v_row.request_fingerprint, v_row.log_sequence,
      v_row.created_at
    );
  end if;

  update patchdiff_store.target_heads as h
  set log_sequence = v_row.log_sequence,
      ledger_sequence = p_locked.ledger_sequence + v_row.change_count,
      chain_sequence = v_row.chain_sequence,
      accepted_version = case v_row.status when 'accepted' then v_row.after_version else h.accepted_version end,
      accepted_hash = case v_row.status when 'accepted' then v_row.after_hash else h.accepted_hash end,
      chain_head = v_row.row_hash
  where h.target_file_id = v_row.target_file_id;

  return v_row;
end;
$$;

comment on function patchdiff_store.append_attempt(
  patchdiff_store.locked_target, patchdiff_store.append_only_pdcp_logs, text, text, patchdiff_store.walk
) is 'Appends one attempt with its ledger rows and request key, and advances head and chain.';
