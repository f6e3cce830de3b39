-- The open migration: one include per changed routine, then grants.
select patchdiff_guard.guard_ddl(false);
set local role patchdiff_owner;
-- New tables, columns and includes of changed routines stand here, in an order in which they can be created.
comment on column patchdiff_store.append_only_pdcp_logs.log_sequence is 'Place among the target''s attempts, from 1 without a gap.';
comment on column patchdiff_store.append_only_pdcp_logs.before_version is 'The target''s version when it was judged.';
comment on column patchdiff_store.append_only_pdcp_logs.regeneration_attempt is 'The submission''s retry counter, a claim.';
comment on column patchdiff_store.append_only_pdcp_logs.decided_by is 'runtime when the caller''s claim agreed with the database''s own reading, else database.';
comment on column patchdiff_store.append_only_pdcp_logs.pdcp_content_hash is 'SHA-256 of the payload''s UTF-8.';
comment on column patchdiff_store.append_only_pdcp_logs.regeneration_source is 'The parent attempt''s submission_source.';
comment on column patchdiff_store.append_only_pdcp_logs.chain_sequence is 'Place in the target''s hash chain, from 1 without a gap.';
comment on column patchdiff_store.append_only_manifest_ledger.ledger_sequence is 'Place among the target''s accepted changes, from 1 without a gap.';
comment on column patchdiff_store.append_only_manifest_ledger.change_id is 'The change''s id, given or by position.';
comment on column patchdiff_store.append_only_manifest_ledger.rationale is 'The change''s own rationale, null when it gave none.';
comment on column patchdiff_store.append_only_manifest_ledger.intent is 'The change''s rationale, else the transaction''s intent.';
comment on column patchdiff_store.target_snapshots.snapshot_sequence is 'Place among the target''s snapshots, from 1 without a gap.';
comment on column patchdiff_store.target_snapshots.content_hash is 'SHA-256 of the content''s UTF-8.';
comment on column patchdiff_store.target_snapshots.chain_sequence is 'Place in the target''s hash chain, from 1 without a gap.';
comment on column patchdiff_store.workspace_publications.publication_sequence is 'Place among the target''s publication rows, from 1 without a gap.';
comment on column patchdiff_store.workspace_publications.chain_sequence is 'Place in the target''s hash chain, from 1 without a gap.';
comment on type patchdiff.history_step is 'One step of a target''s history for replay.';
--! include patchdiff/read_attempts.sql
--! include patchdiff/read_ledger.sql

-- Who wants to be told of commits. No part of the history: rows come, are renewed and go.
create table if not exists patchdiff_store.commit_subscriptions (
  db_session_user text collate "C" not null,
  subscriber text collate "C" not null,
  expires_at timestamptz not null,
  constraint commit_subscriptions_pkey primary key (db_session_user, subscriber)
);
create index if not exists commit_subscriptions_expires_at on patchdiff_store.commit_subscriptions (expires_at);
comment on index patchdiff_store.commit_subscriptions_expires_at is
  'The one look of every acceptance: whether any lease is still running.';
comment on table patchdiff_store.commit_subscriptions is
  'Who wants to be told of commits, and until when. No part of the history: rows come, are renewed and go.';
comment on column patchdiff_store.commit_subscriptions.db_session_user is 'The login that asked, as the database knows it.';
comment on column patchdiff_store.commit_subscriptions.subscriber is 'The name under which it asked, its own.';
comment on column patchdiff_store.commit_subscriptions.expires_at is 'When the lease ends; from then on the row counts no more.';
--! include patchdiff_store/lock_stale_subscriptions.sql
--! include patchdiff_store/check_subscription.sql
--! include patchdiff_store/check_subscriptions_left.sql
--! include patchdiff_store/append_attempt.sql
--! include patchdiff/subscribe_commits.sql
--! include patchdiff/unsubscribe_commits.sql
--! include patchdiff_store/number_json.sql
--! include patchdiff_store/canonical_json.sql
--! include patchdiff_store/unmark_unencodable.sql
--! include patchdiff_store/direct_record.sql
--! include patchdiff_store/direct_operations.sql
--! include patchdiff_store/shifted_bases.sql
drop function if exists patchdiff_store.commit_submission(
  uuid, text, text, text, integer, text, json, text, text, integer[], text, text, json, jsonb
);
--! include patchdiff_store/commit_submission.sql
--! include patchdiff_store/check_direct_call.sql
--! include patchdiff_store/commit_direct.sql
--! include patchdiff/commit_match.sql
--! include patchdiff/commit_spans.sql
--! include patchdiff/commit_replacement.sql
grant execute on function
  patchdiff.commit_match(uuid, text, text, text, bigint, text, bigint, text, text, text, text, text, text, text, integer, text, json),
  patchdiff.commit_spans(uuid, json, text, bigint, text, text, text, integer, text, json),
  patchdiff.commit_replacement(uuid, text, text, bigint, text, text, text, integer, text, json)
