-- What every schema, table, column, type and index is for; docs/spec/data-model.md can be generated from it. Routines and
-- views carry their comments in their own files.
set local role patchdiff_owner;

comment on schema patchdiff is 'What a client calls: routines that lock, judge, record and read. Executable by patchdiff_writer.';
comment on schema patchdiff_audit is
  'What a DBA reads: views of the history and functions that rebuild and verify it, by SQL alone.';
comment on schema patchdiff_store is 'Tables, guards and helpers. No client touches them; patchdiff_auditor may read the tables.';

comment on table patchdiff_store.cloud_target_files is
  'The documents under authority: one row a target, its content the only authoritative copy.';
comment on column patchdiff_store.cloud_target_files.target_file_id is 'Identity of the target.';
comment on column patchdiff_store.cloud_target_files.display_name is 'A name for people; nothing depends on it.';
comment on column patchdiff_store.cloud_target_files.current_hash is
  'SHA-256 of the UTF-8 of current_content, as 64 lowercase hexadecimal digits.';
comment on column patchdiff_store.cloud_target_files.version is 'Number of accepted attempts: 0 at creation, one more with each.';
comment on column patchdiff_store.cloud_target_files.content_bytes is 'Size of current_content in UTF-8 bytes.';
comment on column patchdiff_store.cloud_target_files.content_chars is 'Length of current_content in code points.';
comment on column patchdiff_store.cloud_target_files.status is 'Always active; room for later states.';
comment on column patchdiff_store.cloud_target_files.workspace_tracked is 'Whether the target is bound to a workspace file.';
comment on column patchdiff_store.cloud_target_files.workspace_root_identity is
  'Canonical path of the workspace root it is bound in.';
comment on column patchdiff_store.cloud_target_files.workspace_path is 'Real path of its file within the workspace root.';
comment on column patchdiff_store.cloud_target_files.last_synced_disk_sha256 is
  'SHA-256 of the file as last imported or published; null when it was never on disk.';
comment on column patchdiff_store.cloud_target_files.last_synced_version is 'The version that the file then held.';
comment on column patchdiff_store.cloud_target_files.source_bom is
  'Whether the file began with a byte order mark, to be restored on publication.';
comment on column patchdiff_store.cloud_target_files.source_line_endings is
  'Facts about the raw import: style, counts, sizes, digest. Null: unknown. Never evaluated by replay.';
comment on column patchdiff_store.cloud_target_files.created_at is 'When the target was created.';
comment on column patchdiff_store.cloud_target_files.updated_at is 'When the row last changed.';
comment on column patchdiff_store.cloud_target_files.current_content is 'The content: canonical text, LF line ends only.';

comment on table patchdiff_store.target_heads is
  'One narrow row a target, updated by every append: the ends of its sequences and of its chain.';
comment on column patchdiff_store.target_heads.log_sequence is 'log_sequence of the last attempt; 0: none.';
comment on column patchdiff_store.target_heads.ledger_sequence is 'ledger_sequence of the last accepted change; 0: none.';
comment on column patchdiff_store.target_heads.snapshot_sequence is 'snapshot_sequence of the last snapshot.';
comment on column patchdiff_store.target_heads.publication_sequence is 'publication_sequence of the last publication row; 0: none.';
comment on column patchdiff_store.target_heads.chain_sequence is 'chain_sequence of the last row of the chain.';
comment on column patchdiff_store.target_heads.open_cycle is 'The open editing cycle.';
comment on column patchdiff_store.target_heads.accepted_version is
  'The version after the last accepted attempt: a target row that differs has diverged.';
comment on column patchdiff_store.target_heads.accepted_hash is 'The content hash after the last accepted attempt.';
comment on column patchdiff_store.target_heads.chain_head is 'row_hash of the last row of the chain.';
comment on column patchdiff_store.target_heads.target_file_id is 'The target.';

comment on table patchdiff_store.append_only_pdcp_logs is
  'Append-only: every attempt at a known target, accepted or rejected, with its exact payload.';
comment on column patchdiff_store.append_only_pdcp_logs.log_sequence is 'Place among the targets attempts, from 1 without a gap.';
comment on column patchdiff_store.append_only_pdcp_logs.pdcp_log_id is 'Identity of the attempt.';
comment on column patchdiff_store.append_only_pdcp_logs.created_at is 'When it was recorded (clock_timestamp, under the lock).';
comment on column patchdiff_store.append_only_pdcp_logs.before_version is 'The targets version when it was judged.';
comment on column patchdiff_store.append_only_pdcp_logs.after_version is
  'The version after it: one more when accepted, the same when rejected.';
