-- Appends one attempt that its owner brings in, with its ledger rows and request key, and advances head and chain: the
-- sibling of append_attempt that keeps the recorded id and time. The caller holds the target's lock and has verified
-- the row. What the database knows itself is the importer's. Refuses a key that no index can hold (PD100).
create or replace function patchdiff_store.append_import (
  p_locked patchdiff_store.locked_target,
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_payload text,
  p_intent text,
  p_walk patchdiff_store.walk
)
  returns bigint
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
  v_row.hash_version := 2;
  v_row.editing_cycle := p_locked.open_cycle;
  v_row.db_session_user := session_user;
  v_row.db_application_name := current_setting('application_name');
  v_row.db_client_addr := host(inet_client_addr());
  v_row.db_transaction_id := pg_current_xact_id()::text::bigint;
  v_row.prev_hash := p_locked.chain_head;
  v_row.change_count := coalesce(cardinality(p_walk.change_id), 0);
  v_ledger := patchdiff_store.import_ledger(v_row, p_locked.ledger_sequence, p_intent, p_walk);
  v_bytes := (
    select string_agg(patchdiff_store.ledger_encoding(l), ''::bytea order by l.ledger_sequence) from unnest(v_ledger) as l
  );
  v_row.row_hash := sha256(
    v_row.prev_hash || patchdiff_store.attempt_encoding(v_row) || patchdiff_store.import_encoding(v_row)
    || coalesce(v_bytes, ''));
  v_row.pdcp_content := p_payload;

  if v_row.client_request_id is not null then
    begin
      insert into patchdiff_store.request_keys (
        target_file_id, client_request_id, kind, request_fingerprint, log_sequence, created_at
      )
      values (
        v_row.target_file_id, v_row.client_request_id, 'submission', v_row.request_fingerprint, v_row.log_sequence,
        v_row.created_at
      );
    exception
      when program_limit_exceeded then
        raise exception 'p_client_request_id: text that an index can hold'
          using errcode = 'PD100',
                detail = json_build_object(
                  'argument', 'p_client_request_id', 'bytes', octet_length(v_row.client_request_id))::text,
                hint = 'bring the attempt in without its key; no database of this kind held such a key';
    end;
  end if;

  insert into patchdiff_store.append_only_pdcp_logs values (v_row.*);
  insert into patchdiff_store.append_only_manifest_ledger
  select l.* from unnest(v_ledger) as l;

  update patchdiff_store.target_heads as h
  set log_sequence = v_row.log_sequence,
      ledger_sequence = p_locked.ledger_sequence + v_row.change_count,
      chain_sequence = v_row.chain_sequence,
      accepted_version = case v_row.status when 'accepted' then v_row.after_version else h.accepted_version end,
      accepted_hash = case v_row.status when 'accepted' then v_row.after_hash else h.accepted_hash end,
      chain_head = v_row.row_hash
  where h.target_file_id = v_row.target_file_id;

  return v_row.log_sequence;
end;
$$;

comment on function patchdiff_store.append_import(
  patchdiff_store.locked_target, patchdiff_store.append_only_pdcp_logs, text, text, patchdiff_store.walk
) is 'Appends one attempt that its owner brings in, and advances head and chain.';