to patchdiff_writer;
grant usage on schema patchdiff to patchdiff_auditor;
grant execute on function
  patchdiff.subscribe_commits(text, interval),
  patchdiff.unsubscribe_commits(text)
to patchdiff_writer, patchdiff_auditor;
grant select on table patchdiff_store.commit_subscriptions to patchdiff_auditor;
--! include patchdiff_store/holds_exponent.sql
--! include patchdiff_store/check_claim.sql
--! include patchdiff_store/check_commit_call.sql
--! include patchdiff_store/check_import_call.sql
--! include patchdiff_store/import_attempt.sql
comment on column patchdiff_store.append_only_pdcp_logs.hash_version is 'The chain format that the row was hashed in: 1, or 2 for one that was brought in.';
comment on column patchdiff_store.target_snapshots.hash_version is 'The chain format that the row was hashed in: 1, or 2 with creation.';
-- What a creation fixed and the key of a SAVE become rows of the chain. Rows of before hold the checks by their nature, so
-- nothing is scanned.
alter table patchdiff_store.target_snapshots add column if not exists creation json;
comment on column patchdiff_store.target_snapshots.creation is
  'Of an initial snapshot in chain format 2: what the creation fixed, by column of the target and its binding. Null else.';
alter table patchdiff_store.target_snapshots drop constraint if exists target_snapshots_creation_in_format_2;
alter table patchdiff_store.target_snapshots
  add constraint target_snapshots_creation_in_format_2 check ((hash_version = 2) = (creation is not null)) not valid;
alter table patchdiff_store.request_keys add column if not exists chain_sequence bigint;
comment on column patchdiff_store.request_keys.chain_sequence is
  'Of the key of a SAVE: place in the chain of the target. Null for a submission, whose attempt is chained.';
alter table patchdiff_store.request_keys add column if not exists hash_version integer;
comment on column patchdiff_store.request_keys.hash_version is 'Of the key of a SAVE: the format of row_hash.';
alter table patchdiff_store.request_keys add column if not exists prev_hash bytea;
comment on column patchdiff_store.request_keys.prev_hash is 'Of the key of a SAVE: the row_hash before it in the chain.';
alter table patchdiff_store.request_keys add column if not exists row_hash bytea;
comment on column patchdiff_store.request_keys.row_hash is 'Of the key of a SAVE: SHA-256 over prev_hash and the encoded row.';
alter table patchdiff_store.request_keys drop constraint if exists request_keys_chained_save;
alter table patchdiff_store.request_keys
  add constraint request_keys_chained_save check (
    num_nonnulls(chain_sequence, hash_version, prev_hash, row_hash) = 0
    or (kind = 'save' and num_nulls(chain_sequence, hash_version, prev_hash, row_hash) = 0)
  ) not valid;
-- Which ending each line of a file of mixed line ends has.
alter table patchdiff_store.cloud_target_files add column if not exists eol_runs jsonb;
comment on column patchdiff_store.cloud_target_files.eol_runs is
  'The ending of each line as last imported or written, as runs [["crlf", 3], ["lf", 1]]. Null: the style of source_line_endings holds for all, or, where that is mixed or null, they are unknown.';
alter table patchdiff_store.cloud_target_files add column if not exists eol_version bigint;
comment on column patchdiff_store.cloud_target_files.eol_version is 'The version whose lines eol_runs describes; null without runs.';
alter table patchdiff_store.cloud_target_files drop constraint if exists cloud_target_files_eol_version;
alter table patchdiff_store.cloud_target_files
  add constraint cloud_target_files_eol_version check ((eol_runs is null) = (eol_version is null)) not valid;
--! include patchdiff_store/eol_runs_fault.sql
--! include patchdiff_store/eol_runs_of.sql
--! include patchdiff_store/restored_text.sql
--! include patchdiff_store/source_facts.sql
--! include patchdiff_store/source_runs.sql
--! include patchdiff_store/check_written_runs.sql
--! include patchdiff_store/checkpoint_publication.sql
--! include patchdiff/create_target.sql
drop function if exists patchdiff.open_publication(uuid, bigint, text, bigint, text, text, text, bigint, json, text);
--! include patchdiff/open_publication.sql
--! include patchdiff/read_line_endings.sql
--! include patchdiff/read_history.sql
grant execute on function
  patchdiff.open_publication(uuid, bigint, text, bigint, text, text, text, bigint, json, text, jsonb),
  patchdiff.read_line_endings(uuid, bigint),
  patchdiff.read_history(uuid, bigint, integer)
