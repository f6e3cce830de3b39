-- Who may do what: patchdiff_owner owns every object and cannot log in; patchdiff_writer may execute the API;
-- patchdiff_auditor may read. All three are groups: logins are granted membership, or a launcher gives a role a
-- password. Roles belong to the whole server, so this file finds them already there in a second database.
-- Runs for a superuser, and for the owner of the database who holds CREATEROLE.
do $$
declare
  v_role name;
begin
  if pg_catalog.current_setting('server_version_num')::integer < 160000 then
    raise exception 'PostgreSQL 16 or newer is required, this is %', pg_catalog.current_setting('server_version')
      using errcode = 'PD003',
            detail = pg_catalog.json_build_object('server_version', pg_catalog.current_setting('server_version'))::text,
            hint = 'install into a server of version 16 or newer';
  end if;

  if pg_catalog.current_setting('server_encoding') <> 'UTF8' then
    raise exception 'the database must be encoded in UTF8, it is %', pg_catalog.current_setting('server_encoding')
      using errcode = 'PD003',
            detail = pg_catalog.json_build_object('server_encoding', pg_catalog.current_setting('server_encoding'))::text,
            hint = 'create the database with: create database … template template0 encoding ''UTF8''';
  end if;

  foreach v_role in array array['patchdiff_owner', 'patchdiff_writer', 'patchdiff_auditor'] loop
    if not exists (select from pg_catalog.pg_roles as r where r.rolname = v_role) then
      begin
        execute pg_catalog.format('create role %I nologin', v_role);
      exception
        -- Another database of this server was migrated at the same moment.
        when duplicate_object or unique_violation then null;
      end;
    end if;

    if not pg_catalog.pg_has_role(current_user, v_role, 'SET') then
      begin
        execute pg_catalog.format('grant %I to %I with inherit false, set true', v_role, current_user);
      exception
        when insufficient_privilege then
          raise exception 'the migrating role % cannot act as %', current_user, v_role
            using errcode = 'PD004',
                  detail = pg_catalog.json_build_object('migrating_role', current_user, 'role', v_role)::text,
                  hint = pg_catalog.format(
                    'let a superuser run: grant %I to %I with inherit false, set true', v_role, current_user);
      end;
    end if;
  end loop;
end;
$$;

-- Before the first object exists, so that none is ever open to PUBLIC.
set local role patchdiff_owner;
alter default privileges revoke all on tables from public;
alter default privileges revoke all on sequences from public;
alter default privileges revoke all on functions from public;
alter default privileges revoke all on types from public;
alter default privileges revoke all on schemas from public;
reset role;

-- Schemas, tables and row types. Everything is owned by patchdiff_owner, a role nobody can log in as.
-- One call touches one target, and every key leads with target_file_id, so the schema shards by target unchanged.
-- Narrow columns come first and long text last: a history page never reads a TOAST pointer.
create schema patchdiff_store authorization patchdiff_owner;
create schema patchdiff authorization patchdiff_owner;
create schema patchdiff_audit authorization patchdiff_owner;

set local role patchdiff_owner;

create table patchdiff_store.cloud_target_files (
  target_file_id uuid primary key,
  display_name text not null check (octet_length(display_name) between 1 and 1024),
  current_hash text collate "C" not null check (current_hash ~ '\A[0-9a-f]{64}\Z'),
  version bigint not null check (version >= 0),
  content_bytes integer not null check (content_bytes >= 0),
  content_chars integer not null check (content_chars >= 0),
  status text not null default 'active' check (status = 'active'),
  workspace_tracked boolean not null default false,
  workspace_root_identity text,
  workspace_path text,
  last_synced_disk_sha256 text collate "C" check (last_synced_disk_sha256 ~ '\A[0-9a-f]{64}\Z'),
  last_synced_version bigint,
  source_bom boolean not null default false,
  source_line_endings jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  current_content text collate "C" not null,
  check (workspace_tracked = (workspace_path is not null)),
  check (workspace_tracked = (workspace_root_identity is not null))
) with (fillfactor = 70, toast.autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_threshold = 2000);
alter table patchdiff_store.cloud_target_files alter column current_content set storage external;

create table patchdiff_store.target_heads (
  target_file_id uuid primary key references patchdiff_store.cloud_target_files,
  log_sequence bigint not null,
  ledger_sequence bigint not null,
  snapshot_sequence bigint not null,
  publication_sequence bigint not null,
  chain_sequence bigint not null,
  open_cycle integer not null,
  accepted_version bigint not null,
  accepted_hash text collate "C" not null check (accepted_hash ~ '\A[0-9a-f]{64}\Z'),
  chain_head bytea not null
) with (fillfactor = 50);

