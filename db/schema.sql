-- Generated from the catalog by `npm run db:schema`: what db/committed and db/current build. Not a script to run.

-- Schemas
schema patchdiff owner patchdiff_owner
schema patchdiff_audit owner patchdiff_owner
schema patchdiff_guard owner <the migrating login>
schema patchdiff_store owner patchdiff_owner

-- Composite types
type patchdiff.attempt_entry (
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
  created_at timestamp with time zone,
  chain_sequence bigint,
  row_hash text,
  pdcp_content text
)
type patchdiff.commit_receipt (
  outcome text,
  deduplicated boolean,
  pdcp_log_id uuid,
  log_sequence bigint,
  before_version bigint,
  after_version bigint,
  before_hash text,
  after_hash text,
  current_version bigint,
  current_hash text,
  validation_stage text,
  decided_by text,
  failure_reason text,
  failure_code text,
  failure_detail text,
  failed_change_id text,
  request_fingerprint text,
  created_at timestamp with time zone,
  changes json,
  warnings json,
  diagnostic json,
  current_context json,
  current_content text
)
type patchdiff.history_step (
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
)
type patchdiff.ledger_entry (
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
  created_at timestamp with time zone,
  input_state text,
  output_state text,
  affected_region text,
  user_visible_change text
)
type patchdiff.publication_receipt (
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
)
type patchdiff.save_receipt (
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
  created_at timestamp with time zone,
  chain_sequence bigint,
  chain_head text,
  installation json
)
type patchdiff.target_receipt (
  outcome text,
  target_file_id uuid,
  version bigint,
  current_hash text,
  display_name text,
  content_chars integer,
  content_bytes integer,
  created_at timestamp with time zone,
  chain_sequence bigint,
  chain_head text
)
type patchdiff.target_state (
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
  created_at timestamp with time zone,
  updated_at timestamp with time zone,
  log_sequence bigint,
  ledger_sequence bigint,
  snapshot_sequence bigint,
  publication_sequence bigint,
  open_cycle integer,
  chain_sequence bigint,
  chain_head text,
  current_content text
)
type patchdiff_store.envelope (
  stored text,
  evidence_format text,
  evidence_sha256 text,
  failure_code text,
  record jsonb
)
type patchdiff_store.fault (
  failure_reason text,
  failure_code text,
  validation_stage text,
  failed_change_id text,
  failure_detail text,
  path text,
  ordinal integer,
  prior_changes integer,
  context_kind text,
  context_start integer,
  context_total integer,
  context_text text,
  evidence text
)
type patchdiff_store.finding (
  table_name text,
  row_key text,
  column_name text,
  problem text
)
type patchdiff_store.locked_target (
  target_file_id uuid,
  display_name text,
  version bigint,
  current_hash text,
  content_bytes integer,
  content_chars integer,
  workspace_tracked boolean,
  workspace_root_identity text,
  workspace_path text,
  last_synced_disk_sha256 text,
  last_synced_version bigint,
  source_bom boolean,
  created_at timestamp with time zone,
  log_sequence bigint,
  ledger_sequence bigint,
  snapshot_sequence bigint,
  publication_sequence bigint,
  chain_sequence bigint,
  open_cycle integer,
  accepted_version bigint,
  accepted_hash text,
  chain_head bytea
)
type patchdiff_store.operations (
  canonical text,
  well_formed boolean,
  operation text[],
  change_id text[],
  rationale text[],
  risk text[],
  matched text[],
  replacement text[],
  occurrence_index bigint[],
  anchor_before text[],
  anchor_after text[],
  span_start bigint[],
  span_end bigint[],
  expected_before text[],
  expected_after text[]
)
type patchdiff_store.walk (
  fault patchdiff_store.fault,
  after_content bytea,
  after_chars integer,
  after_hash text,
  change_id text[],
  operation text[],
  rationale text[],
  risk text[],
  span_start integer[],
  span_end integer[],
  matched_chars integer[],
  replacement_chars integer[],
  matched_sha256 text[],
  replacement_sha256 text[],
  start_byte integer[],
  deleted_bytes integer[],
  inserted_bytes integer[],
  ordinal integer[],
  scope_id text[],
  scope_span_start integer[],
  scope_span_end integer[],
  resolved_starts integer[]
)

-- Tables
table patchdiff_store.append_only_manifest_ledger owner patchdiff_owner with () (
  target_file_id uuid not null,
  ledger_sequence bigint not null,
  log_sequence bigint not null,
  ordinal integer not null,
  apply_ordinal integer not null,
  editing_cycle integer not null,
  start_byte integer not null,
  deleted_bytes integer not null,
  inserted_bytes integer not null,
  change_id text collate "C" not null,
  operation text not null,
  origin text not null default 'typed'::text,
  risk text,
  rationale text,
  intent text not null,
  derived_json jsonb not null,
  input_state text,
  output_state text,
  affected_region text,
  user_visible_change text
)
table patchdiff_store.append_only_pdcp_logs owner patchdiff_owner with () (
  target_file_id uuid not null,
  log_sequence bigint not null,
  pdcp_log_id uuid not null,
  created_at timestamp with time zone not null,
  chain_sequence bigint not null,
  hash_version integer not null,
  before_version bigint not null,
  after_version bigint not null,
  expected_target_version bigint,
  editing_cycle integer not null,
  regeneration_attempt integer,
  change_count integer not null,
  parent_pdcp_log_id uuid,
  status text not null,
  decided_by text not null,
  failure_reason text,
  failure_code text,
  failed_change_id text,
  failure_detail text,
  validation_stage text not null,
  before_hash text collate "C" not null,
  after_hash text collate "C" not null,
  expected_current_hash text collate "C",
  pdcp_content_hash text collate "C" not null,
  protocol_version text not null,
  runtime_version text not null,
  submission_source text,
  regeneration_source text,
  client_request_id text collate "C",
  request_fingerprint character varying(64) collate "C",
  db_session_user text not null,
  db_application_name text not null,
  db_client_addr text,
  db_transaction_id bigint not null,
  prev_hash bytea not null,
  row_hash bytea not null,
  actor json,
  diagnostic_json json,
  warnings json,
  pdcp_content text collate "C" not null storage external,
  imported_at timestamp with time zone
)
table patchdiff_store.cloud_target_files owner patchdiff_owner with (fillfactor=70, toast.autovacuum_vacuum_scale_factor=0.02, toast.autovacuum_vacuum_threshold=2000) (
  target_file_id uuid not null,
  display_name text not null,
  current_hash text collate "C" not null,
  version bigint not null,
  content_bytes integer not null,
  content_chars integer not null,
  status text not null default 'active'::text,
  workspace_tracked boolean not null default false,
  workspace_root_identity text,
  workspace_path text,
  last_synced_disk_sha256 text collate "C",
  last_synced_version bigint,
  source_bom boolean not null default false,
  source_line_endings jsonb,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  current_content text collate "C" not null storage external,
  eol_runs jsonb,
  eol_version bigint
)
table patchdiff_store.commit_subscriptions owner patchdiff_owner with () (
  db_session_user text collate "C" not null,
  subscriber text collate "C" not null,
  expires_at timestamp with time zone not null
)
table patchdiff_store.editing_cycles owner patchdiff_owner (
  target_file_id uuid not null,
  editing_cycle integer not null,
  opened_at timestamp with time zone not null,
  opened_at_version bigint not null,
  snapshot_sequence bigint not null
)
table patchdiff_store.observed_scopes owner patchdiff_owner with () (
  target_file_id uuid not null,
  scope_sequence bigint not null,
  observation_sequence bigint not null,
  ordinal integer not null,
  start_char integer not null,
  end_char integer not null,
  start_byte integer not null,
  end_byte integer not null,
  first_line integer not null,
  last_line integer not null,
  scope_id text collate "C" not null,
  kind text not null,
  name text not null,
  qualified_path text not null,
  scope_sha256 text collate "C" not null,
  scope_text text not null storage external
)
table patchdiff_store.request_keys owner patchdiff_owner with () (
  target_file_id uuid not null,
  client_request_id text collate "C" not null,
  kind text not null,
  request_fingerprint character varying(64) collate "C",
  log_sequence bigint,
  save_receipt json,
  created_at timestamp with time zone not null,
  chain_sequence bigint,
  hash_version integer,
  prev_hash bytea,
  row_hash bytea
)
table patchdiff_store.scope_observations owner patchdiff_owner with () (
  target_file_id uuid not null,
  observation_sequence bigint not null,
  bundle_id uuid not null,
  created_at timestamp with time zone not null,
  chain_sequence bigint not null,
  hash_version integer not null,
  version bigint not null,
  content_hash text collate "C" not null,
  editing_cycle integer not null,
  scope_count integer not null,
  has_errors boolean not null,
  language text,
  grammar_name text not null,
  grammar_version text not null,
  grammar_sha256 text collate "C",
  db_session_user text not null,
  db_application_name text not null,
  db_client_addr text,
  db_transaction_id bigint not null,
  prev_hash bytea not null,
  row_hash bytea not null,
  actor json
)
table patchdiff_store.target_heads owner patchdiff_owner with (fillfactor=50) (
  target_file_id uuid not null,
  log_sequence bigint not null,
  ledger_sequence bigint not null,
  snapshot_sequence bigint not null,
  publication_sequence bigint not null,
  chain_sequence bigint not null,
  open_cycle integer not null,
  accepted_version bigint not null,
  accepted_hash text collate "C" not null,
  chain_head bytea not null,
  observation_sequence bigint not null default 0,
  scope_sequence bigint not null default 0
)
table patchdiff_store.target_snapshots owner patchdiff_owner with () (
  target_file_id uuid not null,
  snapshot_sequence bigint not null,
  snapshot_id uuid not null,
  created_at timestamp with time zone not null,
  chain_sequence bigint not null,
  hash_version integer not null,
  version bigint not null,
  editing_cycle integer not null,
  kind text not null,
  content_hash text collate "C" not null,
  source_sha256 text collate "C",
  client_request_id text collate "C",
  request_fingerprint character varying(64) collate "C",
  db_session_user text not null,
  db_application_name text not null,
  db_client_addr text,
  db_transaction_id bigint not null,
  prev_hash bytea not null,
  row_hash bytea not null,
  actor json,
  content text collate "C" not null storage external,
  creation json
)
table patchdiff_store.workspace_bindings owner patchdiff_owner with () (
  file_key bytea not null,
  workspace_root text collate "C" not null,
  workspace_path text collate "C" not null,
  target_file_id uuid not null,
  root_device text not null,
  root_inode text not null,
  bound_at timestamp with time zone not null
)
table patchdiff_store.workspace_publications owner patchdiff_owner with () (
  target_file_id uuid not null,
  publication_sequence bigint not null,
  publication_id uuid not null,
  intent_publication_id uuid,
  created_at timestamp with time zone not null,
  chain_sequence bigint not null,
  hash_version integer not null,
  version bigint not null,
  editing_cycle integer not null,
  kind text not null,
  content_hash text collate "C" not null,
  expected_disk_sha256 text collate "C",
  observed_disk_sha256 text collate "C",
  written_sha256 text collate "C",
  written_bytes bigint,
  workspace_root_identity text not null,
  workspace_path text not null,
  client_request_id text collate "C",
  request_fingerprint character varying(64) collate "C",
  db_session_user text not null,
  db_application_name text not null,
  db_client_addr text,
  db_transaction_id bigint not null,
  prev_hash bytea not null,
  row_hash bytea not null,
  actor json,
  detail json
)