to patchdiff_writer;
-- A file that others changed is adopted: a row of the same sequence that closes no intent.
alter table patchdiff_store.workspace_publications drop constraint if exists workspace_publications_kind_check;
alter table patchdiff_store.workspace_publications
  add constraint workspace_publications_kind_check
  check (kind in ('intent', 'published', 'rejected', 'superseded', 'adopted')) not valid;
alter table patchdiff_store.workspace_publications drop constraint if exists workspace_publications_check;
alter table patchdiff_store.workspace_publications
  add constraint workspace_publications_check
  check ((kind in ('intent', 'adopted')) = (intent_publication_id is null)) not valid;
comment on column patchdiff_store.workspace_publications.kind is
  'intent, or its outcome: published, rejected, superseded; or what closes none: adopted.';
comment on column patchdiff_store.workspace_publications.version is
  'The version to be written; of an adoption the one that the file made.';
comment on column patchdiff_store.workspace_publications.written_sha256 is 'Digest of the bytes to be written, or of those that stood in the file.';
comment on column patchdiff_store.workspace_publications.written_bytes is 'Number of bytes to be written, or of those that stood in the file.';
--! include patchdiff_store/check_publication_open.sql
--! include patchdiff_store/check_bound.sql
--! include patchdiff_store/check_adoption.sql
--! include patchdiff_store/supersede_publications.sql
--! include patchdiff_store/record_adoption.sql
--! include patchdiff/adopt_disk.sql
grant execute on function patchdiff.adopt_disk(uuid, text, jsonb, jsonb, bigint, text, json) to patchdiff_writer;
--! include patchdiff_store/creation_facts.sql
--! include patchdiff_store/creation_encoding.sql
--! include patchdiff_store/append_snapshot.sql
--! include patchdiff_store/key_encoding.sql
--! include patchdiff_store/remember_save.sql
--! include patchdiff_store/is_mentioned.sql
--! include patchdiff_store/missing_rows.sql
--! include patchdiff_store/verify_missing.sql
--! include patchdiff_store/verify_creation.sql
--! include patchdiff_store/verify_chain.sql
--! include patchdiff_store/verify_attempts.sql
--! include patchdiff_store/verify_ledger.sql
--! include patchdiff_store/verify_splice.sql
--! include patchdiff_store/verify_snapshots.sql
--! include patchdiff_store/verify_publications.sql
--! include patchdiff_store/verify_keys.sql
--! include patchdiff_store/verify_save_keys.sql
--! include patchdiff_store/verify_target.sql
--! include patchdiff_audit/verify_all.sql
--! include patchdiff_store/common_prefix.sql
--! include patchdiff_store/common_suffix.sql
--! include patchdiff_store/line_start.sql
--! include patchdiff_store/is_line_start.sql
--! include patchdiff_store/differing_lines.sql
--! include patchdiff_store/lines_of.sql
--! include patchdiff_store/matched_lines.sql
--! include patchdiff_store/line_changes.sql
--! include patchdiff_store/written_range.sql
--! include patchdiff_store/raise_history_diverged.sql
--! include patchdiff_store/check_version.sql
--! include patchdiff_store/reconstruct.sql
--! include patchdiff_store/verify_line_endings.sql
--! include patchdiff_store/written_ranges.sql
--! include patchdiff_store/line_writers.sql
--! include patchdiff_store/blame_lines.sql
--! include patchdiff_store/unified_diff.sql
--! include patchdiff_store/diff_name.sql
--! include patchdiff_audit/targets.sql
--! include patchdiff_audit/attempts.sql
--! include patchdiff_audit/changes.sql
--! include patchdiff_audit/cycles.sql
--! include patchdiff_audit/publications.sql
--! include patchdiff_audit/adoptions.sql
--! include patchdiff_audit/open_publications.sql
--! include patchdiff_audit/blame.sql
--! include patchdiff_audit/diff.sql
--! include patchdiff_audit/changes_between.sql
-- A default and a row type are part of a function that only a new one can change.
drop function if exists patchdiff_audit.reconstruct(uuid, bigint);
drop function if exists patchdiff_audit.retry_tree(uuid);
--! include patchdiff_audit/reconstruct.sql
--! include patchdiff_audit/retry_tree.sql
--! include patchdiff_audit/version_at.sql
grant select on patchdiff_audit.adoptions, patchdiff_audit.open_publications to patchdiff_writer, patchdiff_auditor;
grant execute on all routines in schema patchdiff_audit to patchdiff_writer, patchdiff_auditor;
reset role;
--! include patchdiff_guard/forbid_ddl.sql
select patchdiff_guard.guard_ddl(true);
