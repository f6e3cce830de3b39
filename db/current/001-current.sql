-- The open migration: one include per changed routine, then grants.
select patchdiff_guard.guard_ddl(false);
set local role patchdiff_owner;
-- Attempts that their owner brings in. Rows of before hold both checks by their nature, so nothing is scanned.
alter table patchdiff_store.append_only_pdcp_logs add column if not exists imported_at timestamptz;
comment on column patchdiff_store.append_only_pdcp_logs.imported_at is
  'When the owner brought the attempt in (docs/spec/import.md); null for one that was recorded as it happened.';
alter table patchdiff_store.append_only_pdcp_logs drop constraint if exists pdcp_logs_imported_in_format_2;
alter table patchdiff_store.append_only_pdcp_logs
  add constraint pdcp_logs_imported_in_format_2 check ((hash_version = 2) = (imported_at is not null)) not valid;
-- Null: the attempt was recorded without one, and its key is compared with what its payload says.
-- squawk-ignore ban-drop-not-null
alter table patchdiff_store.request_keys alter column request_fingerprint drop not null;
alter table patchdiff_store.request_keys drop constraint if exists request_keys_save_has_fingerprint;
alter table patchdiff_store.request_keys
  add constraint request_keys_save_has_fingerprint check (kind = 'submission' or request_fingerprint is not null) not valid;
comment on column patchdiff_store.request_keys.request_fingerprint is
  'What the key stands for; null for a submission that was brought in and recorded without one.';

--! include patchdiff_store/are_warnings.sql
--! include patchdiff_store/holds_unencodable.sql
--! include patchdiff_store/nests_beyond.sql
--! include patchdiff_store/payload_json.sql
--! include patchdiff_store/is_json.sql
--! include patchdiff_store/fits_parameter.sql
--! include patchdiff_store/is_raw_metadata.sql
--! include patchdiff_store/check_commit_call.sql
--! include patchdiff_store/claimed_reason.sql
--! include patchdiff_store/attempt_encoding.sql
--! include patchdiff_store/ledger_encoding.sql
--! include patchdiff_store/ledger_row.sql
--! include patchdiff_store/append_attempt.sql
--! include patchdiff_store/changes_json.sql
--! include patchdiff_store/claim_json.sql
--! include patchdiff_store/failure_words.sql
--! include patchdiff_store/fault_of.sql
--! include patchdiff_store/is_blank.sql
--! include patchdiff_store/is_source.sql
--! include patchdiff_store/decode_item.sql
--! include patchdiff_store/decode_record.sql
--! include patchdiff_store/non_finite_fault.sql
--! include patchdiff_store/diagnostic_of.sql
--! include patchdiff_store/ascii_json.sql
--! include patchdiff_store/is_json_object.sql
--! include patchdiff_store/mark_unencodable.sql
--! include patchdiff_store/runtime_version_of.sql
--! include patchdiff_store/sha256_hex.sql
--! include patchdiff_store/envelope_of.sql
--! include patchdiff_store/guard_fault.sql
--! include patchdiff_store/head_of_content.sql
--! include patchdiff_store/canonical_record.sql
--! include patchdiff_store/canonical_object.sql
--! include patchdiff_store/is_canonical.sql
--! include patchdiff_store/is_sound.sql
--! include patchdiff_store/key_conflict.sql
--! include patchdiff_store/raw_member.sql
--! include patchdiff_store/raw_values.sql
--! include patchdiff_store/lf.sql
--! include patchdiff_store/are_readable_items.sql
--! include patchdiff_store/canonical_item.sql
--! include patchdiff_store/is_well_formed.sql
--! include patchdiff_store/read_plain_item.sql
--! include patchdiff_store/read_operations.sql
--! include patchdiff_store/changes_of.sql
--! include patchdiff_store/receipt_of.sql
--! include patchdiff_store/recall_attempt.sql
--! include patchdiff_store/representable_json.sql
--! include patchdiff_store/record_fingerprint.sql
--! include patchdiff_store/earlier_fingerprint.sql
--! include patchdiff_store/stored_fingerprint.sql
--! include patchdiff_store/request_fingerprint.sql
--! include patchdiff_store/stale_receipt.sql
--! include patchdiff_store/common_run.sql
--! include patchdiff_store/next_long_occurrence.sql
--! include patchdiff_store/next_occurrence.sql
--! include patchdiff_store/is_absent.sql
--! include patchdiff_store/last_occurrence.sql
--! include patchdiff_store/scan_occurrences.sql
--! include patchdiff_store/nth_occurrence.sql
--! include patchdiff_store/prefix_chars.sql
--! include patchdiff_store/is_only_at.sql
--! include patchdiff_store/walk_of.sql
--! include patchdiff_store/walk_single.sql
--! include patchdiff_store/walk_each.sql
--! include patchdiff_store/is_intact.sql
--! include patchdiff_store/walk_masked.sql
--! include patchdiff_store/walk_claimed.sql
--! include patchdiff_store/consumer_of.sql
--! include patchdiff_store/cut_context.sql
--! include patchdiff_store/candidates_evidence.sql
--! include patchdiff_store/resolve_match.sql
--! include patchdiff_store/prefix_bytes.sql
--! include patchdiff_store/span_holds.sql
--! include patchdiff_store/span_fault.sql
--! include patchdiff_store/walk_found.sql
--! include patchdiff_store/walk_replacement.sql
--! include patchdiff_store/warnings_of.sql
--! include patchdiff_store/commit_submission.sql
--! include patchdiff_store/lock_target.sql
--! include patchdiff_store/raise_target_not_found.sql
--! include patchdiff_store/check_digest.sql
--! include patchdiff_store/check_claim.sql
--! include patchdiff_store/check_save.sql
--! include patchdiff_store/check_creation.sql
--! include patchdiff_store/page_limit.sql
--! include patchdiff_store/genesis_hash.sql
--! include patchdiff_store/snapshot_encoding.sql
--! include patchdiff_store/append_snapshot.sql
--! include patchdiff_store/append_publication.sql
--! include patchdiff_store/source_facts.sql
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
--! include patchdiff_store/apply_attempt.sql
--! include patchdiff_store/reconstruct.sql
--! include patchdiff_store/import_encoding.sql
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
--! include patchdiff_store/observe_target.sql
--! include patchdiff/preview_facts.sql
--! include patchdiff/preview_recovery.sql
--! include patchdiff_store/import_profile.sql
--! include patchdiff_store/import_item_fault.sql
--! include patchdiff_store/import_record_fault.sql
--! include patchdiff_store/import_match_start.sql
--! include patchdiff_store/walk_profile.sql
--! include patchdiff_store/import_evidence.sql
--! include patchdiff_store/refuse_import.sql
--! include patchdiff_store/check_import_call.sql
--! include patchdiff_store/check_import_place.sql
--! include patchdiff_store/check_import_rejection.sql
--! include patchdiff_store/import_walk.sql
--! include patchdiff_store/import_ledger.sql
--! include patchdiff_store/append_import.sql
--! include patchdiff_store/import_attempt.sql
--! include patchdiff_audit/attempts.sql
--! include patchdiff_audit/version_at.sql
--! include patchdiff_store/target_head.sql
--! include patchdiff/read_head.sql
--! include patchdiff/read_target.sql
--! include patchdiff/list_targets.sql
--! include patchdiff/read_recent_changes.sql

grant execute on function patchdiff.read_recent_changes(uuid, bigint, integer) to patchdiff_writer;
grant select on patchdiff_store.target_head to patchdiff_auditor;

grant execute on all routines in schema patchdiff to patchdiff_writer;
reset role;
select patchdiff_guard.guard_ddl(true);
