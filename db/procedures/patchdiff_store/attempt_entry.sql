-- Attempts in the columns of patchdiff.attempt_entry: what every read of the log shows, in one place. The payload
-- comes last and is read only by a query that names it.
create or replace view patchdiff_store.attempt_entry as
select
  l.pdcp_log_id,
  l.target_file_id,
  l.log_sequence,
  l.status,
  l.decided_by,
  l.failure_reason,
  l.failure_code,
  l.failure_detail,
  l.failed_change_id,
  l.validation_stage,
  l.before_hash,
  l.after_hash,
  l.before_version,
  l.after_version,
  l.expected_target_version,
  l.expected_current_hash,
  l.change_count,
  l.pdcp_content_hash,
  l.protocol_version,
  l.runtime_version,
  l.submission_source,
  l.parent_pdcp_log_id,
  l.regeneration_attempt,
  l.regeneration_source,
  l.client_request_id,
  l.request_fingerprint::text as request_fingerprint,
  l.editing_cycle,
  l.actor,
  l.diagnostic_json as diagnostic,
  l.warnings,
  l.created_at,
  l.chain_sequence,
  encode(l.row_hash, 'hex') as row_hash,
  l.pdcp_content
from patchdiff_store.append_only_pdcp_logs as l;

comment on view patchdiff_store.attempt_entry is 'Attempts, as the reads of the log show them.';