comment on column patchdiff_store.append_only_pdcp_logs.expected_target_version is
  'The version guard of the payload; null: none, or malformed.';
comment on column patchdiff_store.append_only_pdcp_logs.editing_cycle is 'The editing cycle that was open.';
comment on column patchdiff_store.append_only_pdcp_logs.regeneration_attempt is 'The submissions retry counter, a claim.';
comment on column patchdiff_store.append_only_pdcp_logs.change_count is 'Number of its ledger rows; 0 when rejected.';
comment on column patchdiff_store.append_only_pdcp_logs.parent_pdcp_log_id is
  'The rejected attempt of the same target that this one retries.';
comment on column patchdiff_store.append_only_pdcp_logs.status is 'accepted or rejected.';
comment on column patchdiff_store.append_only_pdcp_logs.decided_by is
  'runtime when the callers claim agreed with the databases own reading, else database.';
comment on column patchdiff_store.append_only_pdcp_logs.failure_reason is 'Why it was rejected; null when accepted.';
comment on column patchdiff_store.append_only_pdcp_logs.failure_code is 'The particular fault behind the reason.';
comment on column patchdiff_store.append_only_pdcp_logs.failed_change_id is 'The change that failed, where one did.';
comment on column patchdiff_store.append_only_pdcp_logs.failure_detail is 'The fault in words.';
comment on column patchdiff_store.append_only_pdcp_logs.validation_stage is
  'How far it came: precondition_guard, protocol_validation, transaction_applicability, commit_guard or accepted.';
comment on column patchdiff_store.append_only_pdcp_logs.before_hash is 'Content hash before.';
comment on column patchdiff_store.append_only_pdcp_logs.after_hash is 'Content hash after; when rejected that before.';
comment on column patchdiff_store.append_only_pdcp_logs.expected_current_hash is
  'The hash guard of the payload; null: none, or malformed.';
comment on column patchdiff_store.append_only_pdcp_logs.pdcp_content_hash is 'SHA-256 of the payloads UTF-8.';
comment on column patchdiff_store.append_only_pdcp_logs.protocol_version is 'The transaction format.';
comment on column patchdiff_store.append_only_pdcp_logs.runtime_version is 'The frozen profile it was judged under.';
comment on column patchdiff_store.append_only_pdcp_logs.submission_source is 'What the caller says the submission comes from.';
comment on column patchdiff_store.append_only_pdcp_logs.regeneration_source is 'The parent attempts submission_source.';
comment on column patchdiff_store.append_only_pdcp_logs.client_request_id is
  'The request key that stands for this attempt; null: none.';
comment on column patchdiff_store.append_only_pdcp_logs.request_fingerprint is 'Identity of what the request key stands for.';
comment on column patchdiff_store.append_only_pdcp_logs.diagnostic_json is 'Evidence of a rejection. JSON text as built.';
comment on column patchdiff_store.append_only_pdcp_logs.warnings is 'Advice stored with an accepted attempt. JSON text.';
comment on column patchdiff_store.append_only_pdcp_logs.pdcp_content is
  'The payload: the submitted record in canonical JSON, or an envelope of evidence.';
comment on column patchdiff_store.append_only_pdcp_logs.target_file_id is 'The target.';
comment on column patchdiff_store.append_only_pdcp_logs.chain_sequence is 'Place in the targets hash chain, from 1 without a gap.';
comment on column patchdiff_store.append_only_pdcp_logs.hash_version is 'The chain format that the row was hashed in; 1.';
comment on column patchdiff_store.append_only_pdcp_logs.db_session_user is 'The login that called, as the database knows it.';
comment on column patchdiff_store.append_only_pdcp_logs.db_application_name is
  'application_name of the connection: set by the client, hence a claim.';
comment on column patchdiff_store.append_only_pdcp_logs.db_client_addr is 'Address of the client, null for a local socket.';
comment on column patchdiff_store.append_only_pdcp_logs.db_transaction_id is 'The transaction that wrote the row.';
comment on column patchdiff_store.append_only_pdcp_logs.prev_hash is
  'row_hash of the row before in the chain; of the first row: the genesis hash of the target.';
comment on column patchdiff_store.append_only_pdcp_logs.row_hash is 'SHA-256 over prev_hash and the encoding of the row.';
comment on column patchdiff_store.append_only_pdcp_logs.actor is
  'Who the caller says is acting (host, agent, session): a claim. JSON text as received.';

comment on table patchdiff_store.append_only_manifest_ledger is
  'Append-only: every accepted change with the facts that the database derived for it.';