-- Constraints
constraint append_only_manifest_ledger_operation_check on patchdiff_store.append_only_manifest_ledger: CHECK ((operation = ANY (ARRAY['match'::text, 'span'::text, 'replace_all'::text])))
constraint append_only_manifest_ledger_origin_check on patchdiff_store.append_only_manifest_ledger: CHECK ((origin = 'typed'::text))
constraint append_only_manifest_ledger_pkey on patchdiff_store.append_only_manifest_ledger: PRIMARY KEY (target_file_id, ledger_sequence)
constraint append_only_manifest_ledger_target_file_id_log_sequence_fkey on patchdiff_store.append_only_manifest_ledger: FOREIGN KEY (target_file_id, log_sequence) REFERENCES patchdiff_store.append_only_pdcp_logs(target_file_id, log_sequence)
constraint append_only_pdcp_logs_after_hash_check on patchdiff_store.append_only_pdcp_logs: CHECK ((after_hash ~ '\A[0-9a-f]{64}\Z'::text))
constraint append_only_pdcp_logs_before_hash_check on patchdiff_store.append_only_pdcp_logs: CHECK ((before_hash ~ '\A[0-9a-f]{64}\Z'::text))
constraint append_only_pdcp_logs_check on patchdiff_store.append_only_pdcp_logs: CHECK (((status = 'accepted'::text) = (failure_reason IS NULL)))
constraint append_only_pdcp_logs_check1 on patchdiff_store.append_only_pdcp_logs: CHECK (((status = 'accepted'::text) = (validation_stage = 'accepted'::text)))
constraint append_only_pdcp_logs_check2 on patchdiff_store.append_only_pdcp_logs: CHECK ((after_version = (before_version + ((status = 'accepted'::text))::integer)))
constraint append_only_pdcp_logs_check3 on patchdiff_store.append_only_pdcp_logs: CHECK (((status = 'accepted'::text) OR (after_hash = before_hash)))
constraint append_only_pdcp_logs_decided_by_check on patchdiff_store.append_only_pdcp_logs: CHECK ((decided_by = ANY (ARRAY['database'::text, 'runtime'::text])))
constraint append_only_pdcp_logs_expected_current_hash_check on patchdiff_store.append_only_pdcp_logs: CHECK ((expected_current_hash ~ '\A[0-9a-f]{64}\Z'::text))
constraint append_only_pdcp_logs_pdcp_content_hash_check on patchdiff_store.append_only_pdcp_logs: CHECK ((pdcp_content_hash ~ '\A[0-9a-f]{64}\Z'::text))
constraint append_only_pdcp_logs_pkey on patchdiff_store.append_only_pdcp_logs: PRIMARY KEY (target_file_id, log_sequence)
constraint append_only_pdcp_logs_status_check on patchdiff_store.append_only_pdcp_logs: CHECK ((status = ANY (ARRAY['accepted'::text, 'rejected'::text])))
constraint append_only_pdcp_logs_target_file_id_fkey on patchdiff_store.append_only_pdcp_logs: FOREIGN KEY (target_file_id) REFERENCES patchdiff_store.cloud_target_files(target_file_id)
constraint append_only_pdcp_logs_target_file_id_pdcp_log_id_key on patchdiff_store.append_only_pdcp_logs: UNIQUE (target_file_id, pdcp_log_id)
constraint pdcp_logs_imported_in_format_2 on patchdiff_store.append_only_pdcp_logs: CHECK (((hash_version = 2) = (imported_at IS NOT NULL))) NOT VALID
constraint cloud_target_files_check on patchdiff_store.cloud_target_files: CHECK ((workspace_tracked = (workspace_path IS NOT NULL)))
constraint cloud_target_files_check1 on patchdiff_store.cloud_target_files: CHECK ((workspace_tracked = (workspace_root_identity IS NOT NULL)))
constraint cloud_target_files_content_bytes_check on patchdiff_store.cloud_target_files: CHECK ((content_bytes >= 0))
constraint cloud_target_files_content_chars_check on patchdiff_store.cloud_target_files: CHECK ((content_chars >= 0))
constraint cloud_target_files_current_hash_check on patchdiff_store.cloud_target_files: CHECK ((current_hash ~ '\A[0-9a-f]{64}\Z'::text))
constraint cloud_target_files_display_name_check on patchdiff_store.cloud_target_files: CHECK (((octet_length(display_name) >= 1) AND (octet_length(display_name) <= 1024)))
constraint cloud_target_files_eol_version on patchdiff_store.cloud_target_files: CHECK (((eol_runs IS NULL) = (eol_version IS NULL))) NOT VALID
constraint cloud_target_files_last_synced_disk_sha256_check on patchdiff_store.cloud_target_files: CHECK ((last_synced_disk_sha256 ~ '\A[0-9a-f]{64}\Z'::text))
constraint cloud_target_files_pkey on patchdiff_store.cloud_target_files: PRIMARY KEY (target_file_id)
constraint cloud_target_files_status_check on patchdiff_store.cloud_target_files: CHECK ((status = 'active'::text))
constraint cloud_target_files_version_check on patchdiff_store.cloud_target_files: CHECK ((version >= 0))
constraint commit_subscriptions_pkey on patchdiff_store.commit_subscriptions: PRIMARY KEY (db_session_user, subscriber)
constraint editing_cycles_pkey on patchdiff_store.editing_cycles: PRIMARY KEY (target_file_id, editing_cycle)
constraint editing_cycles_target_file_id_fkey on patchdiff_store.editing_cycles: FOREIGN KEY (target_file_id) REFERENCES patchdiff_store.cloud_target_files(target_file_id)
constraint observed_scopes_check on patchdiff_store.observed_scopes: CHECK ((start_char < end_char))
constraint observed_scopes_pkey on patchdiff_store.observed_scopes: PRIMARY KEY (target_file_id, scope_sequence)
constraint observed_scopes_scope_id_check on patchdiff_store.observed_scopes: CHECK ((scope_id ~ '\A[0-9a-f]{32}\Z'::text))
constraint observed_scopes_scope_sha256_check on patchdiff_store.observed_scopes: CHECK ((scope_sha256 ~ '\A[0-9a-f]{64}\Z'::text))
constraint observed_scopes_target_file_id_observation_sequence_fkey on patchdiff_store.observed_scopes: FOREIGN KEY (target_file_id, observation_sequence) REFERENCES patchdiff_store.scope_observations(target_file_id, observation_sequence)
constraint observed_scopes_target_file_id_observation_sequence_ordinal_key on patchdiff_store.observed_scopes: UNIQUE (target_file_id, observation_sequence, ordinal)
constraint observed_scopes_target_file_id_observation_sequence_scope_i_key on patchdiff_store.observed_scopes: UNIQUE (target_file_id, observation_sequence, scope_id)
constraint request_keys_chained_save on patchdiff_store.request_keys: CHECK (((num_nonnulls(chain_sequence, hash_version, prev_hash, row_hash) = 0) OR ((kind = 'save'::text) AND (num_nulls(chain_sequence, hash_version, prev_hash, row_hash) = 0)))) NOT VALID
constraint request_keys_check on patchdiff_store.request_keys: CHECK (((kind = 'submission'::text) = (log_sequence IS NOT NULL)))
constraint request_keys_check1 on patchdiff_store.request_keys: CHECK (((kind = 'save'::text) = (save_receipt IS NOT NULL)))
constraint request_keys_kind_check on patchdiff_store.request_keys: CHECK ((kind = ANY (ARRAY['submission'::text, 'save'::text])))
constraint request_keys_pkey on patchdiff_store.request_keys: PRIMARY KEY (target_file_id, client_request_id)
constraint request_keys_save_has_fingerprint on patchdiff_store.request_keys: CHECK (((kind = 'submission'::text) OR (request_fingerprint IS NOT NULL))) NOT VALID
constraint request_keys_target_file_id_fkey on patchdiff_store.request_keys: FOREIGN KEY (target_file_id) REFERENCES patchdiff_store.cloud_target_files(target_file_id)
constraint scope_observations_content_hash_check on patchdiff_store.scope_observations: CHECK ((content_hash ~ '\A[0-9a-f]{64}\Z'::text))
constraint scope_observations_grammar_sha256_check on patchdiff_store.scope_observations: CHECK ((grammar_sha256 ~ '\A[0-9a-f]{64}\Z'::text))
constraint scope_observations_pkey on patchdiff_store.scope_observations: PRIMARY KEY (target_file_id, observation_sequence)
constraint scope_observations_target_file_id_bundle_id_key on patchdiff_store.scope_observations: UNIQUE (target_file_id, bundle_id)
constraint scope_observations_target_file_id_fkey on patchdiff_store.scope_observations: FOREIGN KEY (target_file_id) REFERENCES patchdiff_store.cloud_target_files(target_file_id)
constraint target_heads_accepted_hash_check on patchdiff_store.target_heads: CHECK ((accepted_hash ~ '\A[0-9a-f]{64}\Z'::text))
constraint target_heads_pkey on patchdiff_store.target_heads: PRIMARY KEY (target_file_id)
constraint target_heads_target_file_id_fkey on patchdiff_store.target_heads: FOREIGN KEY (target_file_id) REFERENCES patchdiff_store.cloud_target_files(target_file_id)
constraint target_snapshots_check on patchdiff_store.target_snapshots: CHECK (((client_request_id IS NULL) = (request_fingerprint IS NULL)))
constraint target_snapshots_content_hash_check on patchdiff_store.target_snapshots: CHECK ((content_hash ~ '\A[0-9a-f]{64}\Z'::text))
constraint target_snapshots_creation_in_format_2 on patchdiff_store.target_snapshots: CHECK (((hash_version = 2) = (creation IS NOT NULL))) NOT VALID
constraint target_snapshots_kind_check on patchdiff_store.target_snapshots: CHECK ((kind = ANY (ARRAY['initial_upload'::text, 'save_checkpoint'::text])))
constraint target_snapshots_pkey on patchdiff_store.target_snapshots: PRIMARY KEY (target_file_id, snapshot_sequence)
constraint target_snapshots_source_sha256_check on patchdiff_store.target_snapshots: CHECK ((source_sha256 ~ '\A[0-9a-f]{64}\Z'::text))
constraint target_snapshots_target_file_id_fkey on patchdiff_store.target_snapshots: FOREIGN KEY (target_file_id) REFERENCES patchdiff_store.cloud_target_files(target_file_id)
constraint target_snapshots_target_file_id_snapshot_id_key on patchdiff_store.target_snapshots: UNIQUE (target_file_id, snapshot_id)
constraint workspace_bindings_file_key_check on patchdiff_store.workspace_bindings: CHECK ((octet_length(file_key) = 32))
constraint workspace_bindings_pkey on patchdiff_store.workspace_bindings: PRIMARY KEY (file_key)
constraint workspace_bindings_target_file_id_fkey on patchdiff_store.workspace_bindings: FOREIGN KEY (target_file_id) REFERENCES patchdiff_store.cloud_target_files(target_file_id)
constraint workspace_bindings_target_file_id_key on patchdiff_store.workspace_bindings: UNIQUE (target_file_id)
constraint workspace_publications_check on patchdiff_store.workspace_publications: CHECK (((kind = ANY (ARRAY['intent'::text, 'adopted'::text, 'rebound'::text])) = (intent_publication_id IS NULL))) NOT VALID
constraint workspace_publications_check1 on patchdiff_store.workspace_publications: CHECK (((client_request_id IS NULL) = (request_fingerprint IS NULL)))
constraint workspace_publications_content_hash_check on patchdiff_store.workspace_publications: CHECK ((content_hash ~ '\A[0-9a-f]{64}\Z'::text))
constraint workspace_publications_expected_disk_sha256_check on patchdiff_store.workspace_publications: CHECK ((expected_disk_sha256 ~ '\A[0-9a-f]{64}\Z'::text))
constraint workspace_publications_kind_check on patchdiff_store.workspace_publications: CHECK ((kind = ANY (ARRAY['intent'::text, 'published'::text, 'rejected'::text, 'superseded'::text, 'adopted'::text, 'rebound'::text]))) NOT VALID
constraint workspace_publications_observed_disk_sha256_check on patchdiff_store.workspace_publications: CHECK ((observed_disk_sha256 ~ '\A[0-9a-f]{64}\Z'::text))
constraint workspace_publications_pkey on patchdiff_store.workspace_publications: PRIMARY KEY (target_file_id, publication_sequence)
constraint workspace_publications_target_file_id_fkey on patchdiff_store.workspace_publications: FOREIGN KEY (target_file_id) REFERENCES patchdiff_store.cloud_target_files(target_file_id)
constraint workspace_publications_target_file_id_publication_id_key on patchdiff_store.workspace_publications: UNIQUE (target_file_id, publication_id)
constraint workspace_publications_written_check on patchdiff_store.workspace_publications: CHECK ((((kind = 'rebound'::text) = (written_sha256 IS NULL)) AND ((kind = 'rebound'::text) = (written_bytes IS NULL)))) NOT VALID
constraint workspace_publications_written_sha256_check on patchdiff_store.workspace_publications: CHECK ((written_sha256 ~ '\A[0-9a-f]{64}\Z'::text))

-- Indexes
CREATE UNIQUE INDEX append_only_manifest_ledger_pkey ON patchdiff_store.append_only_manifest_ledger USING btree (target_file_id, ledger_sequence)
CREATE INDEX manifest_ledger_by_attempt ON patchdiff_store.append_only_manifest_ledger USING btree (target_file_id, log_sequence)
CREATE UNIQUE INDEX append_only_pdcp_logs_pkey ON patchdiff_store.append_only_pdcp_logs USING btree (target_file_id, log_sequence)
CREATE UNIQUE INDEX append_only_pdcp_logs_target_file_id_pdcp_log_id_key ON patchdiff_store.append_only_pdcp_logs USING btree (target_file_id, pdcp_log_id)
CREATE INDEX pdcp_logs_accepted_version ON patchdiff_store.append_only_pdcp_logs USING btree (target_file_id, after_version) WHERE (status = 'accepted'::text)
CREATE INDEX pdcp_logs_by_content ON patchdiff_store.append_only_pdcp_logs USING btree (target_file_id, pdcp_content_hash, log_sequence)
CREATE INDEX pdcp_logs_by_id ON patchdiff_store.append_only_pdcp_logs USING btree (pdcp_log_id)
CREATE INDEX pdcp_logs_by_parent ON patchdiff_store.append_only_pdcp_logs USING btree (target_file_id, parent_pdcp_log_id) WHERE (parent_pdcp_log_id IS NOT NULL)
CREATE INDEX pdcp_logs_by_status ON patchdiff_store.append_only_pdcp_logs USING btree (target_file_id, status, log_sequence)
CREATE UNIQUE INDEX uq_pdcp_logs_target_client_request_id ON patchdiff_store.append_only_pdcp_logs USING btree (target_file_id, client_request_id) WHERE (client_request_id IS NOT NULL)
CREATE INDEX cloud_target_files_by_age ON patchdiff_store.cloud_target_files USING btree (created_at, target_file_id)
CREATE UNIQUE INDEX cloud_target_files_pkey ON patchdiff_store.cloud_target_files USING btree (target_file_id)
CREATE INDEX commit_subscriptions_expires_at ON patchdiff_store.commit_subscriptions USING btree (expires_at)
CREATE UNIQUE INDEX commit_subscriptions_pkey ON patchdiff_store.commit_subscriptions USING btree (db_session_user, subscriber)
CREATE UNIQUE INDEX editing_cycles_pkey ON patchdiff_store.editing_cycles USING btree (target_file_id, editing_cycle)
CREATE UNIQUE INDEX observed_scopes_pkey ON patchdiff_store.observed_scopes USING btree (target_file_id, scope_sequence)
CREATE UNIQUE INDEX observed_scopes_target_file_id_observation_sequence_ordinal_key ON patchdiff_store.observed_scopes USING btree (target_file_id, observation_sequence, ordinal)
CREATE UNIQUE INDEX observed_scopes_target_file_id_observation_sequence_scope_i_key ON patchdiff_store.observed_scopes USING btree (target_file_id, observation_sequence, scope_id)
CREATE UNIQUE INDEX request_keys_pkey ON patchdiff_store.request_keys USING btree (target_file_id, client_request_id)
CREATE UNIQUE INDEX scope_observations_pkey ON patchdiff_store.scope_observations USING btree (target_file_id, observation_sequence)
CREATE UNIQUE INDEX scope_observations_target_file_id_bundle_id_key ON patchdiff_store.scope_observations USING btree (target_file_id, bundle_id)
CREATE UNIQUE INDEX target_heads_pkey ON patchdiff_store.target_heads USING btree (target_file_id)
CREATE INDEX target_snapshots_by_version ON patchdiff_store.target_snapshots USING btree (target_file_id, version, snapshot_sequence)
CREATE UNIQUE INDEX target_snapshots_pkey ON patchdiff_store.target_snapshots USING btree (target_file_id, snapshot_sequence)
CREATE UNIQUE INDEX target_snapshots_target_file_id_snapshot_id_key ON patchdiff_store.target_snapshots USING btree (target_file_id, snapshot_id)
CREATE UNIQUE INDEX workspace_bindings_pkey ON patchdiff_store.workspace_bindings USING btree (file_key)
CREATE UNIQUE INDEX workspace_bindings_target_file_id_key ON patchdiff_store.workspace_bindings USING btree (target_file_id)
CREATE UNIQUE INDEX workspace_publications_one_outcome ON patchdiff_store.workspace_publications USING btree (target_file_id, intent_publication_id) WHERE (intent_publication_id IS NOT NULL)
CREATE UNIQUE INDEX workspace_publications_pkey ON patchdiff_store.workspace_publications USING btree (target_file_id, publication_sequence)
CREATE UNIQUE INDEX workspace_publications_target_file_id_publication_id_key ON patchdiff_store.workspace_publications USING btree (target_file_id, publication_id)

-- Triggers
CREATE TRIGGER _100_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON patchdiff_store.append_only_manifest_ledger FOR EACH STATEMENT EXECUTE FUNCTION patchdiff_store.forbid_change() [always]
CREATE TRIGGER _100_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON patchdiff_store.append_only_pdcp_logs FOR EACH STATEMENT EXECUTE FUNCTION patchdiff_store.forbid_change() [always]
CREATE TRIGGER _100_no_removal BEFORE DELETE OR TRUNCATE ON patchdiff_store.cloud_target_files FOR EACH STATEMENT EXECUTE FUNCTION patchdiff_store.forbid_change() [always]
CREATE TRIGGER _100_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON patchdiff_store.editing_cycles FOR EACH STATEMENT EXECUTE FUNCTION patchdiff_store.forbid_change() [always]
CREATE TRIGGER _100_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON patchdiff_store.observed_scopes FOR EACH STATEMENT EXECUTE FUNCTION patchdiff_store.forbid_change() [always]
CREATE TRIGGER _100_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON patchdiff_store.request_keys FOR EACH STATEMENT EXECUTE FUNCTION patchdiff_store.forbid_change() [always]
CREATE TRIGGER _100_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON patchdiff_store.scope_observations FOR EACH STATEMENT EXECUTE FUNCTION patchdiff_store.forbid_change() [always]
CREATE TRIGGER _100_no_removal BEFORE DELETE OR TRUNCATE ON patchdiff_store.target_heads FOR EACH STATEMENT EXECUTE FUNCTION patchdiff_store.forbid_change() [always]
CREATE TRIGGER _100_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON patchdiff_store.target_snapshots FOR EACH STATEMENT EXECUTE FUNCTION patchdiff_store.forbid_change() [always]
CREATE TRIGGER _100_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON patchdiff_store.workspace_publications FOR EACH STATEMENT EXECUTE FUNCTION patchdiff_store.forbid_change() [always]