create table patchdiff_store.append_only_pdcp_logs (
  target_file_id uuid not null references patchdiff_store.cloud_target_files,
  log_sequence bigint not null,
  pdcp_log_id uuid not null,
  created_at timestamptz not null,
  chain_sequence bigint not null,
  hash_version integer not null,
  before_version bigint not null,
  after_version bigint not null,
  expected_target_version bigint,
  editing_cycle integer not null,
  regeneration_attempt integer,
  change_count integer not null,
  parent_pdcp_log_id uuid,
  status text not null check (status in ('accepted', 'rejected')),
  decided_by text not null check (decided_by in ('database', 'runtime')),
  failure_reason text,
  failure_code text,
  failed_change_id text,
  failure_detail text,
  validation_stage text not null,
  before_hash text collate "C" not null check (before_hash ~ '\A[0-9a-f]{64}\Z'),
  after_hash text collate "C" not null check (after_hash ~ '\A[0-9a-f]{64}\Z'),
  expected_current_hash text collate "C" check (expected_current_hash ~ '\A[0-9a-f]{64}\Z'),
  pdcp_content_hash text collate "C" not null check (pdcp_content_hash ~ '\A[0-9a-f]{64}\Z'),
  protocol_version text not null,
  runtime_version text not null,
  submission_source text,
  regeneration_source text,
  client_request_id text collate "C",
  request_fingerprint varchar(64) collate "C",
  db_session_user text not null,
  db_application_name text not null,
  db_client_addr text,
  db_transaction_id bigint not null,
  prev_hash bytea not null,
  row_hash bytea not null,
  actor json,
  diagnostic_json json,
  warnings json,
  pdcp_content text collate "C" not null,
  primary key (target_file_id, log_sequence),
  unique (target_file_id, pdcp_log_id),
  check ((status = 'accepted') = (failure_reason is null)),
  check ((status = 'accepted') = (validation_stage = 'accepted')),
  check (after_version = before_version + (status = 'accepted')::integer),
  check (status = 'accepted' or after_hash = before_hash)
);
alter table patchdiff_store.append_only_pdcp_logs alter column pdcp_content set storage external;
create unique index uq_pdcp_logs_target_client_request_id
  on patchdiff_store.append_only_pdcp_logs (target_file_id, client_request_id)
  where client_request_id is not null;
create index pdcp_logs_by_id on patchdiff_store.append_only_pdcp_logs (pdcp_log_id);
create index pdcp_logs_accepted_version
  on patchdiff_store.append_only_pdcp_logs (target_file_id, after_version)
  where status = 'accepted';

create table patchdiff_store.append_only_manifest_ledger (
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
  operation text not null check (operation in ('match', 'span', 'replace_all')),
  origin text not null default 'typed' check (origin = 'typed'),
  risk text,
  rationale text,
  intent text not null,
  derived_json jsonb not null,
  input_state text,
  output_state text,
  affected_region text,
  user_visible_change text,
  primary key (target_file_id, ledger_sequence),
  foreign key (target_file_id, log_sequence) references patchdiff_store.append_only_pdcp_logs
);
create index manifest_ledger_by_attempt on patchdiff_store.append_only_manifest_ledger (target_file_id, log_sequence);

create table patchdiff_store.request_keys (
  target_file_id uuid not null references patchdiff_store.cloud_target_files,
  client_request_id text collate "C" not null,
  kind text not null check (kind in ('submission', 'save')),
  request_fingerprint varchar(64) collate "C" not null,
  log_sequence bigint,
  save_receipt json,
  created_at timestamptz not null,
  primary key (target_file_id, client_request_id),
  check ((kind = 'submission') = (log_sequence is not null)),
  check ((kind = 'save') = (save_receipt is not null))
);

create table patchdiff_store.target_snapshots (
  target_file_id uuid not null references patchdiff_store.cloud_target_files,
  snapshot_sequence bigint not null,
  snapshot_id uuid not null,
  created_at timestamptz not null,
  chain_sequence bigint not null,
  hash_version integer not null,
  version bigint not null,
  editing_cycle integer not null,
  kind text not null check (kind in ('initial_upload', 'save_checkpoint')),
  content_hash text collate "C" not null check (content_hash ~ '\A[0-9a-f]{64}\Z'),
  source_sha256 text collate "C" check (source_sha256 ~ '\A[0-9a-f]{64}\Z'),
  client_request_id text collate "C",
  request_fingerprint varchar(64) collate "C",
  db_session_user text not null,
  db_application_name text not null,
  db_client_addr text,
  db_transaction_id bigint not null,
  prev_hash bytea not null,
  row_hash bytea not null,
  actor json,
  content text collate "C" not null,
  primary key (target_file_id, snapshot_sequence),
  unique (target_file_id, snapshot_id),
  check ((client_request_id is null) = (request_fingerprint is null))
);
alter table patchdiff_store.target_snapshots alter column content set storage external;
create index target_snapshots_by_version on patchdiff_store.target_snapshots (target_file_id, version, snapshot_sequence);