comment on column patchdiff_store.append_only_manifest_ledger.ledger_sequence is
  'Place among the targets accepted changes, from 1 without a gap.';
comment on column patchdiff_store.append_only_manifest_ledger.log_sequence is 'The attempt it belongs to.';
comment on column patchdiff_store.append_only_manifest_ledger.ordinal is 'Place in the submission, from 1.';
comment on column patchdiff_store.append_only_manifest_ledger.apply_ordinal is 'Place in the order of application, from 1.';
comment on column patchdiff_store.append_only_manifest_ledger.editing_cycle is 'The editing cycle that was open.';
comment on column patchdiff_store.append_only_manifest_ledger.start_byte is
  'First byte of the splice in the buffer at application.';
comment on column patchdiff_store.append_only_manifest_ledger.deleted_bytes is 'UTF-8 bytes that the splice removed.';
comment on column patchdiff_store.append_only_manifest_ledger.inserted_bytes is
  'UTF-8 bytes that the splice put in; the text is in the payload, by ordinal.';
comment on column patchdiff_store.append_only_manifest_ledger.change_id is 'The changes id, given or by position.';
comment on column patchdiff_store.append_only_manifest_ledger.operation is 'match, span or replace_all.';
comment on column patchdiff_store.append_only_manifest_ledger.origin is 'How the replacement came about; typed.';
comment on column patchdiff_store.append_only_manifest_ledger.risk is 'low, medium or high, a claim.';
comment on column patchdiff_store.append_only_manifest_ledger.rationale is 'The changes own rationale, null when it gave none.';
comment on column patchdiff_store.append_only_manifest_ledger.intent is 'The changes rationale, else the transactions intent.';
comment on column patchdiff_store.append_only_manifest_ledger.derived_json is
  'The six facts in code points: span_start, span_end, matched_chars, replacement_chars, matched_sha256, replacement_sha256.';
comment on column patchdiff_store.append_only_manifest_ledger.input_state is 'Only in rows of imported history.';
comment on column patchdiff_store.append_only_manifest_ledger.output_state is 'Only in rows of imported history.';
comment on column patchdiff_store.append_only_manifest_ledger.affected_region is 'Only in rows of imported history.';
comment on column patchdiff_store.append_only_manifest_ledger.user_visible_change is 'Only in rows of imported history.';
comment on column patchdiff_store.append_only_manifest_ledger.target_file_id is 'The target.';

comment on table patchdiff_store.request_keys is
  'Append-only: what each request key of a target stands for, for submissions and SAVEs alike.';
comment on column patchdiff_store.request_keys.client_request_id is 'The request key, exactly as sent.';
comment on column patchdiff_store.request_keys.kind is 'submission or save.';
comment on column patchdiff_store.request_keys.request_fingerprint is 'Identity of what the key stands for.';
comment on column patchdiff_store.request_keys.log_sequence is 'The attempt of a submission.';
comment on column patchdiff_store.request_keys.save_receipt is 'The receipt of a SAVE.';
comment on column patchdiff_store.request_keys.created_at is 'When the key was first used.';
comment on column patchdiff_store.request_keys.target_file_id is 'The target.';

comment on table patchdiff_store.target_snapshots is
  'Append-only: stored full contents, the initial upload and the checkpoints of SAVE.';
comment on column patchdiff_store.target_snapshots.snapshot_sequence is 'Place among the targets snapshots, from 1 without a gap.';
comment on column patchdiff_store.target_snapshots.snapshot_id is 'Identity of the snapshot.';
comment on column patchdiff_store.target_snapshots.created_at is 'When it was taken.';
comment on column patchdiff_store.target_snapshots.version is 'The version whose content it holds.';
comment on column patchdiff_store.target_snapshots.editing_cycle is 'The editing cycle that begins with it.';
comment on column patchdiff_store.target_snapshots.kind is 'initial_upload or save_checkpoint.';
comment on column patchdiff_store.target_snapshots.content_hash is 'SHA-256 of the contents UTF-8.';
comment on column patchdiff_store.target_snapshots.source_sha256 is 'SHA-256 of the raw import, of an initial upload.';
comment on column patchdiff_store.target_snapshots.client_request_id is 'The request key of the SAVE that took it, if it had one.';
comment on column patchdiff_store.target_snapshots.request_fingerprint is 'Identity of what that key stands for.';
comment on column patchdiff_store.target_snapshots.content is 'The content: canonical text.';
comment on column patchdiff_store.target_snapshots.target_file_id is 'The target.';
comment on column patchdiff_store.target_snapshots.chain_sequence is 'Place in the targets hash chain, from 1 without a gap.';
comment on column patchdiff_store.target_snapshots.hash_version is 'The chain format that the row was hashed in; 1.';
comment on column patchdiff_store.target_snapshots.db_session_user is 'The login that called, as the database knows it.';
comment on column patchdiff_store.target_snapshots.db_application_name is
  'application_name of the connection: set by the client, hence a claim.';