-- Views
view patchdiff_audit.adoptions owner patchdiff_owner as
 SELECT p.target_file_id,
    p.publication_sequence,
    p.publication_id AS adoption_id,
    p.created_at AS adopted_at,
    ((r.detail ->> 'before_version'::text))::bigint AS before_version,
    p.version,
    p.content_hash,
    ((r.detail ->> 'pdcp_log_id'::text))::uuid AS pdcp_log_id,
    p.workspace_root_identity AS workspace_root,
    p.workspace_path,
    p.expected_disk_sha256 AS previous_disk_sha256,
    p.written_sha256 AS disk_sha256,
    p.written_bytes AS disk_bytes,
    ((r.detail ->> 'source_bom'::text))::boolean AS source_bom,
    (r.detail -> 'source_line_endings'::text) AS source_line_endings,
    p.editing_cycle,
    p.actor,
    (r.actor ->> 'host'::text) AS actor_host,
    (r.actor ->> 'host_version'::text) AS actor_host_version,
    (r.actor ->> 'agent'::text) AS actor_agent,
    (r.actor ->> 'session'::text) AS actor_session,
    p.db_session_user,
    p.db_application_name,
    p.db_client_addr,
    p.db_transaction_id
   FROM (patchdiff_store.workspace_publications p
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN pg_input_is_valid((p.actor)::text, 'jsonb'::text) THEN p.actor
                    ELSE NULL::json
                END AS actor,
                CASE
                    WHEN pg_input_is_valid((p.detail)::text, 'jsonb'::text) THEN (p.detail)::jsonb
                    ELSE NULL::jsonb
                END AS detail) r)
  WHERE (p.kind = 'adopted'::text);
view patchdiff_audit.attempts owner patchdiff_owner as
 SELECT l.target_file_id,
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
    (r.actor ->> 'host'::text) AS actor_host,
    (r.actor ->> 'agent'::text) AS actor_agent,
    (r.actor ->> 'session'::text) AS actor_session,
    l.actor,
    l.diagnostic_json AS diagnostic,
    l.warnings,
    l.db_session_user,
    l.db_application_name,
    l.db_client_addr,
    l.db_transaction_id,
    l.chain_sequence,
    encode(l.row_hash, 'hex'::text) AS row_hash,
    l.imported_at,
    (r.actor ->> 'host_version'::text) AS actor_host_version
   FROM (patchdiff_store.append_only_pdcp_logs l
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN pg_input_is_valid((l.actor)::text, 'jsonb'::text) THEN l.actor
                    ELSE NULL::json
                END AS actor) r);
view patchdiff_audit.bindings owner patchdiff_owner as
 WITH places AS (
         SELECT p.target_file_id,
            p.publication_sequence,
            p.publication_id AS rebinding_id,
            p.created_at AS recorded_at,
            (d.detail -> 'to'::text) AS place,
            p.observed_disk_sha256 AS disk_sha256,
            p.version,
            p.actor,
            p.db_session_user,
            p.db_application_name,
            p.db_client_addr,
            p.db_transaction_id
           FROM (patchdiff_store.workspace_publications p
             CROSS JOIN LATERAL ( SELECT
                        CASE
                            WHEN pg_input_is_valid((p.detail)::text, 'jsonb'::text) THEN (p.detail)::jsonb
                            ELSE NULL::jsonb
                        END AS detail) d)
          WHERE (p.kind = 'rebound'::text)
        UNION ALL
         SELECT s.target_file_id,
            0,
            NULL::uuid,
            s.created_at,
            COALESCE(c.creation, m.place, jsonb_build_object('workspace_root_identity', b_1.workspace_root, 'workspace_path', b_1.workspace_path, 'root_device', b_1.root_device, 'root_inode', b_1.root_inode)) AS "coalesce",
                CASE
                    WHEN (c.creation IS NULL) THEN s.source_sha256
                    ELSE (c.creation ->> 'last_synced_disk_sha256'::text)
                END AS "case",
            s.version,
            s.actor,
            s.db_session_user,
            s.db_application_name,
            s.db_client_addr,
            s.db_transaction_id
           FROM (((patchdiff_store.target_snapshots s
             CROSS JOIN LATERAL ( SELECT
                        CASE
                            WHEN pg_input_is_valid((s.creation)::text, 'jsonb'::text) THEN (s.creation)::jsonb
                            ELSE NULL::jsonb
                        END AS creation) c)
             LEFT JOIN LATERAL ( SELECT ((p.detail)::jsonb -> 'from'::text) AS place
                   FROM patchdiff_store.workspace_publications p
                  WHERE ((p.target_file_id = s.target_file_id) AND (p.kind = 'rebound'::text) AND pg_input_is_valid((p.detail)::text, 'jsonb'::text))
                  ORDER BY p.publication_sequence
                 LIMIT 1) m ON (true))
             LEFT JOIN patchdiff_store.workspace_bindings b_1 ON ((b_1.target_file_id = s.target_file_id)))
          WHERE (s.snapshot_sequence = 1)
        )
 SELECT b.target_file_id,
    b.publication_sequence,
    b.rebinding_id,
        CASE
            WHEN (b.rebinding_id IS NULL) THEN 'created'::text
            ELSE 'rebound'::text
        END AS bound_by,
    b.recorded_at AS bound_from,
    lead(b.recorded_at) OVER places_of_target AS bound_until,
    (b.place ->> 'workspace_root_identity'::text) AS workspace_root,
    (b.place ->> 'workspace_path'::text) AS workspace_path,
    (b.place ->> 'root_device'::text) AS root_device,
    (b.place ->> 'root_inode'::text) AS root_inode,
    b.disk_sha256,
    b.version,
    b.actor,
    (r.actor ->> 'host'::text) AS actor_host,
    (r.actor ->> 'host_version'::text) AS actor_host_version,
    (r.actor ->> 'agent'::text) AS actor_agent,
    (r.actor ->> 'session'::text) AS actor_session,
    b.db_session_user,
    b.db_application_name,
    b.db_client_addr,
    b.db_transaction_id
   FROM (places b
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN pg_input_is_valid((b.actor)::text, 'jsonb'::text) THEN b.actor
                    ELSE NULL::json
                END AS actor) r)
  WHERE ((b.place ->> 'workspace_path'::text) IS NOT NULL)
  WINDOW places_of_target AS (PARTITION BY b.target_file_id ORDER BY b.publication_sequence);
view patchdiff_audit.changes owner patchdiff_owner as
 SELECT g.target_file_id,
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
    ((g.derived_json -> 'span_start'::text))::integer AS span_start,
    ((g.derived_json -> 'span_end'::text))::integer AS span_end,
    ((g.derived_json -> 'matched_chars'::text))::integer AS matched_chars,
    ((g.derived_json -> 'replacement_chars'::text))::integer AS replacement_chars,
    (g.derived_json ->> 'matched_sha256'::text) AS matched_sha256,
    (g.derived_json ->> 'replacement_sha256'::text) AS replacement_sha256,
    (r.actor ->> 'host'::text) AS actor_host,
    (r.actor ->> 'agent'::text) AS actor_agent,
    (r.actor ->> 'session'::text) AS actor_session,
    l.submission_source,
    l.db_session_user,
    (r.actor ->> 'host_version'::text) AS actor_host_version,
    l.actor,
    l.db_application_name,
    l.db_client_addr,
    l.db_transaction_id,
    l.imported_at
   FROM ((patchdiff_store.append_only_manifest_ledger g
     JOIN patchdiff_store.append_only_pdcp_logs l ON (((l.target_file_id = g.target_file_id) AND (l.log_sequence = g.log_sequence))))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN pg_input_is_valid((l.actor)::text, 'jsonb'::text) THEN l.actor
                    ELSE NULL::json
                END AS actor) r);
view patchdiff_audit.cycles owner patchdiff_owner as
 SELECT c.target_file_id,
    c.editing_cycle,
    c.opened_at,
    c.opened_at_version,
    s.kind AS opened_by,
    s.snapshot_id,
    s.content_hash,
    n.opened_at AS closed_at,
    n.opened_at_version AS closed_at_version,
    (r.actor ->> 'host'::text) AS actor_host,
    (r.actor ->> 'host_version'::text) AS actor_host_version,
    (r.actor ->> 'agent'::text) AS actor_agent,
    (r.actor ->> 'session'::text) AS actor_session,
    s.actor,
    s.db_session_user,
    s.db_application_name,
    s.db_client_addr,
    s.db_transaction_id
   FROM (((patchdiff_store.editing_cycles c
     JOIN patchdiff_store.target_snapshots s ON (((s.target_file_id = c.target_file_id) AND (s.snapshot_sequence = c.snapshot_sequence))))
     LEFT JOIN patchdiff_store.editing_cycles n ON (((n.target_file_id = c.target_file_id) AND (n.editing_cycle = (c.editing_cycle + 1)))))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN pg_input_is_valid((s.actor)::text, 'jsonb'::text) THEN s.actor
                    ELSE NULL::json
                END AS actor) r);
view patchdiff_audit.observations owner patchdiff_owner as
 SELECT o.target_file_id,
    o.observation_sequence,
    o.bundle_id,
    o.created_at AS observed_at,
    o.version,
    o.content_hash,
    o.editing_cycle,
    o.language,
    o.grammar_name,
    o.grammar_version,
    o.grammar_sha256,
    o.has_errors,
    s.ordinal,
    s.scope_id,
    s.kind,
    s.name,
    s.qualified_path,
    s.start_char,
    s.end_char,
    s.first_line,
    s.last_line,
    s.scope_sha256,
    s.scope_text,
    o.actor,
    (r.actor ->> 'host'::text) AS actor_host,
    (r.actor ->> 'host_version'::text) AS actor_host_version,
    (r.actor ->> 'agent'::text) AS actor_agent,
    (r.actor ->> 'session'::text) AS actor_session,
    o.db_session_user,
    o.db_application_name,
    o.db_client_addr,
    o.db_transaction_id
   FROM ((patchdiff_store.scope_observations o
     JOIN patchdiff_store.observed_scopes s ON (((s.target_file_id = o.target_file_id) AND (s.observation_sequence = o.observation_sequence))))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN pg_input_is_valid((o.actor)::text, 'jsonb'::text) THEN o.actor
                    ELSE NULL::json
                END AS actor) r);
view patchdiff_audit.open_publications owner patchdiff_owner as
 SELECT p.target_file_id,
    t.display_name,
    p.publication_sequence,
    p.publication_id,
    p.opened_at,
    p.version,
    t.version AS current_version,
    ((p.version = t.version) AND (p.content_hash = t.current_hash)) AS is_current,
    p.content_hash,
    p.workspace_root,
    p.workspace_path,
    p.expected_disk_sha256,
    p.written_sha256,
    p.written_bytes,
    t.last_synced_disk_sha256,
    t.last_synced_version,
    (EXISTS ( SELECT
           FROM (patchdiff_store.workspace_publications o
             LEFT JOIN patchdiff_store.workspace_publications i ON (((i.target_file_id = o.target_file_id) AND (i.publication_id = o.intent_publication_id))))
          WHERE ((o.target_file_id = p.target_file_id) AND (o.publication_sequence > p.publication_sequence) AND ((o.kind = 'adopted'::text) OR ((o.kind = 'rebound'::text) AND ((o.workspace_root_identity <> p.workspace_root) OR (o.workspace_path <> p.workspace_path))) OR ((o.kind = 'published'::text) AND (i.publication_sequence > p.publication_sequence)))))) AS is_overtaken,
    p.editing_cycle,
    p.actor,
    p.actor_host,
    p.actor_host_version,
    p.actor_agent,
    p.actor_session,
    p.db_session_user,
    p.db_application_name,
    p.db_client_addr,
    p.db_transaction_id
   FROM (patchdiff_audit.publications p
     JOIN patchdiff_store.cloud_target_files t ON ((t.target_file_id = p.target_file_id)))
  WHERE (p.outcome IS NULL);
view patchdiff_audit.publications owner patchdiff_owner as
 SELECT i.target_file_id,
    i.publication_sequence,
    i.publication_id,
    i.created_at AS opened_at,
    i.version,
    i.content_hash,
    i.workspace_root_identity AS workspace_root,
    i.workspace_path,
    i.expected_disk_sha256,
    i.written_sha256,
    i.written_bytes,
    i.editing_cycle,
    i.actor,
    o.kind AS outcome,
    o.created_at AS closed_at,
    o.observed_disk_sha256,
    o.detail,
    (r.actor ->> 'host'::text) AS actor_host,
    (r.actor ->> 'host_version'::text) AS actor_host_version,
    (r.actor ->> 'agent'::text) AS actor_agent,
    (r.actor ->> 'session'::text) AS actor_session,
    i.db_session_user,
    i.db_application_name,
    i.db_client_addr,
    i.db_transaction_id,
    o.actor AS closed_actor,
    o.db_session_user AS closed_db_session_user,
    o.db_application_name AS closed_db_application_name,
    o.db_client_addr AS closed_db_client_addr,
    o.db_transaction_id AS closed_db_transaction_id
   FROM ((patchdiff_store.workspace_publications i
     LEFT JOIN patchdiff_store.workspace_publications o ON (((o.target_file_id = i.target_file_id) AND (o.intent_publication_id = i.publication_id))))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN pg_input_is_valid((i.actor)::text, 'jsonb'::text) THEN i.actor
                    ELSE NULL::json
                END AS actor) r)
  WHERE (i.kind = 'intent'::text);
view patchdiff_audit.targets owner patchdiff_owner as
 SELECT t.target_file_id,
    t.display_name,
    t.version,
    t.current_hash,
    t.content_chars,
    t.content_bytes,
    t.status,
    t.workspace_tracked,
    t.workspace_root,
    t.workspace_path,
    t.last_synced_disk_sha256,
    t.last_synced_version,
    t.source_bom,
    t.source_line_endings,
    t.created_at,
    t.updated_at,
    t.log_sequence AS attempts,
    t.ledger_sequence AS changes,
    t.snapshot_sequence AS snapshots,
    t.publication_sequence AS publication_rows,
    t.open_cycle,
    t.chain_sequence,
    t.chain_head,
    (r.actor ->> 'host'::text) AS actor_host,
    (r.actor ->> 'host_version'::text) AS actor_host_version,
    (r.actor ->> 'agent'::text) AS actor_agent,
    (r.actor ->> 'session'::text) AS actor_session,
    s.actor,
    s.db_session_user,
    s.db_application_name,
    s.db_client_addr,
    s.db_transaction_id
   FROM ((patchdiff_store.target_state t
     LEFT JOIN patchdiff_store.target_snapshots s ON (((s.target_file_id = t.target_file_id) AND (s.snapshot_sequence = 1))))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN pg_input_is_valid((s.actor)::text, 'jsonb'::text) THEN s.actor
                    ELSE NULL::json
                END AS actor) r);
view patchdiff_store.attempt_entry owner patchdiff_owner as
 SELECT pdcp_log_id,
    target_file_id,
    log_sequence,
    status,
    decided_by,
    failure_reason,
    failure_code,
    failure_detail,
    failed_change_id,
    validation_stage,
    before_hash,
    after_hash,
    before_version,
    after_version,
    expected_target_version,
    expected_current_hash,
    change_count,
    pdcp_content_hash,
    protocol_version,
    runtime_version,
    submission_source,
    parent_pdcp_log_id,
    regeneration_attempt,
    regeneration_source,
    client_request_id,
    (request_fingerprint)::text AS request_fingerprint,
    editing_cycle,
    actor,
    diagnostic_json AS diagnostic,
    warnings,
    created_at,
    chain_sequence,
    encode(row_hash, 'hex'::text) AS row_hash,
    pdcp_content
   FROM patchdiff_store.append_only_pdcp_logs l;
