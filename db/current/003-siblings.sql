-- Everything beside the commit call: guards, creation, saving, publication, reading, audit.
set local role patchdiff_owner;

-- The answer of patchdiff.create_target.
create type patchdiff.target_receipt as (
  outcome text,
  target_file_id uuid,
  version bigint,
  current_hash text,
  display_name text,
  content_chars integer,
  content_bytes integer,
  created_at timestamptz,
  chain_sequence bigint,
  chain_head text
);

-- The answer of the calls that save; also what a request key of a SAVE keeps.
create type patchdiff.save_receipt as (
  outcome text,
  deduplicated boolean,
  failure_reason text,
  failure_code text,
  failure_detail text,
  version bigint,
  current_hash text,
  editing_cycle integer,
  snapshot_id uuid,
  publication_id uuid,
  created_at timestamptz,
  chain_sequence bigint,
  chain_head text,
  installation json
);

-- The answer of the calls that open and lock a publication.
create type patchdiff.publication_receipt as (
  outcome text,
  failure_reason text,
  failure_code text,
  failure_detail text,
  publication_id uuid,
  version bigint,
  current_hash text,
  workspace_root text,
  workspace_path text,
  last_synced_disk_sha256 text,
  chain_sequence bigint,
  chain_head text,
  receipt json
);

-- A target as read: everything narrow, and the content where it was asked for.
create type patchdiff.target_state as (
  target_file_id uuid,
  display_name text,
  version bigint,
  current_hash text,
  content_chars integer,
  content_bytes integer,
  status text,
  workspace_tracked boolean,
  workspace_root text,
  workspace_path text,
  last_synced_disk_sha256 text,
  last_synced_version bigint,
  source_bom boolean,
  source_line_endings jsonb,
  created_at timestamptz,
  updated_at timestamptz,
  log_sequence bigint,
  ledger_sequence bigint,
  snapshot_sequence bigint,
  publication_sequence bigint,
  open_cycle integer,
  chain_sequence bigint,
  chain_head text,
  current_content text
);

-- An attempt as read; pdcp_content is null where it was not asked for.
create type patchdiff.attempt_entry as (
  pdcp_log_id uuid,
  target_file_id uuid,
  log_sequence bigint,
  status text,
  decided_by text,
  failure_reason text,
  failure_code text,
  failure_detail text,
  failed_change_id text,
  validation_stage text,
  before_hash text,
  after_hash text,
  before_version bigint,
  after_version bigint,
  expected_target_version bigint,
  expected_current_hash text,
  change_count integer,
  pdcp_content_hash text,
  protocol_version text,
  runtime_version text,
  submission_source text,
  parent_pdcp_log_id uuid,
  regeneration_attempt integer,
  regeneration_source text,
  client_request_id text,
  request_fingerprint text,
  editing_cycle integer,
  actor json,
  diagnostic json,
  warnings json,
  created_at timestamptz,
  chain_sequence bigint,
  row_hash text,
  pdcp_content text
);

-- An accepted change as read.
create type patchdiff.ledger_entry as (
  ledger_sequence bigint,
  pdcp_log_id uuid,
  log_sequence bigint,
  ordinal integer,
  apply_ordinal integer,
  change_id text,
  operation text,
  intent text,
  rationale text,
  risk text,
  origin text,
  derived jsonb,
  before_version bigint,
  after_version bigint,
  editing_cycle integer,
  created_at timestamptz,
  input_state text,
  output_state text,
  affected_region text,
  user_visible_change text
);

-- One step of a target's history for replay: the initial snapshot (kind initial_upload, log_sequence 0), then accepted
-- attempts (kind accepted). content is the snapshot's text or the attempt's payload.
create type patchdiff.history_step as (
  target_file_id uuid,
  kind text,
  log_sequence bigint,
  pdcp_log_id uuid,
  protocol_version text,
  runtime_version text,
  before_version bigint,
  after_version bigint,
  before_hash text,
  after_hash text,
  content_hash text,
  content text
);

-- Something that the verification of a target found: where, and what is wrong. The key names the row.
create type patchdiff_store.finding as (
  table_name text,
  row_key text,
  column_name text,
  problem text
);

-- Hot pages: newest target first; attempts of one status or one payload; retries of an attempt.
create index cloud_target_files_by_age on patchdiff_store.cloud_target_files (created_at, target_file_id);
create index pdcp_logs_by_status on patchdiff_store.append_only_pdcp_logs (target_file_id, status, log_sequence);
create index pdcp_logs_by_parent on patchdiff_store.append_only_pdcp_logs (target_file_id, parent_pdcp_log_id)
  where parent_pdcp_log_id is not null;
create index pdcp_logs_by_content on patchdiff_store.append_only_pdcp_logs (target_file_id, pdcp_content_hash, log_sequence);

--! include patchdiff_store/lock_target.sql
--! include patchdiff_store/forbid_change.sql

-- Per table, so that no table is forgotten by a loop that a later migration would have to repeat.
create trigger _100_append_only before update or delete or truncate on patchdiff_store.append_only_pdcp_logs
  for each statement execute function patchdiff_store.forbid_change();
