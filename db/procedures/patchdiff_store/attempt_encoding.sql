-- The bytes of an attempt that its row_hash covers, in chain format 1: record_send of the columns in this order, text as
-- UTF-8 bytes and JSON as received, so nothing of TimeZone, DateStyle or client_encoding shows. The payload stands
-- for itself by pdcp_content_hash, which verify_target recomputes. It inlines, so the payload is not read.
create or replace function patchdiff_store.attempt_encoding (
  p_row patchdiff_store.append_only_pdcp_logs
)
  returns bytea
  language sql
  stable
as $$
  select pg_catalog.record_send(row(
    p_row.target_file_id,
    p_row.chain_sequence,
    p_row.hash_version,
    p_row.log_sequence,
    p_row.pdcp_log_id,
    p_row.created_at,
    p_row.before_version,
    p_row.after_version,
    p_row.expected_target_version,
    p_row.editing_cycle,
    p_row.regeneration_attempt,
    p_row.change_count,
    p_row.parent_pdcp_log_id,
    pg_catalog.convert_to(p_row.status, 'UTF8'),
    pg_catalog.convert_to(p_row.decided_by, 'UTF8'),
    pg_catalog.convert_to(p_row.failure_reason, 'UTF8'),
    pg_catalog.convert_to(p_row.failure_code, 'UTF8'),
    pg_catalog.convert_to(p_row.failed_change_id, 'UTF8'),
    pg_catalog.convert_to(p_row.failure_detail, 'UTF8'),
    pg_catalog.convert_to(p_row.validation_stage, 'UTF8'),
    pg_catalog.convert_to(p_row.before_hash, 'UTF8'),
    pg_catalog.convert_to(p_row.after_hash, 'UTF8'),
    pg_catalog.convert_to(p_row.expected_current_hash, 'UTF8'),
    pg_catalog.convert_to(p_row.pdcp_content_hash, 'UTF8'),
    pg_catalog.convert_to(p_row.protocol_version, 'UTF8'),
    pg_catalog.convert_to(p_row.runtime_version, 'UTF8'),
    pg_catalog.convert_to(p_row.submission_source, 'UTF8'),
    pg_catalog.convert_to(p_row.regeneration_source, 'UTF8'),
    pg_catalog.convert_to(p_row.client_request_id, 'UTF8'),
    pg_catalog.convert_to(p_row.request_fingerprint, 'UTF8'),
    pg_catalog.convert_to(p_row.db_session_user, 'UTF8'),
    pg_catalog.convert_to(p_row.db_application_name, 'UTF8'),
    pg_catalog.convert_to(p_row.db_client_addr, 'UTF8'),
    p_row.db_transaction_id,
    pg_catalog.convert_to(p_row.actor::pg_catalog.text, 'UTF8'),
    pg_catalog.convert_to(p_row.diagnostic_json::pg_catalog.text, 'UTF8'),
    pg_catalog.convert_to(p_row.warnings::pg_catalog.text, 'UTF8')
  ))
$$;

comment on function patchdiff_store.attempt_encoding(patchdiff_store.append_only_pdcp_logs) is
  'The bytes of an attempt row that its row_hash covers, before those of its ledger rows, in chain format 1.';