view patchdiff_store.target_head owner patchdiff_owner as
 SELECT target_file_id,
    display_name,
    version,
    current_hash,
    content_chars,
    content_bytes,
    status,
    workspace_tracked,
    workspace_root,
    workspace_path,
    last_synced_disk_sha256,
    last_synced_version,
    source_bom,
    source_line_endings,
    created_at,
    updated_at,
    log_sequence,
    ledger_sequence,
    snapshot_sequence,
    publication_sequence,
    open_cycle,
    chain_sequence,
    chain_head,
    NULL::text AS current_content
   FROM patchdiff_store.target_state t;
view patchdiff_store.target_state owner patchdiff_owner as
 SELECT t.target_file_id,
    t.display_name,
    t.version,
    t.current_hash,
    t.content_chars,
    t.content_bytes,
    t.status,
    t.workspace_tracked,
    t.workspace_root_identity AS workspace_root,
    t.workspace_path,
    t.last_synced_disk_sha256,
    t.last_synced_version,
    t.source_bom,
    t.source_line_endings,
    t.created_at,
    t.updated_at,
    h.log_sequence,
    h.ledger_sequence,
    h.snapshot_sequence,
    h.publication_sequence,
    h.open_cycle,
    h.chain_sequence,
    encode(h.chain_head, 'hex'::text) AS chain_head,
    t.current_content
   FROM (patchdiff_store.cloud_target_files t
     JOIN patchdiff_store.target_heads h ON ((h.target_file_id = t.target_file_id)));

-- Routines
function patchdiff.adopt_disk (p_target uuid, p_content text, p_source jsonb, p_workspace jsonb, p_expected_version bigint DEFAULT NULL::bigint, p_expected_hash text DEFAULT NULL::text, p_actor json DEFAULT NULL::json)
  returns TABLE(outcome text, failure_reason text, failure_code text, failure_detail text, adoption_id uuid, pdcp_log_id uuid, before_version bigint, version bigint, current_hash text, previous_disk_sha256 text, disk_sha256 text, superseded uuid[])
  owner patchdiff_owner, language plpgsql, volatile, security definer, set search_path="", pg_temp, lock_timeout=5s, plan_cache_mode=force_generic_plan, standard_conforming_strings=on
  body md5 7c923d599f23b2cd7d2515caea994097
function patchdiff.commit_attempt (p_target uuid, p_payload text, p_client_request_id text, p_parent text, p_attempt integer, p_source text, p_actor json, p_base_hash text, p_verdict text, p_resolved_starts integer[], p_after_hash text, p_diagnostic json, p_warnings json, p_raw_metadata jsonb DEFAULT NULL::jsonb)
  returns patchdiff.commit_receipt
  owner patchdiff_owner, language plpgsql, volatile, security definer, set search_path="", pg_temp, lock_timeout=5s, plan_cache_mode=force_generic_plan, standard_conforming_strings=on
  body md5 3fde988777233bdd78d677b818f04660
function patchdiff.commit_match (p_target_file_id uuid, p_match text, p_replace text, p_intent text, p_expected_target_version bigint DEFAULT NULL::bigint, p_expected_current_hash text DEFAULT NULL::text, p_occurrence_index bigint DEFAULT NULL::bigint, p_anchor_before text DEFAULT NULL::text, p_anchor_after text DEFAULT NULL::text, p_change_id text DEFAULT NULL::text, p_rationale text DEFAULT NULL::text, p_risk text DEFAULT NULL::text, p_client_request_id text DEFAULT NULL::text, p_parent_pdcp_log_id text DEFAULT NULL::text, p_attempt integer DEFAULT NULL::integer, p_source text DEFAULT NULL::text, p_actor json DEFAULT NULL::json)
  returns patchdiff.commit_receipt
  owner patchdiff_owner, language plpgsql, volatile, security definer, set search_path="", pg_temp, lock_timeout=5s, plan_cache_mode=force_generic_plan, standard_conforming_strings=on
  body md5 5442124123c0d8203513c10daac663f3
function patchdiff.commit_replacement (p_target_file_id uuid, p_replacement text, p_intent text, p_expected_target_version bigint DEFAULT NULL::bigint, p_expected_current_hash text DEFAULT NULL::text, p_client_request_id text DEFAULT NULL::text, p_parent_pdcp_log_id text DEFAULT NULL::text, p_attempt integer DEFAULT NULL::integer, p_source text DEFAULT NULL::text, p_actor json DEFAULT NULL::json)
  returns patchdiff.commit_receipt
  owner patchdiff_owner, language plpgsql, volatile, security definer, set search_path="", pg_temp, lock_timeout=5s, plan_cache_mode=force_generic_plan, standard_conforming_strings=on
  body md5 4005483c12fe26c7915eb55949f8db7e
function patchdiff.commit_spans (p_target_file_id uuid, p_spans json, p_intent text, p_expected_target_version bigint DEFAULT NULL::bigint, p_expected_current_hash text DEFAULT NULL::text, p_client_request_id text DEFAULT NULL::text, p_parent_pdcp_log_id text DEFAULT NULL::text, p_attempt integer DEFAULT NULL::integer, p_source text DEFAULT NULL::text, p_actor json DEFAULT NULL::json)
  returns patchdiff.commit_receipt
  owner patchdiff_owner, language plpgsql, volatile, security definer, set search_path="", pg_temp, lock_timeout=5s, plan_cache_mode=force_generic_plan, standard_conforming_strings=on
  body md5 54b3bf50a20db7d7b6135c1fe83d459c
function patchdiff.create_target (p_target uuid, p_display_name text, p_content text, p_source jsonb DEFAULT NULL::jsonb, p_workspace jsonb DEFAULT NULL::jsonb, p_actor json DEFAULT NULL::json)
  returns patchdiff.target_receipt
  owner patchdiff_owner, language plpgsql, volatile, security definer, set search_path="", pg_temp, lock_timeout=5s, standard_conforming_strings=on
  body md5 3ce588925be8b83f4be7514851e7d3eb
function patchdiff.find_binding (p_root text, p_path text)
  returns TABLE(target_file_id uuid, root_device text, root_inode text, bound_at timestamp with time zone, version bigint, current_hash text, last_synced_disk_sha256 text, last_synced_version bigint, source_bom boolean, source_line_endings jsonb)
  owner patchdiff_owner, language sql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 2117c76341592ecb3f8e4a87e54eb302
function patchdiff.list_targets (p_filter text DEFAULT NULL::text, p_limit integer DEFAULT NULL::integer, p_after_created_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_after_target uuid DEFAULT NULL::uuid)
  returns SETOF patchdiff.target_state
  owner patchdiff_owner, language sql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 bf34d964aa0453af640a3240ecaa4470
function patchdiff.lock_history (p_target uuid, p_from_sequence bigint DEFAULT 0, p_limit integer DEFAULT NULL::integer)
  returns SETOF patchdiff.history_step
  owner patchdiff_owner, language plpgsql, volatile, security definer, set search_path="", pg_temp, lock_timeout=5s, standard_conforming_strings=on
  body md5 86981e9fc4ef1440cb0599419ad5afd5
function patchdiff.lock_publication (p_target uuid, p_publication_id uuid)
  returns patchdiff.publication_receipt
  owner patchdiff_owner, language plpgsql, volatile, security definer, set search_path="", pg_temp, lock_timeout=5s, standard_conforming_strings=on
  body md5 872c7048d33a2087d77481a8123959a4
function patchdiff.observe_scopes (p_target uuid, p_expected_version bigint, p_expected_hash text, p_language text, p_grammar json, p_has_errors boolean, p_scopes json, p_actor json DEFAULT NULL::json, OUT outcome text, OUT bundle_id uuid, OUT version bigint, OUT current_hash text, OUT editing_cycle integer, OUT created_at timestamp with time zone, OUT chain_sequence bigint, OUT scopes json)
  returns record
  owner patchdiff_owner, language plpgsql, volatile, security definer, set search_path="", pg_temp, lock_timeout=5s, standard_conforming_strings=on
  body md5 6e0516bee349e91289b122c4071145f5
function patchdiff.open_publication (p_target uuid, p_expected_version bigint, p_expected_hash text, p_version bigint, p_content_hash text, p_expected_disk_sha256 text, p_written_sha256 text, p_written_bytes bigint, p_actor json DEFAULT NULL::json, p_client_request_id text DEFAULT NULL::text, p_eol_runs jsonb DEFAULT NULL::jsonb)
  returns patchdiff.publication_receipt
  owner patchdiff_owner, language plpgsql, volatile, security definer, set search_path="", pg_temp, lock_timeout=5s, standard_conforming_strings=on
  body md5 b794951c5a6e4f449a49ad5b04c6c76f
function patchdiff.preview_facts (p_target uuid, p_parent uuid DEFAULT NULL::uuid, p_client_request_id text DEFAULT NULL::text)
  returns TABLE(version bigint, current_hash text, content_chars integer, counted_chars integer, content_head text, is_intact boolean, is_parent boolean, key_kind text, key_fingerprint text, key_pdcp_log_id uuid)
  owner patchdiff_owner, language plpgsql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 776e62c43385dea93ae6687ca4fd623f
function patchdiff.preview_recovery (p_target uuid, p_client_request_id text)
  returns SETOF patchdiff.commit_receipt
  owner patchdiff_owner, language plpgsql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 56a9572c00b9241ba37877ee066d9870
function patchdiff.read_attempt (p_pdcp_log_id uuid)
  returns SETOF patchdiff.attempt_entry
  owner patchdiff_owner, language sql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 323011c42ad6a9b835c63307bc49c96c
function patchdiff.read_attempts (p_target uuid, p_limit integer DEFAULT NULL::integer, p_before_sequence bigint DEFAULT NULL::bigint, p_status text DEFAULT NULL::text, p_content_hash text DEFAULT NULL::text, p_client_request_id text DEFAULT NULL::text, p_include_content boolean DEFAULT false)
  returns SETOF patchdiff.attempt_entry
  owner patchdiff_owner, language plpgsql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 93f9c0bc385964d62d1668986c57a18b
function patchdiff.read_head (p_target uuid)
  returns SETOF patchdiff.target_state
  owner patchdiff_owner, language sql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 a960c24b33213811b7c98bd60e814865
function patchdiff.read_history (p_target uuid, p_after_version bigint, p_limit integer DEFAULT NULL::integer)
  returns SETOF patchdiff.history_step
  owner patchdiff_owner, language sql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 52cf385d38fc1e76f248ece2d21c11dc
function patchdiff.read_ledger (p_target uuid, p_include_previous_cycles boolean DEFAULT false, p_limit integer DEFAULT NULL::integer, p_before_sequence bigint DEFAULT NULL::bigint)
  returns SETOF patchdiff.ledger_entry
  owner patchdiff_owner, language plpgsql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 da87f07ae2089a5ef3024461402f38a5
function patchdiff.read_line_endings (p_target uuid, p_version bigint)
  returns TABLE(eol_runs jsonb, eol_version bigint, content text)
  owner patchdiff_owner, language sql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 4315c8ce96e29a92b455be15f8892331
function patchdiff.read_observation (p_target uuid, p_bundle uuid)
  returns TABLE(bundle_id uuid, version bigint, content_hash text, editing_cycle integer, language text, grammar json, has_errors boolean, scopes json)
  owner patchdiff_owner, language sql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 80ce9aa8d1501e16a2d44adb8661a483
function patchdiff.read_open_publications (p_target uuid DEFAULT NULL::uuid)
  returns TABLE(target_file_id uuid, publication_id uuid, created_at timestamp with time zone, version bigint, content_hash text, expected_disk_sha256 text, written_sha256 text, written_bytes bigint, workspace_root text, workspace_path text)
  owner patchdiff_owner, language sql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 00c728ae450ce80a02414434eaff3cb3
function patchdiff.read_recent_changes (p_target uuid, p_version bigint, p_limit integer DEFAULT NULL::integer)
  returns TABLE(pdcp_log_id uuid, protocol_version text, runtime_version text, before_version bigint, after_version bigint, before_hash text, span_starts integer[], pdcp_content text)
  owner patchdiff_owner, language sql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 28bcd29a36a0e3527a02987e25100ab2
function patchdiff.read_target (p_target uuid)
  returns SETOF patchdiff.target_state
  owner patchdiff_owner, language sql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 fff08b0673f7e6d1966c9d45c9b9ebca
function patchdiff.rebind_target (p_target uuid, p_workspace jsonb, p_expected_version bigint DEFAULT NULL::bigint, p_expected_hash text DEFAULT NULL::text, p_actor json DEFAULT NULL::json)
  returns TABLE(outcome text, failure_reason text, failure_code text, failure_detail text, rebinding_id uuid, version bigint, current_hash text, from_root text, from_path text, workspace_root text, workspace_path text, expected_disk_sha256 text, disk_sha256 text, last_synced_disk_sha256 text, last_synced_version bigint, superseded uuid[], chain_sequence bigint, chain_head text)
  owner patchdiff_owner, language plpgsql, volatile, security definer, set search_path="", pg_temp, lock_timeout=5s, standard_conforming_strings=on
  body md5 429582807112c6c082b6a1114d6f5052
function patchdiff.record_publication (p_target uuid, p_publication_id uuid, p_outcome text, p_observed_disk_sha256 text DEFAULT NULL::text, p_detail json DEFAULT NULL::json, p_client_request_id text DEFAULT NULL::text, p_actor json DEFAULT NULL::json)
  returns patchdiff.save_receipt
  owner patchdiff_owner, language plpgsql, volatile, security definer, set search_path="", pg_temp, lock_timeout=5s, standard_conforming_strings=on
  body md5 f5bad06f61e41204b1db9245955b784a
function patchdiff.save_target (p_target uuid, p_expected_version bigint DEFAULT NULL::bigint, p_expected_hash text DEFAULT NULL::text, p_client_request_id text DEFAULT NULL::text, p_actor json DEFAULT NULL::json, p_sync_workspace boolean DEFAULT false)
  returns patchdiff.save_receipt
  owner patchdiff_owner, language plpgsql, volatile, security definer, set search_path="", pg_temp, lock_timeout=5s, standard_conforming_strings=on
  body md5 651ad8db3716e6c666307e2f1964b6e6
function patchdiff.subscribe_commits (p_subscriber text, p_lease interval DEFAULT '00:05:00'::interval)
  returns timestamp with time zone
  owner patchdiff_owner, language plpgsql, volatile, security definer, set search_path="", pg_temp, lock_timeout=5s, standard_conforming_strings=on
  body md5 6ac75705442cffd8b011c8f82c1d583b
function patchdiff.unsubscribe_commits (p_subscriber text)
  returns boolean
  owner patchdiff_owner, language plpgsql, volatile, security definer, set search_path="", pg_temp, lock_timeout=5s, standard_conforming_strings=on
  body md5 374e9ceff80817a4ae7fcad9a72311ae
function patchdiff_audit.blame (p_target uuid, p_version bigint DEFAULT NULL::bigint)
  returns TABLE(line_number integer, line_text text, written_version bigint, written_at timestamp with time zone, pdcp_log_id uuid, change_id text, ordinal integer, operation text, intent text, rationale text, actor_host text, actor_host_version text, actor_agent text, actor_session text, actor json, db_session_user text, db_application_name text, db_client_addr text, log_sequence bigint, ledger_sequence bigint, imported_at timestamp with time zone)
  owner patchdiff_owner, language plpgsql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 ef8b84f3c4fe8d37349f966db0a611de
function patchdiff_audit.chain_head (p_target uuid)
  returns TABLE(chain_sequence bigint, chain_head text)
  owner patchdiff_owner, language sql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 b7c09710509c99ea22ef4563f3daefbd
function patchdiff_audit.changes_between (p_target uuid, p_from bigint, p_to bigint DEFAULT NULL::bigint)
  returns SETOF patchdiff_audit.changes
  owner patchdiff_owner, language plpgsql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 8ab278ef490f6c741f34d7321b0dec04