create trigger _100_append_only before update or delete or truncate on patchdiff_store.append_only_manifest_ledger
  for each statement execute function patchdiff_store.forbid_change();
create trigger _100_append_only before update or delete or truncate on patchdiff_store.target_snapshots
  for each statement execute function patchdiff_store.forbid_change();
create trigger _100_append_only before update or delete or truncate on patchdiff_store.editing_cycles
  for each statement execute function patchdiff_store.forbid_change();
create trigger _100_append_only before update or delete or truncate on patchdiff_store.workspace_publications
  for each statement execute function patchdiff_store.forbid_change();
create trigger _100_append_only before update or delete or truncate on patchdiff_store.request_keys
  for each statement execute function patchdiff_store.forbid_change();
alter table patchdiff_store.append_only_pdcp_logs enable always trigger _100_append_only;
alter table patchdiff_store.append_only_manifest_ledger enable always trigger _100_append_only;
alter table patchdiff_store.target_snapshots enable always trigger _100_append_only;
alter table patchdiff_store.editing_cycles enable always trigger _100_append_only;
alter table patchdiff_store.workspace_publications enable always trigger _100_append_only;
alter table patchdiff_store.request_keys enable always trigger _100_append_only;

-- The rows that the history hangs on change with every commit and are never removed.
create trigger _100_no_removal before delete or truncate on patchdiff_store.cloud_target_files
  for each statement execute function patchdiff_store.forbid_change();
create trigger _100_no_removal before delete or truncate on patchdiff_store.target_heads
  for each statement execute function patchdiff_store.forbid_change();
alter table patchdiff_store.cloud_target_files enable always trigger _100_no_removal;
alter table patchdiff_store.target_heads enable always trigger _100_no_removal;

--! include patchdiff_store/raise_target_not_found.sql
--! include patchdiff_store/check_digest.sql
--! include patchdiff_store/check_claim.sql
--! include patchdiff_store/check_save.sql
--! include patchdiff_store/check_creation.sql
--! include patchdiff_store/page_limit.sql
--! include patchdiff_store/genesis_hash.sql
--! include patchdiff_store/snapshot_encoding.sql
--! include patchdiff_store/publication_encoding.sql
--! include patchdiff_store/append_snapshot.sql
--! include patchdiff_store/append_publication.sql
--! include patchdiff_store/source_facts.sql
--! include patchdiff_store/file_key.sql
--! include patchdiff_store/bind_target.sql
--! include patchdiff_store/divergence.sql
--! include patchdiff_store/save_fault.sql
--! include patchdiff_store/save_fingerprint.sql
--! include patchdiff_store/save_answer.sql
--! include patchdiff_store/recall_save.sql
--! include patchdiff_store/remember_save.sql
--! include patchdiff_store/publication_answer.sql
--! include patchdiff_store/publication_moved.sql
--! include patchdiff_store/intent_moved.sql
--! include patchdiff_store/publication_intent.sql
--! include patchdiff_store/check_outcome.sql
--! include patchdiff_store/check_publication_open.sql
--! include patchdiff_store/checkpoint_publication.sql
--! include patchdiff_store/target_state.sql
--! include patchdiff_store/attempt_entry.sql

--! include patchdiff/create_target.sql
--! include patchdiff/save_target.sql
--! include patchdiff/open_publication.sql
--! include patchdiff/lock_publication.sql
--! include patchdiff/record_publication.sql
--! include patchdiff/list_targets.sql
--! include patchdiff/read_target.sql
--! include patchdiff/read_head.sql
--! include patchdiff/read_attempts.sql
--! include patchdiff/read_attempt.sql
--! include patchdiff/read_ledger.sql
--! include patchdiff/find_binding.sql
--! include patchdiff/read_open_publications.sql
--! include patchdiff/lock_history.sql

--! include patchdiff_store/apply_attempt.sql
--! include patchdiff_store/reconstruct.sql
--! include patchdiff_store/verify_chain.sql
--! include patchdiff_store/verify_attempts.sql
--! include patchdiff_store/verify_ledger.sql
--! include patchdiff_store/verify_snapshots.sql
--! include patchdiff_store/verify_publications.sql
--! include patchdiff_store/verify_keys.sql
--! include patchdiff_store/verify_save_keys.sql
--! include patchdiff_store/verify_splice.sql
--! include patchdiff_store/verify_attempt_replay.sql
--! include patchdiff_store/verify_replay.sql
--! include patchdiff_store/verify_target.sql

--! include patchdiff_audit/targets.sql
--! include patchdiff_audit/attempts.sql
--! include patchdiff_audit/changes.sql
--! include patchdiff_audit/cycles.sql
--! include patchdiff_audit/publications.sql
--! include patchdiff_audit/reconstruct.sql
--! include patchdiff_audit/version_at.sql
--! include patchdiff_audit/chain_head.sql
--! include patchdiff_audit/retry_tree.sql
--! include patchdiff_audit/verify_target.sql
--! include patchdiff_audit/verify_all.sql

reset role;
