-- Every accepted change with the facts derived for it: where in the buffer at its application (code points), how much
-- was replaced by how much, and the hashes of both. Filter by target_file_id and ledger_sequence for a page.
-- actor_… and actor are what the caller claims to be, db_… is what the database saw, imported_at as in the view attempts.
-- Four members of the actor have columns of their own, null where its text could not be read: no row may spoil a page.
create or replace view patchdiff_audit.changes as
select
  g.target_file_id,
  g.ledger_sequence,
  l.created_at,
  l.pdcp_log_id,
  g.log_sequence,
  g.ordinal,
  g.apply_ordinal,
  g.change_id,
  g.operation,
  g.intent,
  g.rationale,
  g.risk,
  g.origin,
  l.before_version,
  l.after_version,
  g.editing_cycle,
  (g.derived_json -> 'span_start')::integer as span_start,
  (g.derived_json -> 'span_end')::integer as span_end,
  (g.derived_json -> 'matched_chars')::integer as matched_chars,
  (g.derived_json -> 'replacement_chars')::integer as replacement_chars,
  g.derived_json ->> 'matched_sha256' as matched_sha256,
  g.derived_json ->> 'replacement_sha256' as replacement_sha256,
  r.actor ->> 'host' as actor_host,
  r.actor ->> 'agent' as actor_agent,
  r.actor ->> 'session' as actor_session,
  l.submission_source,
  l.db_session_user,
  r.actor ->> 'host_version' as actor_host_version,
  l.actor,
  l.db_application_name,
  l.db_client_addr,
  l.db_transaction_id,
  l.imported_at
from patchdiff_store.append_only_manifest_ledger as g
join patchdiff_store.append_only_pdcp_logs as l
  on l.target_file_id = g.target_file_id and l.log_sequence = g.log_sequence
cross join lateral (
  select case when pg_input_is_valid(l.actor::text, 'jsonb') then l.actor end as actor
) as r;

comment on view patchdiff_audit.changes is 'Every accepted change with the facts derived for it.';