function patchdiff_audit.diff (p_target uuid, p_from bigint, p_to bigint DEFAULT NULL::bigint)
  returns text
  owner patchdiff_owner, language sql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 3d6bb55be2ebbcb01d38d3d9eb94dc20
function patchdiff_audit.reconstruct (p_target uuid, p_version bigint)
  returns text
  owner patchdiff_owner, language sql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 b2b6605a6cb718c01d80b4372995c6d6
function patchdiff_audit.retry_tree (p_pdcp_log_id uuid)
  returns TABLE(depth integer, pdcp_log_id uuid, parent_pdcp_log_id uuid, log_sequence bigint, status text, failure_reason text, regeneration_attempt integer, submission_source text, created_at timestamp with time zone, actor_host text, actor_host_version text, actor_agent text, actor_session text, actor json, db_session_user text, db_application_name text, db_client_addr text)
  owner patchdiff_owner, language sql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 6d8b7d612ea0b6c6a0fbd5dba3496622
function patchdiff_audit.verify_all ()
  returns TABLE(target_file_id uuid, table_name text, row_key text, column_name text, problem text)
  owner patchdiff_owner, language sql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 fc732704cc2b52da241edc62c3de3371
function patchdiff_audit.verify_target (p_target uuid, p_noted_sequence bigint DEFAULT NULL::bigint, p_noted_hash text DEFAULT NULL::text)
  returns TABLE(table_name text, row_key text, column_name text, problem text)
  owner patchdiff_owner, language sql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 6c1c78b4ed157f28ae884a867871a1cb
function patchdiff_audit.version_at (p_target uuid, p_at timestamp with time zone)
  returns bigint
  owner patchdiff_owner, language sql, stable, security definer, set search_path="", pg_temp, standard_conforming_strings=on
  body md5 673eff98cc1014da3854ace39341d641
function patchdiff_guard.forbid_ddl ()
  returns event_trigger
  owner <the migrating login>, language plpgsql, volatile, set search_path="", pg_temp
  body md5 faabf8cbc6b56b034b890f2bad356124
function patchdiff_guard.guard_ddl (p_on boolean)
  returns boolean
  owner <the migrating login>, language plpgsql, volatile, set search_path="", pg_temp
  body md5 7d4a60d697e1ee7ded289f1282161bf8
function patchdiff_store.append_attempt (p_locked patchdiff_store.locked_target, p_attempt patchdiff_store.append_only_pdcp_logs, p_payload text, p_intent text, p_walk patchdiff_store.walk)
  returns patchdiff_store.append_only_pdcp_logs
  owner patchdiff_owner, language plpgsql, volatile
  body md5 9eddf96c8809347565eae2d58cb861ee
function patchdiff_store.append_import (p_locked patchdiff_store.locked_target, p_attempt patchdiff_store.append_only_pdcp_logs, p_payload text, p_intent text, p_walk patchdiff_store.walk)
  returns bigint
  owner patchdiff_owner, language plpgsql, volatile
  body md5 8f34c52b970e29ab970659e97367f786
function patchdiff_store.append_observation (p_locked patchdiff_store.locked_target, p_row patchdiff_store.scope_observations, p_content bytea, p_scopes jsonb)
  returns patchdiff_store.scope_observations
  owner patchdiff_owner, language plpgsql, volatile
  body md5 55e76671a0b96d3315dd6ee4005f6016
function patchdiff_store.append_publication (p_locked patchdiff_store.locked_target, p_row patchdiff_store.workspace_publications)
  returns patchdiff_store.workspace_publications
  owner patchdiff_owner, language plpgsql, volatile
  body md5 30f31c1df23808f11af05360fa46f83a
function patchdiff_store.append_snapshot (p_locked patchdiff_store.locked_target, p_kind text, p_source_sha256 text, p_actor json, p_client_request_id text DEFAULT NULL::text, p_fingerprint text DEFAULT NULL::text)
  returns patchdiff_store.target_snapshots
  owner patchdiff_owner, language plpgsql, volatile
  body md5 808996892b4a5c361938cb02607a0082
function patchdiff_store.apply_attempt (p_buffer bytea, p_target uuid, p_log_sequence bigint)
  returns bytea
  owner patchdiff_owner, language plpgsql, stable
  body md5 2863a22df8381274a7dbd22d7d2015a8
function patchdiff_store.are_readable_items (p_payload text, p_items jsonb)
  returns boolean
  owner patchdiff_owner, language sql, immutable
  body md5 5b7b55d1848134782095b0ae1d0f7d0d
function patchdiff_store.are_warnings (p_warnings json)
  returns boolean
  owner patchdiff_owner, language plpgsql, immutable
  body md5 ab8c9b9ce4f10269b21abdc5bc6ab2d0
function patchdiff_store.ascii_json (p_json text)
  returns text
  owner patchdiff_owner, language plpgsql, immutable
  body md5 67ce99e6705f9ba4117b143537874be5
function patchdiff_store.attempt_encoding (p_row patchdiff_store.append_only_pdcp_logs)
  returns bytea
  owner patchdiff_owner, language sql, stable
  body md5 e0d6acd5e704fb645bbf068be9930296
function patchdiff_store.bind_target (p_target uuid, p_workspace jsonb)
  returns void
  owner patchdiff_owner, language plpgsql, volatile
  body md5 a2797954da215da7b068111853a0682d
function patchdiff_store.binding_facts (p_target uuid)
  returns jsonb
  owner patchdiff_owner, language sql, stable
  body md5 536b531031384d27295cffdfc29d9666
function patchdiff_store.blame_lines (p_target uuid, p_version bigint)
  returns TABLE(line_number integer, line_text text, ledger_sequence bigint)
  owner patchdiff_owner, language plpgsql, stable
  body md5 5d4e43628c171d96ab17c61f1ed1975c
function patchdiff_store.bundle_ledger (p_attempt patchdiff_store.append_only_pdcp_logs, p_ledger_sequence bigint, p_intent text, p_walk patchdiff_store.walk)
  returns SETOF patchdiff_store.append_only_manifest_ledger
  owner patchdiff_owner, language plpgsql, stable
  body md5 be45d5193af01a936cbd3fa012978082
function patchdiff_store.bundle_payload (p_payload text, p_observation jsonb)
  returns text
  owner patchdiff_owner, language sql, stable
  body md5 efdbcdfe3217e8ea99459aee51bd5f49
function patchdiff_store.candidates_evidence (p_buffer bytea, p_needle bytea, p_from integer, p_to integer, OUT evidence text, OUT count bigint, OUT first_chars integer)
  returns record
  owner patchdiff_owner, language plpgsql, immutable
  body md5 41f16e1e73f441ffc4aff59505195711
function patchdiff_store.canonical_item (p_item jsonb)
  returns text
  owner patchdiff_owner, language sql, stable
  body md5 4907645a25da7f7d9517239954812fc7
function patchdiff_store.canonical_json (p_argument text, p_value json)
  returns text
  owner patchdiff_owner, language plpgsql, immutable
  body md5 fcbc58f87e11df94da27cb7b4e9da5d0
function patchdiff_store.canonical_object (p_object jsonb, p_nested jsonb DEFAULT '{}'::jsonb)
  returns text
  owner patchdiff_owner, language sql, stable
  body md5 702828f0c5371d40094f75357eb62596
function patchdiff_store.canonical_record (p_record jsonb, p_items text, p_replacement text)
  returns text
  owner patchdiff_owner, language sql, stable
  body md5 29ca5cadf37003e47f16469a0af33dc3
function patchdiff_store.carry_content (p_target uuid, p_from bigint, p_content bytea, p_to bigint)
  returns bytea
  owner patchdiff_owner, language plpgsql, stable
  body md5 7f703077928e029f7429cc32a3631726
function patchdiff_store.change_id_of (p_item jsonb, p_ordinal integer)
  returns text
  owner patchdiff_owner, language sql, immutable
  body md5 3e683fa56dfbbd69f53a869e1cf1cc6b
function patchdiff_store.changes_json (p_walk patchdiff_store.walk)
  returns json
  owner patchdiff_owner, language plpgsql, stable
  body md5 77378efe09aac158b16eec6b7482e562
function patchdiff_store.changes_of (p_target uuid, p_log_sequence bigint)
  returns json
  owner patchdiff_owner, language sql, stable
  body md5 c9c11e95986a35b72b517a24f7543e07
function patchdiff_store.check_adoption (p_workspace jsonb, p_facts jsonb, p_runs jsonb)
  returns void
  owner patchdiff_owner, language plpgsql, immutable
  body md5 7062825ee04d791d608295a486c4b8a1
function patchdiff_store.check_bound (p_locked patchdiff_store.locked_target, p_root text, p_path text)
  returns void
  owner patchdiff_owner, language plpgsql, stable
  body md5 6080e933e026534522da71368d6019d1
function patchdiff_store.check_claim (p_argument text, p_value json)
  returns void
  owner patchdiff_owner, language plpgsql, immutable
  body md5 dae61db3c70a3d4641954d8791461b7e
function patchdiff_store.check_commit_call (p_target uuid, p_payload text, p_client_request_id text, p_parent text, p_attempt integer, p_source text, p_actor json, p_verdict text, p_claimed_reason text, p_warnings json, p_raw_metadata jsonb)
  returns void
  owner patchdiff_owner, language plpgsql, immutable
  body md5 4253082e6c2da6e0d68433f54e4b002c
function patchdiff_store.check_creation (p_display_name text, p_content text, p_workspace jsonb)
  returns void
  owner patchdiff_owner, language plpgsql, immutable
  body md5 b21ffd96e656ce47d655bea5f20ba402
function patchdiff_store.check_digest (p_argument text, p_value text, p_required boolean)
  returns void
  owner patchdiff_owner, language plpgsql, immutable
  body md5 0ba3320dc1f9d2050b2917c32901029d
function patchdiff_store.check_direct_call (p_target uuid, p_bytes bigint)
  returns void
  owner patchdiff_owner, language plpgsql, immutable
  body md5 6facef864f5298961c281e9898079cd8
function patchdiff_store.check_import_call (p_attempt patchdiff_store.append_only_pdcp_logs, p_payload text, p_parent text)
  returns void
  owner patchdiff_owner, language plpgsql, immutable
  body md5 c56da4a0f32855f33c8f2495166aa8b9
function patchdiff_store.check_import_place (p_locked patchdiff_store.locked_target, p_attempt patchdiff_store.append_only_pdcp_logs)
  returns void
  owner patchdiff_owner, language plpgsql, stable
  body md5 b56f6e67f6afaa4eafcdcad848c4e77b
function patchdiff_store.check_import_rejection (p_attempt patchdiff_store.append_only_pdcp_logs, p_payload text, p_record jsonb, p_evidence_format text)
  returns void
  owner patchdiff_owner, language plpgsql, immutable
  body md5 9147a0aeb9bece98838f6496e2d2888e
function patchdiff_store.check_observation (p_target uuid, p_expected_version bigint, p_expected_hash text, p_language text, p_grammar jsonb, p_has_errors boolean, p_scopes jsonb, p_actor json)
  returns void
  owner patchdiff_owner, language plpgsql, immutable
  body md5 1adca51aaad3dc0f9f0fc2ab2d2e878a
function patchdiff_store.check_outcome (p_intent patchdiff_store.workspace_publications, p_outcome text, p_observed_disk_sha256 text, p_detail json, p_client_request_id text)
  returns void
  owner patchdiff_owner, language plpgsql, immutable
  body md5 994564d7647f57d0e4b265f61e584f9c
function patchdiff_store.check_publication_open (p_intent patchdiff_store.workspace_publications, p_outcome text)
  returns void
  owner patchdiff_owner, language plpgsql, volatile
  body md5 a990f10dd1cc524064c0409548dc0be9
function patchdiff_store.check_rebinding (p_workspace jsonb)
  returns void
  owner patchdiff_owner, language plpgsql, immutable
  body md5 b097e89bafbe226241a48dd6478b6f13
function patchdiff_store.check_save (p_target uuid, p_expected_version bigint, p_expected_hash text, p_client_request_id text)
  returns void
  owner patchdiff_owner, language plpgsql, immutable
  body md5 9eca3cd72fb092088e4fa0514f6ff8d2
function patchdiff_store.check_subscription (p_subscriber text, p_lease interval)
  returns void
  owner patchdiff_owner, language plpgsql, immutable
  body md5 8d34c0d4f4a45ec85fd0607154955d52
function patchdiff_store.check_subscriptions_left (p_subscriber text)
  returns void
  owner patchdiff_owner, language plpgsql, volatile
  body md5 2ff4e7394c11208ab31a4d521b5e3fe3
function patchdiff_store.check_version (p_target uuid, p_version bigint)
  returns bigint
  owner patchdiff_owner, language plpgsql, stable
  body md5 6136f317ecbdffef728760a2ee1e612e
function patchdiff_store.check_written_runs (p_target uuid, p_runs jsonb, p_written_sha256 text, p_written_bytes bigint)
  returns void
  owner patchdiff_owner, language plpgsql, stable
  body md5 610b6bc6cee95da7e5e88da6ffca8e5a
function patchdiff_store.checkpoint_publication (p_locked patchdiff_store.locked_target, p_intent patchdiff_store.workspace_publications, p_actor json)
  returns uuid
  owner patchdiff_owner, language plpgsql, volatile
  body md5 3271423ab9ef302d9b228cbf595dd5cd
function patchdiff_store.claim_json (p_verdict text, p_reason text, p_after_hash text)
  returns text
  owner patchdiff_owner, language sql, stable
  body md5 15088a4fc66199ce02fc847ae16422a6
function patchdiff_store.claimed_reason (p_diagnostic json)
  returns text
  owner patchdiff_owner, language plpgsql, immutable
  body md5 fec83ff7a5d40f7e5e21018b1cc0f5d0
function patchdiff_store.commit_direct (p_target uuid, p_payload text, p_client_request_id text, p_parent text, p_attempt integer, p_source text, p_actor json)
  returns patchdiff.commit_receipt
  owner patchdiff_owner, language plpgsql, volatile
  body md5 d4f10cbfad67f7e538c0c3573566fca8
function patchdiff_store.commit_submission (p_target uuid, p_payload text, p_client_request_id text, p_parent text, p_attempt integer, p_source text, p_actor json, p_base_hash text, p_verdict text, p_resolved_starts integer[], p_after_hash text, p_claimed_reason text, p_warnings json, p_raw_metadata jsonb, p_is_disk boolean DEFAULT false)
  returns patchdiff.commit_receipt
  owner patchdiff_owner, language plpgsql, volatile
  body md5 eb4b2a9faabe421dfa3e75e936dac567
function patchdiff_store.common_prefix (p_one bytea, p_other bytea)
  returns integer
  owner patchdiff_owner, language plpgsql, immutable
  body md5 f590ca6f034ef1cf170b792c69d00a28
function patchdiff_store.common_run (p_hay bytea, p_from integer, p_distance integer)
  returns integer
  owner patchdiff_owner, language plpgsql, immutable
  body md5 84b017d80cfda6101ef9869e670d8ffd
function patchdiff_store.common_suffix (p_one bytea, p_other bytea, p_most integer)
  returns integer
  owner patchdiff_owner, language plpgsql, immutable
  body md5 0148f8dad61fc05542c61a1dc33622fc
function patchdiff_store.consumer_of (p_content bytea, p_needle bytea, p_walk patchdiff_store.walk, p_replacement text[])
  returns integer
  owner patchdiff_owner, language plpgsql, immutable
  body md5 a5a2c6e06697555868f67dbcb7bdf159
function patchdiff_store.creation_encoding (p_row patchdiff_store.target_snapshots)
  returns bytea
  owner patchdiff_owner, language sql, stable
  body md5 5aaf4859cf9aca684ca513e1e933c9ed