create table patchdiff_store.editing_cycles (
  target_file_id uuid not null references patchdiff_store.cloud_target_files,
  editing_cycle integer not null,
  opened_at timestamptz not null,
  opened_at_version bigint not null,
  snapshot_sequence bigint not null,
  primary key (target_file_id, editing_cycle)
);

create table patchdiff_store.workspace_publications (
  target_file_id uuid not null references patchdiff_store.cloud_target_files,
  publication_sequence bigint not null,
  publication_id uuid not null,
  intent_publication_id uuid,
  created_at timestamptz not null,
  chain_sequence bigint not null,
  hash_version integer not null,
  version bigint not null,
  editing_cycle integer not null,
  kind text not null check (kind in ('intent', 'published', 'rejected', 'superseded')),
  content_hash text collate "C" not null check (content_hash ~ '\A[0-9a-f]{64}\Z'),
  expected_disk_sha256 text collate "C" check (expected_disk_sha256 ~ '\A[0-9a-f]{64}\Z'),
  observed_disk_sha256 text collate "C" check (observed_disk_sha256 ~ '\A[0-9a-f]{64}\Z'),
  written_sha256 text collate "C" not null check (written_sha256 ~ '\A[0-9a-f]{64}\Z'),
  written_bytes bigint not null,
  workspace_root_identity text not null,
  workspace_path text not null,
  client_request_id text collate "C",
  request_fingerprint varchar(64) collate "C",
  db_session_user text not null,
  db_application_name text not null,
  db_client_addr text,
  db_transaction_id bigint not null,
  prev_hash bytea not null,
  row_hash bytea not null,
  actor json,
  detail json,
  primary key (target_file_id, publication_sequence),
  unique (target_file_id, publication_id),
  check ((kind = 'intent') = (intent_publication_id is null)),
  check ((client_request_id is null) = (request_fingerprint is null))
);
create unique index workspace_publications_one_outcome
  on patchdiff_store.workspace_publications (target_file_id, intent_publication_id)
  where intent_publication_id is not null;

-- The only lookup by path, hence the only key that does not lead with the target.
create table patchdiff_store.workspace_bindings (
  file_key bytea primary key check (octet_length(file_key) = 32),
  workspace_root text collate "C" not null,
  workspace_path text collate "C" not null,
  target_file_id uuid not null references patchdiff_store.cloud_target_files,
  root_device text not null,
  root_inode text not null,
  bound_at timestamptz not null,
  unique (target_file_id)
);

-- A locked target: the narrow columns of its row, then those of its head.
create type patchdiff_store.locked_target as (
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
  created_at timestamptz,
  log_sequence bigint,
  ledger_sequence bigint,
  snapshot_sequence bigint,
  publication_sequence bigint,
  chain_sequence bigint,
  open_cycle integer,
  accepted_version bigint,
  accepted_hash text,
  chain_head bytea
);

-- One fault of a submission, as the decoder or the walk found it. failure_reason null = no fault.
-- The context is the cut of the buffer that failed, in code points; evidence holds further members of the
-- diagnostic as JSON text, each with a comma in front, in the order of docs/spec/decoding.md.
create type patchdiff_store.fault as (
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
);

-- The edits or operations of one record: parallel arrays, one element an item in the order of the payload.
-- canonical is the items' JSON without null members; well_formed says that no check of the decoder would fail.
-- The other fields mean something only for a record that decodes. Texts are canonical (LF).
create type patchdiff_store.operations as (
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
);

-- How a payload is stored that is no plain record: its envelope, the identity of that, and the code of the fault.
-- record is what could be read of it. All null = a plain record, stored as received.
create type patchdiff_store.envelope as (
  stored text,
  evidence_format text,
  evidence_sha256 text,
  failure_code text,
  record jsonb
);

-- What an accepted walk derived: parallel arrays, one element a change in the order of application.
create type patchdiff_store.walk as (
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
  inserted_bytes integer[]
);

-- The answer of patchdiff.commit_attempt; docs/spec/commit-call.md describes each field.
create type patchdiff.commit_receipt as (
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
  created_at timestamptz,
  changes json,
  warnings json,
  diagnostic json,
  current_context json,
  current_content text
);

reset role;