comment on column patchdiff_store.target_snapshots.db_client_addr is 'Address of the client, null for a local socket.';
comment on column patchdiff_store.target_snapshots.db_transaction_id is 'The transaction that wrote the row.';
comment on column patchdiff_store.target_snapshots.prev_hash is
  'row_hash of the row before in the chain; of the first row: the genesis hash of the target.';
comment on column patchdiff_store.target_snapshots.row_hash is 'SHA-256 over prev_hash and the encoding of the row.';
comment on column patchdiff_store.target_snapshots.actor is
  'Who the caller says is acting (host, agent, session): a claim. JSON text as received.';

comment on table patchdiff_store.editing_cycles is
  'Append-only: the stretches between two SAVEs. A cycle ends where the next ones row begins, so nothing is updated.';
comment on column patchdiff_store.editing_cycles.editing_cycle is 'Number of the cycle, from 1 without a gap.';
comment on column patchdiff_store.editing_cycles.opened_at is 'When it began.';
comment on column patchdiff_store.editing_cycles.opened_at_version is 'The version it began with.';
comment on column patchdiff_store.editing_cycles.snapshot_sequence is 'The snapshot it began with.';
comment on column patchdiff_store.editing_cycles.target_file_id is 'The target.';

comment on table patchdiff_store.workspace_publications is
  'Append-only: intents to write a version to its workspace file, and the outcome of each.';
comment on column patchdiff_store.workspace_publications.publication_sequence is
  'Place among the targets publication rows, from 1 without a gap.';
comment on column patchdiff_store.workspace_publications.publication_id is 'Identity of the row.';
comment on column patchdiff_store.workspace_publications.intent_publication_id is
  'The intent that an outcome closes; null in an intent.';
comment on column patchdiff_store.workspace_publications.created_at is 'When the row was written.';
comment on column patchdiff_store.workspace_publications.version is 'The version to be written.';
comment on column patchdiff_store.workspace_publications.editing_cycle is 'The editing cycle that was open.';
comment on column patchdiff_store.workspace_publications.kind is 'intent, or the outcome: published, rejected, superseded.';
comment on column patchdiff_store.workspace_publications.content_hash is 'Content hash of the version.';
comment on column patchdiff_store.workspace_publications.expected_disk_sha256 is
  'Digest the file must have before; null: it must not exist.';
comment on column patchdiff_store.workspace_publications.observed_disk_sha256 is 'Digest the file was found to have.';
comment on column patchdiff_store.workspace_publications.written_sha256 is 'Digest of the bytes to be written.';
comment on column patchdiff_store.workspace_publications.written_bytes is 'Number of bytes to be written.';
comment on column patchdiff_store.workspace_publications.workspace_root_identity is 'Canonical path of the workspace root.';
comment on column patchdiff_store.workspace_publications.workspace_path is 'Path of the file within the root.';
comment on column patchdiff_store.workspace_publications.client_request_id is
  'The request key of the SAVE: in an intent the one it was opened with, in an outcome the one that it settled.';
comment on column patchdiff_store.workspace_publications.request_fingerprint is 'Identity of what that key stands for.';
comment on column patchdiff_store.workspace_publications.detail is
  'The guards of an intent; what an outcome has to say. JSON text as received.';
comment on column patchdiff_store.workspace_publications.target_file_id is 'The target.';
comment on column patchdiff_store.workspace_publications.chain_sequence is 'Place in the targets hash chain, from 1 without a gap.';
comment on column patchdiff_store.workspace_publications.hash_version is 'The chain format that the row was hashed in; 1.';
comment on column patchdiff_store.workspace_publications.db_session_user is 'The login that called, as the database knows it.';
comment on column patchdiff_store.workspace_publications.db_application_name is
  'application_name of the connection: set by the client, hence a claim.';
comment on column patchdiff_store.workspace_publications.db_client_addr is 'Address of the client, null for a local socket.';
comment on column patchdiff_store.workspace_publications.db_transaction_id is 'The transaction that wrote the row.';
comment on column patchdiff_store.workspace_publications.prev_hash is
  'row_hash of the row before in the chain; of the first row: the genesis hash of the target.';
comment on column patchdiff_store.workspace_publications.row_hash is 'SHA-256 over prev_hash and the encoding of the row.';
comment on column patchdiff_store.workspace_publications.actor is
  'Who the caller says is acting (host, agent, session): a claim. JSON text as received.';

