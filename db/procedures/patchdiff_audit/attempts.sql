-- Every attempt, accepted and rejected, without its payload. Filter by target_file_id and log_sequence for a page.
-- imported_at is null for an attempt that was recorded as it happened; of one that its owner brought in, the db_ columns
-- are the importer's.
-- Who it was stands twice and is never mixed: actor_… and actor are what the caller claims to be, db_… is what the database saw.
-- Four members of the actor have columns of their own, null where its text could not be read: no row may spoil a page.
create or replace view patchdiff_audit.attempts as
select
  l.target_file_id,
  l.log_sequence,
  l.pdcp_log_id,
  l.created_at,
  l.status,
  l.failure_reason,
  l.failure_code,
  l.failure_detail,
  l.failed_change_id,
  l.validation_stage,
  l.decided_by,
  l.before_version,
  l.after_version,
  l.before_hash,
  l.after_hash,
  l.expected_target_version,
  l.expected_current_hash,
  l.change_count,
  l.editing_cycle,
  l.protocol_version,
  l.runtime_version,
  l.submission_source,
  l.parent_pdcp_log_id,
  l.regeneration_attempt,
  l.regeneration_source,
  l.client_request_id,
  l.request_fingerprint,
  l.pdcp_content_hash,
  r.actor ->> 'host' as actor_host,
  r.actor ->> 'agent' as actor_agent,
  r.actor ->> 'session' as actor_session,
  l.actor,
  l.diagnostic_json as diagnostic,
  l.warnings,
  l.db_session_user,
  l.db_application_name,
  l.db_client_addr,
  l.db_transaction_id,
  l.chain_sequence,
  encode(l.row_hash, 'hex') as row_hash,
  l.imported_at,
  r.actor ->> 'host_version' as actor_host_version
from patchdiff_store.append_only_pdcp_logs as l
cross join lateral (
  select case when pg_input_is_valid(l.actor::text, 'jsonb') then l.actor end as actor
) as r;

comment on view patchdiff_audit.attempts is 'Every attempt, accepted and rejected, without its payload.';