function patchdiff_store.creation_facts (p_target uuid)
  returns json
  owner patchdiff_owner, language sql, stable
  body md5 210b72fc5320be5a67b41c85c0f361bc
function patchdiff_store.cut_context (p_fault patchdiff_store.fault, p_buffer bytea, p_chars integer, p_prior_changes integer, p_point bigint)
  returns patchdiff_store.fault
  owner patchdiff_owner, language plpgsql, immutable
  body md5 2692a4e3b0eb8e442520d59106aa72ba
function patchdiff_store.cut_scopes (p_observation patchdiff_store.scope_observations, p_content bytea, p_chars integer, p_scopes jsonb, p_before bigint)
  returns SETOF patchdiff_store.observed_scopes
  owner patchdiff_owner, language plpgsql, stable
  body md5 af5fb899742ebd648ccf236200228972
function patchdiff_store.decode_groups (p_groups jsonb, p_scopes jsonb)
  returns patchdiff_store.fault
  owner patchdiff_owner, language plpgsql, immutable
  body md5 fd93d547fe0649be8bc5d805b2b70f54
function patchdiff_store.decode_item (p_item jsonb, p_ordinal integer, p_count integer, p_format text, p_used text[])
  returns patchdiff_store.fault
  owner patchdiff_owner, language plpgsql, immutable
  body md5 fce5416d8b9611e959e7a5b7fe41fd7b
function patchdiff_store.decode_record (p_record jsonb, p_target uuid, p_malformed text, p_scopes jsonb DEFAULT NULL::jsonb)
  returns patchdiff_store.fault
  owner patchdiff_owner, language plpgsql, immutable
  body md5 89cfe0728a42fe508423b2610de60ff3
function patchdiff_store.diagnostic_of (p_attempt patchdiff_store.append_only_pdcp_logs, p_fault patchdiff_store.fault, p_members text)
  returns text
  owner patchdiff_owner, language plpgsql, immutable
  body md5 17d239d5807982e488c01707d468939d
function patchdiff_store.diff_name (p_side text, p_target uuid, p_version bigint)
  returns text
  owner patchdiff_owner, language sql, stable
  body md5 e2ee66429e53faa5d2d52e189c9668ef
function patchdiff_store.differing_lines (p_old bytea, p_new bytea)
  returns integer[]
  owner patchdiff_owner, language plpgsql, immutable
  body md5 349474d34dee42ae440da328c57bf959
function patchdiff_store.direct_operations (p_spans json)
  returns text
  owner patchdiff_owner, language plpgsql, immutable
  body md5 1c34fa8832fceac962d478151a285278
function patchdiff_store.direct_record (p_format text, p_target uuid, p_intent text, p_expected_target_version bigint, p_expected_current_hash text, p_edits text, p_operations text)
  returns text
  owner patchdiff_owner, language sql, immutable
  body md5 bc201cbc8d97df6fb7a173fa3baff5f7
function patchdiff_store.divergence (p_locked patchdiff_store.locked_target)
  returns patchdiff_store.fault
  owner patchdiff_owner, language plpgsql, stable
  body md5 8eebff5d53517574555945a8d534ca69
function patchdiff_store.earlier_fingerprint (p_attempt patchdiff_store.append_only_pdcp_logs, p_payload text, p_parent text, p_raw_metadata jsonb)
  returns text
  owner patchdiff_owner, language plpgsql, immutable
  body md5 17dff27afc8881396447ddc43bdd48f3
function patchdiff_store.envelope_of (p_payload text, p_record jsonb, p_parent text, p_raw_metadata jsonb)
  returns patchdiff_store.envelope
  owner patchdiff_owner, language plpgsql, immutable
  body md5 14e2148ae7ef9afc7b9536099d3a801e
function patchdiff_store.eol_runs_fault (p_runs jsonb, p_line_ends bigint)
  returns text
  owner patchdiff_owner, language sql, immutable
  body md5 3cc3ce9616bff09375ea8888ba6cdd44
function patchdiff_store.eol_runs_of (p_text text)
  returns jsonb
  owner patchdiff_owner, language sql, immutable
  body md5 927c819d07c710b4eb5bf211ae945c7f
function patchdiff_store.failure_words (p_code text)
  returns TABLE(stage text, reason text, words text)
  owner patchdiff_owner, language sql, immutable
  body md5 bd8dfe391412a6d41e58366884205ec4
function patchdiff_store.fault_of (p_code text, p_path text DEFAULT NULL::text, p_ordinal integer DEFAULT NULL::integer, p_change_id text DEFAULT NULL::text, p_words jsonb DEFAULT '{}'::jsonb)
  returns patchdiff_store.fault
  owner patchdiff_owner, language plpgsql, immutable
  body md5 bc5503b974615ef8a728ab10bb898bc2
function patchdiff_store.file_key (p_root text, p_path text)
  returns bytea
  owner patchdiff_owner, language sql, stable
  body md5 2005e2eab1e1ba9714224eabe899b22a
function patchdiff_store.fits_parameter (p_name text, p_value jsonb)
  returns boolean
  owner patchdiff_owner, language plpgsql, immutable
  body md5 d61c5efc518102e609df91ea6d1d49dc
function patchdiff_store.forbid_change ()
  returns trigger
  owner patchdiff_owner, language plpgsql, volatile, set search_path="", pg_temp
  body md5 7033149e80f221b08b6ad6ac85edd94d
function patchdiff_store.genesis_hash (p_target uuid)
  returns bytea
  owner patchdiff_owner, language sql, stable
  body md5 b3e415f7b50f3f2dce00cedd89ae16f7
function patchdiff_store.guard_fault (p_attempt patchdiff_store.append_only_pdcp_logs)
  returns patchdiff_store.fault
  owner patchdiff_owner, language plpgsql, immutable
  body md5 dac2f2a420abe9c917fb78962072873a
function patchdiff_store.guard_hash (p_record jsonb)
  returns text
  owner patchdiff_owner, language sql, immutable
  body md5 7cfec092f675abf1b62c7739180f5625
function patchdiff_store.guard_version (p_record jsonb)
  returns bigint
  owner patchdiff_owner, language sql, immutable
  body md5 78dc744ffb9f037036d4be69e072da01
function patchdiff_store.head_of_content (p_target uuid)
  returns text
  owner patchdiff_owner, language sql, stable
  body md5 5611ddfb01e2564047235ce0020c3a3f
function patchdiff_store.holds_exponent (p_json text)
  returns boolean
  owner patchdiff_owner, language sql, immutable
  body md5 1f3a134aad787a9297d321d505d066f8
function patchdiff_store.holds_unencodable (p_json text)
  returns boolean
  owner patchdiff_owner, language plpgsql, immutable
  body md5 f52ac5cc47a40bb999116c005781d893
function patchdiff_store.import_attempt (p_target uuid, p_pdcp_log_id uuid, p_created_at timestamp with time zone, p_status text, p_protocol_version text, p_runtime_version text, p_payload text, p_payload_hash text, p_before_version bigint, p_before_hash text, p_after_version bigint DEFAULT NULL::bigint, p_after_hash text DEFAULT NULL::text, p_decided_by text DEFAULT 'runtime'::text, p_client_request_id text DEFAULT NULL::text, p_is_fingerprinted boolean DEFAULT true, p_parent text DEFAULT NULL::text, p_attempt integer DEFAULT NULL::integer, p_source text DEFAULT NULL::text, p_actor json DEFAULT NULL::json, p_warnings json DEFAULT NULL::json, p_validation_stage text DEFAULT NULL::text, p_failure_reason text DEFAULT NULL::text, p_failure_code text DEFAULT NULL::text, p_failure_detail text DEFAULT NULL::text, p_failed_change_id text DEFAULT NULL::text, p_diagnostic json DEFAULT NULL::json)
  returns patchdiff.attempt_entry
  owner patchdiff_owner, language plpgsql, volatile, set search_path="", pg_temp, lock_timeout=5s, plan_cache_mode=force_generic_plan, standard_conforming_strings=on
  body md5 43316a5d990966f138869d8bdf5181a9
function patchdiff_store.import_encoding (p_row patchdiff_store.append_only_pdcp_logs)
  returns bytea
  owner patchdiff_owner, language sql, stable
  body md5 0fa4d5debfc577a96ee2eac7e03a15bd
function patchdiff_store.import_evidence (p_payload text, p_record jsonb, OUT evidence_format text, OUT evidence_sha256 text)
  returns record
  owner patchdiff_owner, language plpgsql, immutable
  body md5 3df2adafdbcbaefc9fe0f16d8de7b34e
function patchdiff_store.import_item_fault (p_item jsonb, p_ordinal integer, p_count integer, p_protocol_version text, p_has_adjacency boolean, p_change_id text, p_is_duplicate boolean, OUT code text, OUT path text)
  returns record
  owner patchdiff_owner, language plpgsql, immutable
  body md5 f67d152ebb6e9f86f3495f234c8cd54d
function patchdiff_store.import_ledger (p_attempt patchdiff_store.append_only_pdcp_logs, p_ledger_sequence bigint, p_intent text, p_walk patchdiff_store.walk)
  returns patchdiff_store.append_only_manifest_ledger[]
  owner patchdiff_owner, language sql, stable
  body md5 300b6654a17ee74ed3305a06ccd2059f
function patchdiff_store.import_match_start (p_buffer bytea, p_needle bytea, p_index bigint, p_anchor_before text, p_anchor_after text, p_overlapping boolean, p_selectors_on_single boolean, OUT start integer, OUT code text)
  returns record
  owner patchdiff_owner, language plpgsql, immutable
  body md5 6d16674e956b7b491dba02ce87f834e8
function patchdiff_store.import_profile (p_protocol_version text, p_runtime_version text, OUT overlapping_matches boolean, OUT selectors_on_single_match boolean, OUT historical_change_ids boolean, OUT span_adjacency boolean)
  returns record
  owner patchdiff_owner, language sql, immutable
  body md5 69e9a69743bc6b641194f7f914c8431a
function patchdiff_store.import_record_fault (p_record jsonb, p_target uuid, p_protocol_version text, p_has_historical_ids boolean, p_has_adjacency boolean, OUT code text, OUT path text)
  returns record
  owner patchdiff_owner, language plpgsql, immutable
  body md5 98fea2325f6c0f6795448f7e16527eac
function patchdiff_store.import_walk (p_locked patchdiff_store.locked_target, p_attempt patchdiff_store.append_only_pdcp_logs, p_record jsonb)
  returns patchdiff_store.walk
  owner patchdiff_owner, language plpgsql, stable
  body md5 952184b78b9b9bf5950ad980eda45a34
function patchdiff_store.in_group (p_fault patchdiff_store.fault, p_group integer, p_operation integer, p_before integer, p_scope jsonb)
  returns patchdiff_store.fault
  owner patchdiff_owner, language plpgsql, immutable
  body md5 97d610b048667d7880724a4b5f3dcd6c
function patchdiff_store.integer_of (p_value jsonb, p_least bigint)
  returns bigint
  owner patchdiff_owner, language sql, immutable
  body md5 8e91fa22354c301c11dc7275f4d87a73
function patchdiff_store.intent_moved (p_locked patchdiff_store.locked_target, p_intent patchdiff_store.workspace_publications)
  returns patchdiff_store.fault
  owner patchdiff_owner, language plpgsql, immutable
  body md5 a0bb504eeee02fea07e970776dcb894c
function patchdiff_store.is_absent (p_hay text, p_needle text)
  returns boolean
  owner patchdiff_owner, language plpgsql, immutable
  body md5 22d215614d521af8b8fed7a354c3ed42
function patchdiff_store.is_blank (p_text text)
  returns boolean
  owner patchdiff_owner, language sql, immutable
  body md5 2caa0fbe0e2454465c1cd49321b2793f
function patchdiff_store.is_canonical (p_payload text, p_record jsonb)
  returns boolean
  owner patchdiff_owner, language plpgsql, stable
  body md5 20f912fb5f2355a839734d5bec187736
function patchdiff_store.is_intact (p_locked patchdiff_store.locked_target, p_content bytea)
  returns boolean
  owner patchdiff_owner, language sql, stable
  body md5 bf1a69ef9722a294eda5968eac349f50
function patchdiff_store.is_json (p_text text)
  returns boolean
  owner patchdiff_owner, language plpgsql, immutable
  body md5 334cee170fe221a0749b18904a84bd89
function patchdiff_store.is_json_object (p_text text)
  returns boolean
  owner patchdiff_owner, language plpgsql, immutable
  body md5 1fb4d3781848995084adfc8bdcd76075
function patchdiff_store.is_line_start (p_text bytea, p_at integer)
  returns boolean
  owner patchdiff_owner, language sql, immutable
  body md5 79725e75a93717854713d98671dc5c22
function patchdiff_store.is_mentioned (p_target uuid)
  returns boolean
  owner patchdiff_owner, language sql, stable
  body md5 51c11b656663a47ef00ca82da9afde69
function patchdiff_store.is_only_at (p_buffer bytea, p_text text, p_start integer, p_low integer, p_high integer)
  returns boolean
  owner patchdiff_owner, language sql, stable
  body md5 2f06e061ebd7f877028485c5536d8d45
function patchdiff_store.is_raw_metadata (p_raw_metadata jsonb, p_client_request_id text, p_parent text, p_attempt integer, p_source text)
  returns boolean
  owner patchdiff_owner, language plpgsql, immutable
  body md5 18409311e8eb3d4965eecaf158abf8f6
function patchdiff_store.is_retryable (p_reason text, p_stage text)
  returns boolean
  owner patchdiff_owner, language sql, immutable
  body md5 ac37179db7ba4ef74688dae1ca558108
function patchdiff_store.is_sound (p_payload text, p_record jsonb, p_target uuid, p_items text, p_well_formed boolean, p_count integer, p_replacement text)
  returns boolean
  owner patchdiff_owner, language plpgsql, stable
  body md5 6e586ca4843db712a77f9a2624636edf
function patchdiff_store.is_source (p_source text)
  returns boolean
  owner patchdiff_owner, language sql, immutable
  body md5 355f454da8eafca165ee84ab636e2cf1
function patchdiff_store.is_well_formed (p_item jsonb, p_format text)
  returns boolean
  owner patchdiff_owner, language sql, immutable
  body md5 3b86921c0dc47d34cde980356c617572
function patchdiff_store.items_of (p_payload jsonb)
  returns jsonb
  owner patchdiff_owner, language sql, immutable
  body md5 961a4617f1a4d845708e66fce871b959
function patchdiff_store.key_conflict (p_key patchdiff_store.request_keys, p_client_request_id text)
  returns patchdiff_store.fault
  owner patchdiff_owner, language plpgsql, stable
  body md5 1de853a3d21c7ef9453ced9aff0d875d
function patchdiff_store.key_encoding (p_row patchdiff_store.request_keys)
  returns bytea
  owner patchdiff_owner, language sql, stable
  body md5 417a09ec483867c2b681d74eb03549df
function patchdiff_store.known_file (p_locked patchdiff_store.locked_target, OUT disk_sha256 text, OUT version bigint)
  returns record
  owner patchdiff_owner, language plpgsql, stable
  body md5 075a5a00edf6b2ff0b7855838d7aaf29
function patchdiff_store.last_occurrence (p_hay bytea, p_needle bytea)
  returns integer
  owner patchdiff_owner, language plpgsql, immutable
  body md5 d1227c4a88d1121f0f31993568cfe7a6
function patchdiff_store.ledger_encoding (p_row patchdiff_store.append_only_manifest_ledger)
  returns bytea
  owner patchdiff_owner, language sql, stable
  body md5 1574a7abfb61eda04f62831af1f5056f