comment on table patchdiff_store.workspace_bindings is
  'Which target a workspace file belongs to: one target a file. The only lookup by path.';
comment on column patchdiff_store.workspace_bindings.file_key is 'SHA-256 over root, NUL and path: both may be longer than an index takes.';
comment on column patchdiff_store.workspace_bindings.workspace_root is 'Canonical path of the workspace root.';
comment on column patchdiff_store.workspace_bindings.workspace_path is 'Real path of the file within the root.';
comment on column patchdiff_store.workspace_bindings.root_device is 'Device of the root when bound: informs, never decides.';
comment on column patchdiff_store.workspace_bindings.root_inode is 'Inode of the root when bound: informs, never decides.';
comment on column patchdiff_store.workspace_bindings.bound_at is 'When the file was bound.';
comment on column patchdiff_store.workspace_bindings.target_file_id is 'The target.';

comment on type patchdiff_store.locked_target is 'A locked target: the narrow columns of its row and its head.';
comment on type patchdiff_store.fault is 'One fault of a submission or a SAVE; every field null: none.';
comment on type patchdiff_store.operations is 'The edits or operations of one record, as parallel arrays.';
comment on type patchdiff_store.envelope is 'How a payload is stored that is no plain record.';
comment on type patchdiff_store.walk is 'What an accepted walk derived: parallel arrays, one element a change.';
comment on type patchdiff_store.finding is 'Something that the verification of a target found.';
comment on type patchdiff.commit_receipt is 'The answer of patchdiff.commit_attempt.';
comment on type patchdiff.target_receipt is 'The answer of patchdiff.create_target.';
comment on type patchdiff.save_receipt is 'The answer of the calls that save.';
comment on type patchdiff.publication_receipt is 'The answer of the calls that open and lock a publication.';
comment on type patchdiff.target_state is 'A target as read.';
comment on type patchdiff.attempt_entry is 'An attempt as read.';
comment on type patchdiff.ledger_entry is 'An accepted change as read.';
comment on type patchdiff.history_step is 'One step of a targets history for replay.';

comment on index patchdiff_store.uq_pdcp_logs_target_client_request_id is
  'Backstop behind request_keys: a key stands for one attempt of a target.';
comment on index patchdiff_store.pdcp_logs_by_id is 'Finds an attempt by its id alone.';
comment on index patchdiff_store.pdcp_logs_accepted_version is 'Finds the accepted attempt that made a version.';
comment on index patchdiff_store.manifest_ledger_by_attempt is 'Finds the changes of an attempt.';
comment on index patchdiff_store.target_snapshots_by_version is 'Finds the nearest snapshot at or before a version.';
comment on index patchdiff_store.workspace_publications_one_outcome is 'An intent has at most one outcome.';
comment on index patchdiff_store.cloud_target_files_by_age is 'Pages of targets, newest first.';
comment on index patchdiff_store.pdcp_logs_by_status is 'Pages of attempts of one status.';
comment on index patchdiff_store.pdcp_logs_by_parent is 'Finds the retries of an attempt.';
comment on index patchdiff_store.pdcp_logs_by_content is 'Finds the attempts with one payload.';
comment on trigger _100_append_only on patchdiff_store.append_only_pdcp_logs is
  'Refuses UPDATE, DELETE and TRUNCATE, also under session_replication_role = replica.';
comment on trigger _100_append_only on patchdiff_store.append_only_manifest_ledger is
  'Refuses UPDATE, DELETE and TRUNCATE, also under session_replication_role = replica.';
comment on trigger _100_append_only on patchdiff_store.target_snapshots is
  'Refuses UPDATE, DELETE and TRUNCATE, also under session_replication_role = replica.';
comment on trigger _100_append_only on patchdiff_store.editing_cycles is
  'Refuses UPDATE, DELETE and TRUNCATE, also under session_replication_role = replica.';
comment on trigger _100_append_only on patchdiff_store.workspace_publications is
  'Refuses UPDATE, DELETE and TRUNCATE, also under session_replication_role = replica.';
comment on trigger _100_append_only on patchdiff_store.request_keys is
  'Refuses UPDATE, DELETE and TRUNCATE, also under session_replication_role = replica.';

comment on trigger _100_no_removal on patchdiff_store.cloud_target_files is
  'Refuses DELETE and TRUNCATE, also under session_replication_role = replica.';
comment on trigger _100_no_removal on patchdiff_store.target_heads is
  'Refuses DELETE and TRUNCATE, also under session_replication_role = replica.';

reset role;