function patchdiff_store.ledger_row (p_attempt patchdiff_store.append_only_pdcp_logs, p_sequence bigint, p_ordinal integer, p_intent text, p_change_id text, p_operation text, p_rationale text, p_risk text, p_span_start integer, p_span_end integer, p_matched_chars integer, p_replacement_chars integer, p_matched_sha256 text, p_replacement_sha256 text, p_start_byte integer, p_deleted_bytes integer, p_inserted_bytes integer)
  returns patchdiff_store.append_only_manifest_ledger
  owner patchdiff_owner, language sql, stable
  body md5 48961dd19937eb7276c4afff72ce5cd6
function patchdiff_store.lf (p_text text)
  returns text
  owner patchdiff_owner, language sql, immutable
  body md5 5148121cc3cb2ce3f568cd0c4a796faa
function patchdiff_store.line_changes (p_old bytea, p_new bytea)
  returns TABLE(old_from integer, old_to integer, new_from integer, new_to integer, old_line integer, old_lines integer, new_line integer, new_lines integer)
  owner patchdiff_owner, language plpgsql, immutable
  body md5 00bb2ab316341f332ef42df4a537510d
function patchdiff_store.line_start (p_text bytea, p_at integer)
  returns integer
  owner patchdiff_owner, language plpgsql, immutable
  body md5 8d3a83d98de621e5fbe55cfa93a05a11
function patchdiff_store.line_writers (p_text text, p_from integer[], p_to integer[], p_growth integer[])
  returns integer[]
  owner patchdiff_owner, language plpgsql, immutable
  body md5 3f29b8e4fdf1c60a7fe8ae6d178622be
function patchdiff_store.lines_of (p_text text)
  returns text[]
  owner patchdiff_owner, language plpgsql, immutable
  body md5 e96f16802a1589ba8d714264812bf33a
function patchdiff_store.lock_stale_subscriptions ()
  returns SETOF patchdiff_store.commit_subscriptions
  owner patchdiff_owner, language sql, volatile
  body md5 67ef5761d4208d909ceb2c843c151b2a
function patchdiff_store.lock_target (p_target uuid)
  returns patchdiff_store.locked_target
  owner patchdiff_owner, language plpgsql, volatile
  body md5 9c307764d2cf0dbc3d544546b9d7139e
function patchdiff_store.mark_unencodable (p_json text)
  returns text
  owner patchdiff_owner, language plpgsql, immutable
  body md5 ad69515d7b5ac93fe0987db83d6c2f64
function patchdiff_store.matched_lines (p_old text[], p_new text[])
  returns integer[]
  owner patchdiff_owner, language plpgsql, immutable
  body md5 d7d44acc3290273b27be3166b6b76070
function patchdiff_store.missing_rows (p_table text, p_key text, p_present bigint[], p_last bigint)
  returns SETOF patchdiff_store.finding
  owner patchdiff_owner, language sql, immutable
  body md5 1ef9984a3257762080a3d3aafcdf99d2
function patchdiff_store.nests_beyond (p_json text, p_levels integer)
  returns boolean
  owner patchdiff_owner, language plpgsql, immutable
  body md5 f96878cc1bd5222fe3bd1560817b1d5c
function patchdiff_store.next_long_occurrence (p_hay bytea, p_needle bytea, p_from integer, p_to integer)
  returns integer
  owner patchdiff_owner, language plpgsql, immutable
  body md5 9a9411448f6b33394a07ebc22c06a2ec
function patchdiff_store.next_occurrence (p_hay bytea, p_needle bytea, p_from integer, p_to integer)
  returns integer
  owner patchdiff_owner, language plpgsql, immutable
  body md5 4a8c301e66e66b8e264476c87fc83084
function patchdiff_store.non_finite_fault (p_fault patchdiff_store.fault, p_payload text, p_target uuid, p_malformed text, p_claimed_reason text, p_scopes jsonb)
  returns patchdiff_store.fault
  owner patchdiff_owner, language plpgsql, immutable
  body md5 305893d0168f72894621a82d0ca6b260
function patchdiff_store.nth_occurrence (p_hay bytea, p_needle bytea, p_nth bigint)
  returns integer
  owner patchdiff_owner, language plpgsql, immutable
  body md5 f681cd75f342fbb36a3a2c464cebeb80
function patchdiff_store.number_json (p_argument text, p_number text)
  returns text
  owner patchdiff_owner, language plpgsql, immutable, set extra_float_digits=1
  body md5 57e09bade5fafc953910bda846ffd518
function patchdiff_store.observation_encoding (p_row patchdiff_store.scope_observations)
  returns bytea
  owner patchdiff_owner, language sql, stable
  body md5 667a260a2c408fa40d70bf517621e43b
function patchdiff_store.observation_json (p_observation jsonb)
  returns text
  owner patchdiff_owner, language sql, stable
  body md5 ca4dec8d360b186f425fbd5036cbbeb6
function patchdiff_store.observation_of (p_target uuid, p_record jsonb)
  returns jsonb
  owner patchdiff_owner, language sql, stable
  body md5 f1d57fc19b033b8d4d0c8ad2bb878dc0
function patchdiff_store.observe_target (p_target uuid)
  returns patchdiff_store.locked_target
  owner patchdiff_owner, language plpgsql, stable
  body md5 f771f51d49881bfc2886087d698d34f2
function patchdiff_store.page_limit (p_limit integer)
  returns integer
  owner patchdiff_owner, language plpgsql, immutable
  body md5 03cb51ae3d2ae6ad91fca2cd5fcee545
function patchdiff_store.payload_json (p_payload text)
  returns jsonb
  owner patchdiff_owner, language plpgsql, immutable
  body md5 302bc3b6af5cb6bd5b9d5746d29b7f8f
function patchdiff_store.prefix_bytes (p_buffer bytea, p_at integer, p_mark_bytes integer, p_mark_chars integer, p_bytes integer, p_chars integer)
  returns integer
  owner patchdiff_owner, language plpgsql, immutable
  body md5 06cb2a5f057f62b7fda91cc51c62f3b6
function patchdiff_store.prefix_chars (p_buffer bytea, p_at integer, p_mark_bytes integer, p_mark_chars integer, p_bytes integer, p_chars integer)
  returns integer
  owner patchdiff_owner, language plpgsql, immutable
  body md5 d21116ce6db77c537d3bfd8a583839f9
function patchdiff_store.protocol_of (p_record jsonb)
  returns text
  owner patchdiff_owner, language sql, immutable
  body md5 92da74658470745ed7baf9dd31788644
function patchdiff_store.publication_answer (p_locked patchdiff_store.locked_target, p_outcome text, p_fault patchdiff_store.fault)
  returns patchdiff.publication_receipt
  owner patchdiff_owner, language plpgsql, stable
  body md5 d49ef3ba863f2f2b90303972ebea0ed8
function patchdiff_store.publication_encoding (p_row patchdiff_store.workspace_publications)
  returns bytea
  owner patchdiff_owner, language sql, stable
  body md5 fcf2b2e8db2bc2a1754c1dc1eda22efe
function patchdiff_store.publication_intent (p_target uuid, p_publication_id uuid)
  returns patchdiff_store.workspace_publications
  owner patchdiff_owner, language plpgsql, volatile
  body md5 7eafea0be727512bc58ca26b7e2d9742
function patchdiff_store.publication_moved (p_locked patchdiff_store.locked_target, p_version bigint, p_content_hash text, p_expected_disk_sha256 text)
  returns patchdiff_store.fault
  owner patchdiff_owner, language plpgsql, immutable
  body md5 e3be172520cfde0eee55ffca9ff13bf4
function patchdiff_store.raise_history_diverged (p_target uuid, p_version bigint)
  returns void
  owner patchdiff_owner, language plpgsql, stable
  body md5 685d243fe2dfe92a28ad506be4cca65a
function patchdiff_store.raise_target_not_found (p_target uuid)
  returns void
  owner patchdiff_owner, language plpgsql, stable
  body md5 1ff9aad1829c0f62aa988e5be085b9a2
function patchdiff_store.raw_member (p_json text, p_name text)
  returns text
  owner patchdiff_owner, language plpgsql, immutable
  body md5 420bd52a78e04bd2c285c3181eaa8c36
function patchdiff_store.raw_values (p_attempt patchdiff_store.append_only_pdcp_logs, p_payload text, p_record jsonb, p_client_request_id text, p_parent text, p_attempt_number integer, p_source text, p_raw_metadata jsonb)
  returns text
  owner patchdiff_owner, language plpgsql, immutable
  body md5 ffccbfcf75faaab670f6101c3e712c2b
function patchdiff_store.read_operations (p_items jsonb, p_format text)
  returns patchdiff_store.operations
  owner patchdiff_owner, language plpgsql, stable
  body md5 5b65574dac25a545e55de4ba790af45a
function patchdiff_store.read_plain_item (p_item jsonb, p_format text)
  returns patchdiff_store.operations
  owner patchdiff_owner, language plpgsql, stable
  body md5 d66e88c7ec159db64b6a657c24c5f818
function patchdiff_store.rebind_fault (p_locked patchdiff_store.locked_target, p_workspace jsonb, p_expected_version bigint, p_expected_hash text)
  returns patchdiff_store.fault
  owner patchdiff_owner, language plpgsql, stable
  body md5 0724cb0f2c29ebb25ee3261fec2e00d8
function patchdiff_store.recall_attempt (p_locked patchdiff_store.locked_target, p_log_sequence bigint)
  returns patchdiff.commit_receipt
  owner patchdiff_owner, language plpgsql, stable
  body md5 c9e94d492b84b8e44502971c4f75524b
function patchdiff_store.recall_save (p_locked patchdiff_store.locked_target, p_client_request_id text, p_fingerprint text, p_publication_id uuid DEFAULT NULL::uuid)
  returns patchdiff.save_receipt
  owner patchdiff_owner, language plpgsql, volatile
  body md5 80322a862bb170c07d162b5466cc13bb
function patchdiff_store.receipt_of (p_locked patchdiff_store.locked_target, p_row patchdiff_store.append_only_pdcp_logs, p_changes json, p_context text)
  returns patchdiff.commit_receipt
  owner patchdiff_owner, language plpgsql, immutable
  body md5 e5c21082f7b8d3de91a43249cee894d0
function patchdiff_store.reconstruct (p_target uuid, p_version bigint)
  returns text
  owner patchdiff_owner, language plpgsql, stable
  body md5 b1310781c76f58cc8ecc3a1ce57b3020
function patchdiff_store.record_adoption (p_locked patchdiff_store.locked_target, p_row patchdiff_store.workspace_publications)
  returns patchdiff_store.workspace_publications
  owner patchdiff_owner, language plpgsql, volatile
  body md5 12e27e95f2e07b8a89404e753c19fa1e
function patchdiff_store.record_fingerprint (p_attempt patchdiff_store.append_only_pdcp_logs, p_parent text)
  returns text
  owner patchdiff_owner, language sql, immutable
  body md5 677360b9853f736cfb69cc33589394cd
function patchdiff_store.record_rebinding (p_locked patchdiff_store.locked_target, p_workspace jsonb, p_actor json)
  returns patchdiff_store.workspace_publications
  owner patchdiff_owner, language plpgsql, volatile
  body md5 46705dde58212d0f1b1c4e55c58649c7
function patchdiff_store.refuse_import (p_attempt patchdiff_store.append_only_pdcp_logs, p_check text, p_rule text, p_facts jsonb DEFAULT '{}'::jsonb)
  returns void
  owner patchdiff_owner, language plpgsql, immutable
  body md5 98456f733e74f1e5183a6704fa77516d
function patchdiff_store.remember_save (p_target uuid, p_client_request_id text, p_fingerprint text, p_receipt patchdiff.save_receipt)
  returns void
  owner patchdiff_owner, language plpgsql, volatile
  body md5 310b787fff7d298e54ec6c13b23007ef
function patchdiff_store.renumbered (p_text text, p_before integer)
  returns text
  owner patchdiff_owner, language sql, immutable
  body md5 72566a04cab14bf9eea355071da2d2f4
function patchdiff_store.representable_json (p_json text)
  returns text
  owner patchdiff_owner, language plpgsql, immutable
  body md5 3d9da6866c3644190a0d197f93f42447
function patchdiff_store.request_fingerprint (p_attempt patchdiff_store.append_only_pdcp_logs, p_parent text, p_evidence_format text, p_evidence_sha256 text)
  returns text
  owner patchdiff_owner, language plpgsql, immutable
  body md5 64eea50ad61af36696c07aaad2fff0b5
function patchdiff_store.resolve_match (p_buffer bytea, p_needle bytea, p_index bigint, p_anchor_before text, p_anchor_after text, OUT start integer, OUT code text, OUT evidence text, OUT count bigint, OUT point_chars integer)
  returns record
  owner patchdiff_owner, language plpgsql, immutable
  body md5 353b9901d1b0bb0912244d401545968e
function patchdiff_store.restored_text (p_content text, p_runs jsonb)
  returns text
  owner patchdiff_owner, language sql, immutable
  body md5 19e361cfd561e9edc8b2f19c56afb041
function patchdiff_store.runtime_version_of (p_record jsonb)
  returns text
  owner patchdiff_owner, language plpgsql, immutable
  body md5 3062cacb7ea74e5bd10b6ed434176860
function patchdiff_store.save_answer (p_locked patchdiff_store.locked_target, p_outcome text, p_fault patchdiff_store.fault)
  returns patchdiff.save_receipt
  owner patchdiff_owner, language plpgsql, volatile
  body md5 6feac6d26595992053eb4c4638d6c062
function patchdiff_store.save_fault (p_locked patchdiff_store.locked_target, p_expected_version bigint, p_expected_hash text)
  returns patchdiff_store.fault
  owner patchdiff_owner, language plpgsql, stable
  body md5 ea162d20063c613f8b4ff69f4583141a
function patchdiff_store.save_fingerprint (p_target uuid, p_expected_version bigint, p_expected_hash text, p_sync_workspace boolean)
  returns text
  owner patchdiff_owner, language sql, stable
  body md5 f52584e91ab98845989b049fa604cea9
function patchdiff_store.scan_occurrences (p_hay bytea, p_needle bytea, p_from integer, p_to integer, p_limit bigint, OUT hits bigint, OUT last integer)
  returns record
  owner patchdiff_owner, language plpgsql, immutable
  body md5 5f53c714afbb048cf43e0a84aa095bf4
function patchdiff_store.scope_encoding (p_row patchdiff_store.observed_scopes)
  returns bytea
  owner patchdiff_owner, language sql, stable
  body md5 5843c1de6b4c2bc8cd2e0e1283d3f690
function patchdiff_store.scope_id_of (p_target uuid, p_content_hash text, p_grammar_name text, p_grammar_version text, p_kind text, p_start integer, p_end integer)
  returns text
  owner patchdiff_owner, language sql, immutable
  body md5 ca9a92a9e42f14729da71c156783303a
function patchdiff_store.scopes_json (p_target uuid, p_observation_sequence bigint)
  returns json
  owner patchdiff_owner, language sql, stable
  body md5 0586f87389ff79a54502cc412b79a941
function patchdiff_store.sha256_hex (p_bytes bytea)
  returns text
  owner patchdiff_owner, language sql, immutable
  body md5 2a7736f3e3d6e66dbbb6291ee56d616e
function patchdiff_store.shifted_bases (p_content bytea, p_operations patchdiff_store.operations, p_walk patchdiff_store.walk)
  returns json
  owner patchdiff_owner, language plpgsql, immutable
  body md5 c3ce43606020f0a64dfffdd376ea4992
function patchdiff_store.snapshot_encoding (p_row patchdiff_store.target_snapshots)
  returns bytea
  owner patchdiff_owner, language sql, stable
  body md5 85aee814a41bdcaa39a92380572136f3
function patchdiff_store.source_facts (p_source jsonb, p_sent text, p_canonical text)
  returns jsonb
  owner patchdiff_owner, language plpgsql, immutable
  body md5 cc23508b2bdfc28a2e1475095716aef1
function patchdiff_store.source_runs (p_source jsonb, p_sent text, p_facts jsonb)
  returns jsonb
  owner patchdiff_owner, language sql, immutable
  body md5 1cbd5c38be3d36d03d2195b98513deb4
function patchdiff_store.span_fault (p_buffer bytea, p_chars integer, p_operations patchdiff_store.operations, p_number integer)
  returns patchdiff_store.fault
  owner patchdiff_owner, language plpgsql, immutable
  body md5 4f03dc827754f8010fa3817140dadba0
function patchdiff_store.span_holds (p_buffer bytea, p_chars integer, p_operations patchdiff_store.operations, p_number integer, p_start integer)
  returns boolean
  owner patchdiff_owner, language plpgsql, immutable
  body md5 66f98c2a1448a2fe39f072fd1795582a
function patchdiff_store.stale_receipt (p_locked patchdiff_store.locked_target, p_fingerprint text, p_content bytea)
  returns patchdiff.commit_receipt
  owner patchdiff_owner, language plpgsql, immutable
  body md5 31c00e6217495abb53dd178f48ad7937
function patchdiff_store.stored_fingerprint (p_target uuid, p_log_sequence bigint)
  returns text
  owner patchdiff_owner, language plpgsql, stable
  body md5 d09fb22d1f0b685a4b201aab02633a80
function patchdiff_store.supersede_publications (p_target uuid, p_actor json, p_failure_code text)
  returns uuid[]
  owner patchdiff_owner, language plpgsql, volatile
  body md5 b33bf3b7b7220761e1263843cc43467a
function patchdiff_store.unified_diff (p_old text, p_new text, p_old_name text, p_new_name text)
  returns text
  owner patchdiff_owner, language plpgsql, immutable
  body md5 95eab010b6c54a1c44147dfbaa191a89
function patchdiff_store.unmark_unencodable (p_marked text)
  returns text
  owner patchdiff_owner, language plpgsql, immutable
  body md5 214e5d24d401ba2bb73cd3404d56a0ac
function patchdiff_store.verify_attempt_replay (p_buffer bytea, p_target uuid, p_log_sequence bigint)
  returns SETOF patchdiff_store.finding
  owner patchdiff_owner, language plpgsql, stable
  body md5 e5491ef51f3472c137ad161485d5e592
function patchdiff_store.verify_attempts (p_target uuid)
  returns SETOF patchdiff_store.finding
  owner patchdiff_owner, language sql, stable
  body md5 e27eaded7c03312d2b3edf963c4c2c0c
function patchdiff_store.verify_chain (p_target uuid, p_noted_sequence bigint, p_noted_hash text)
  returns SETOF patchdiff_store.finding
  owner patchdiff_owner, language sql, stable
  body md5 b5c5b9dfa5ddf262892edbaf62786803
function patchdiff_store.verify_creation (p_target uuid)
  returns SETOF patchdiff_store.finding
  owner patchdiff_owner, language sql, stable
  body md5 56e633e29eec9e6a899a764eb9a7fd98
function patchdiff_store.verify_keys (p_target uuid)
  returns SETOF patchdiff_store.finding
  owner patchdiff_owner, language sql, stable
  body md5 35be45991b1df9929461033f234fcfb8
function patchdiff_store.verify_ledger (p_target uuid)
  returns SETOF patchdiff_store.finding
  owner patchdiff_owner, language sql, stable
  body md5 0a7aad5cba9c038dd07ec2a6d5ec54d6
function patchdiff_store.verify_line_endings (p_target uuid)
  returns SETOF patchdiff_store.finding
  owner patchdiff_owner, language plpgsql, stable
  body md5 4de9118b04201cd63158d359710624bc
function patchdiff_store.verify_missing (p_target uuid)
  returns SETOF patchdiff_store.finding
  owner patchdiff_owner, language sql, stable
  body md5 fdecf907a9a30b7adb92d7bc5df02317
function patchdiff_store.verify_observations (p_target uuid)
  returns SETOF patchdiff_store.finding
  owner patchdiff_owner, language plpgsql, stable
  body md5 a66052b395819f59d4007c9b15510e4a
function patchdiff_store.verify_publications (p_target uuid)
  returns SETOF patchdiff_store.finding
  owner patchdiff_owner, language sql, stable
  body md5 e13c5423119122e4a102afc9fd8fffaa
function patchdiff_store.verify_rebindings (p_target uuid)
  returns SETOF patchdiff_store.finding
  owner patchdiff_owner, language sql, stable
  body md5 e336d967a6054892102514f4badf767c
function patchdiff_store.verify_replay (p_target uuid)
  returns SETOF patchdiff_store.finding
  owner patchdiff_owner, language plpgsql, stable
  body md5 e5ff644cfaf7ef1c471e73ddd8287f33
function patchdiff_store.verify_save_keys (p_target uuid)
  returns SETOF patchdiff_store.finding
  owner patchdiff_owner, language sql, stable
  body md5 f88940d61a64f458b5c0124ea457bd68
function patchdiff_store.verify_snapshots (p_target uuid)
  returns SETOF patchdiff_store.finding
  owner patchdiff_owner, language sql, stable
  body md5 f3152bacba68a04eb0eb6b3752cc9d0b
function patchdiff_store.verify_splice (p_buffer bytea, p_change patchdiff_store.append_only_manifest_ledger, p_item jsonb)
  returns TABLE(column_name text, problem text)
  owner patchdiff_owner, language sql, immutable
  body md5 46da5a6df600031ef1063c70f8c2781e
function patchdiff_store.verify_target (p_target uuid, p_noted_sequence bigint, p_noted_hash text)
  returns SETOF patchdiff_store.finding
  owner patchdiff_owner, language plpgsql, stable
  body md5 1b96d80b355b2cf9ac950f06619e6ccb
function patchdiff_store.walk_bundle (p_content bytea, p_chars integer, p_groups jsonb, p_scopes jsonb)
  returns patchdiff_store.walk
  owner patchdiff_owner, language plpgsql, stable
  body md5 bb30309de1c643b280abaf944ba5061b
function patchdiff_store.walk_claimed (p_content bytea, p_chars integer, p_operations patchdiff_store.operations, p_starts integer[])
  returns patchdiff_store.walk
  owner patchdiff_owner, language plpgsql, stable
  body md5 ccb056561b42caed0ccccd5229e241c1
function patchdiff_store.walk_each (p_content bytea, p_chars integer, p_operations patchdiff_store.operations, p_starts integer[])
  returns patchdiff_store.walk
  owner patchdiff_owner, language plpgsql, stable
  body md5 7947d2d5af6e56f7fa5719d587da504e
function patchdiff_store.walk_found (p_content bytea, p_chars integer, p_operations patchdiff_store.operations, p_container text)
  returns patchdiff_store.walk
  owner patchdiff_owner, language plpgsql, immutable
  body md5 48d618da8a83d67542ef6de7d78e50e0
function patchdiff_store.walk_masked (p_content bytea, p_chars integer, p_operations patchdiff_store.operations, p_starts integer[])
  returns patchdiff_store.walk
  owner patchdiff_owner, language plpgsql, stable
  body md5 289480a8661f37adf53b457cf2d15ed4
function patchdiff_store.walk_of (p_operations patchdiff_store.operations)
  returns patchdiff_store.walk
  owner patchdiff_owner, language plpgsql, stable
  body md5 73bdb452b6fb1df7ec74af2932c556c3
function patchdiff_store.walk_profile (p_content bytea, p_chars integer, p_operations patchdiff_store.operations, p_container text, p_overlapping boolean, p_selectors_on_single boolean)
  returns patchdiff_store.walk
  owner patchdiff_owner, language plpgsql, stable
  body md5 5748acbccee79b38e33c74e4468b238a
function patchdiff_store.walk_replacement (p_locked patchdiff_store.locked_target, p_replacement text)
  returns patchdiff_store.walk
  owner patchdiff_owner, language plpgsql, stable
  body md5 8c84eb99f05adea85dcfd60c7fef2b89
function patchdiff_store.walk_single (p_content bytea, p_chars integer, p_operations patchdiff_store.operations, p_start integer)
  returns patchdiff_store.walk
  owner patchdiff_owner, language plpgsql, stable
  body md5 00d38d54c2186df2c378cb288b566f18
function patchdiff_store.warnings_of (p_walk patchdiff_store.walk, p_before_hash text, p_claimed json)
  returns text
  owner patchdiff_owner, language plpgsql, immutable
  body md5 303e477ef8ca6c8d8a96b90dcdc852a6
function patchdiff_store.written_range (p_buffer bytea, p_start integer, p_deleted integer, p_inserted bytea)
  returns integer[]
  owner patchdiff_owner, language plpgsql, immutable
  body md5 9b95638d8e7f656cae92f870fe420e9f
function patchdiff_store.written_ranges (p_target uuid, p_version bigint, OUT content bytea, OUT ledger_sequence bigint[], OUT range_from integer[], OUT range_to integer[], OUT growth integer[])
  returns record
  owner patchdiff_owner, language plpgsql, stable
  body md5 659fbd6a1942ac4d948d70017c426719

-- Event triggers
event trigger patchdiff_forbid_ddl on ddl_command_end execute patchdiff_guard.forbid_ddl [A]
event trigger patchdiff_forbid_drop on sql_drop execute patchdiff_guard.forbid_ddl [A]
event trigger patchdiff_forbid_rewrite on table_rewrite execute patchdiff_guard.forbid_ddl [A]

-- Grants (to others than the owner)
view patchdiff_audit.adoptions: patchdiff_auditor may select, patchdiff_writer may select
view patchdiff_audit.attempts: patchdiff_auditor may select, patchdiff_writer may select
view patchdiff_audit.bindings: patchdiff_auditor may select, patchdiff_writer may select
view patchdiff_audit.changes: patchdiff_auditor may select, patchdiff_writer may select
view patchdiff_audit.cycles: patchdiff_auditor may select, patchdiff_writer may select
view patchdiff_audit.observations: patchdiff_auditor may select, patchdiff_writer may select
view patchdiff_audit.open_publications: patchdiff_auditor may select, patchdiff_writer may select
view patchdiff_audit.publications: patchdiff_auditor may select, patchdiff_writer may select
view patchdiff_audit.targets: patchdiff_auditor may select, patchdiff_writer may select
view patchdiff_store.attempt_entry: patchdiff_auditor may select
view patchdiff_store.target_head: patchdiff_auditor may select
view patchdiff_store.target_state: patchdiff_auditor may select
table patchdiff_store.append_only_manifest_ledger: patchdiff_auditor may select
table patchdiff_store.append_only_pdcp_logs: patchdiff_auditor may select
table patchdiff_store.cloud_target_files: patchdiff_auditor may select
table patchdiff_store.commit_subscriptions: patchdiff_auditor may select
table patchdiff_store.editing_cycles: patchdiff_auditor may select
table patchdiff_store.observed_scopes: patchdiff_auditor may select
table patchdiff_store.request_keys: patchdiff_auditor may select
table patchdiff_store.scope_observations: patchdiff_auditor may select
table patchdiff_store.target_heads: patchdiff_auditor may select
table patchdiff_store.target_snapshots: patchdiff_auditor may select
table patchdiff_store.workspace_bindings: patchdiff_auditor may select
table patchdiff_store.workspace_publications: patchdiff_auditor may select
schema patchdiff: patchdiff_auditor may usage, patchdiff_writer may usage
schema patchdiff_audit: patchdiff_auditor may usage, patchdiff_writer may usage
schema patchdiff_store: patchdiff_auditor may usage
routine patchdiff.adopt_disk(uuid,text,jsonb,jsonb,bigint,text,json): patchdiff_writer may execute
routine patchdiff.commit_attempt(uuid,text,text,text,integer,text,json,text,text,integer[],text,json,json,jsonb): patchdiff_writer may execute
routine patchdiff.commit_match(uuid,text,text,text,bigint,text,bigint,text,text,text,text,text,text,text,integer,text,json): patchdiff_writer may execute
routine patchdiff.commit_replacement(uuid,text,text,bigint,text,text,text,integer,text,json): patchdiff_writer may execute
routine patchdiff.commit_spans(uuid,json,text,bigint,text,text,text,integer,text,json): patchdiff_writer may execute
routine patchdiff.create_target(uuid,text,text,jsonb,jsonb,json): patchdiff_writer may execute
routine patchdiff.find_binding(text,text): patchdiff_writer may execute
routine patchdiff.list_targets(text,integer,timestamp with time zone,uuid): patchdiff_writer may execute
routine patchdiff.lock_history(uuid,bigint,integer): patchdiff_writer may execute
routine patchdiff.lock_publication(uuid,uuid): patchdiff_writer may execute
routine patchdiff.observe_scopes(uuid,bigint,text,text,json,boolean,json,json): patchdiff_writer may execute
routine patchdiff.open_publication(uuid,bigint,text,bigint,text,text,text,bigint,json,text,jsonb): patchdiff_writer may execute
routine patchdiff.preview_facts(uuid,uuid,text): patchdiff_writer may execute
routine patchdiff.preview_recovery(uuid,text): patchdiff_writer may execute
routine patchdiff.read_attempt(uuid): patchdiff_writer may execute
routine patchdiff.read_attempts(uuid,integer,bigint,text,text,text,boolean): patchdiff_writer may execute
routine patchdiff.read_head(uuid): patchdiff_writer may execute
routine patchdiff.read_history(uuid,bigint,integer): patchdiff_writer may execute
routine patchdiff.read_ledger(uuid,boolean,integer,bigint): patchdiff_writer may execute
routine patchdiff.read_line_endings(uuid,bigint): patchdiff_writer may execute
routine patchdiff.read_observation(uuid,uuid): patchdiff_writer may execute
routine patchdiff.read_open_publications(uuid): patchdiff_writer may execute
routine patchdiff.read_recent_changes(uuid,bigint,integer): patchdiff_writer may execute
routine patchdiff.read_target(uuid): patchdiff_writer may execute
routine patchdiff.rebind_target(uuid,jsonb,bigint,text,json): patchdiff_writer may execute
routine patchdiff.record_publication(uuid,uuid,text,text,json,text,json): patchdiff_writer may execute
routine patchdiff.save_target(uuid,bigint,text,text,json,boolean): patchdiff_writer may execute
routine patchdiff.subscribe_commits(text,interval): patchdiff_auditor may execute, patchdiff_writer may execute
routine patchdiff.unsubscribe_commits(text): patchdiff_auditor may execute, patchdiff_writer may execute
routine patchdiff_audit.blame(uuid,bigint): patchdiff_auditor may execute, patchdiff_writer may execute
routine patchdiff_audit.chain_head(uuid): patchdiff_auditor may execute, patchdiff_writer may execute
routine patchdiff_audit.changes_between(uuid,bigint,bigint): patchdiff_auditor may execute, patchdiff_writer may execute
routine patchdiff_audit.diff(uuid,bigint,bigint): patchdiff_auditor may execute, patchdiff_writer may execute
routine patchdiff_audit.reconstruct(uuid,bigint): patchdiff_auditor may execute, patchdiff_writer may execute
routine patchdiff_audit.retry_tree(uuid): patchdiff_auditor may execute, patchdiff_writer may execute
routine patchdiff_audit.verify_all(): patchdiff_auditor may execute, patchdiff_writer may execute
routine patchdiff_audit.verify_target(uuid,bigint,text): patchdiff_auditor may execute, patchdiff_writer may execute
routine patchdiff_audit.version_at(uuid,timestamp with time zone): patchdiff_auditor may execute, patchdiff_writer may execute
