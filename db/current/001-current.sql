-- The open migration: one include per changed routine, then grants.
select patchdiff_guard.guard_ddl(false);
set local role patchdiff_owner;

-- Observations: what was looked at before a bundle edits it, in the chain like everything that is appended.
create table if not exists patchdiff_store.scope_observations (
  target_file_id uuid not null references patchdiff_store.cloud_target_files,
  observation_sequence bigint not null,
  bundle_id uuid not null,
  created_at timestamptz not null,
  chain_sequence bigint not null,
  hash_version integer not null,
  version bigint not null,
  content_hash text collate "C" not null check (content_hash ~ '\A[0-9a-f]{64}\Z'),
  editing_cycle integer not null,
  scope_count integer not null,
  has_errors boolean not null,
  language text,
  grammar_name text not null,
  grammar_version text not null,
  grammar_sha256 text collate "C" check (grammar_sha256 ~ '\A[0-9a-f]{64}\Z'),
  db_session_user text not null,
  db_application_name text not null,
  db_client_addr text,
  db_transaction_id bigint not null,
  prev_hash bytea not null,
  row_hash bytea not null,
  actor json,
  primary key (target_file_id, observation_sequence),
  unique (target_file_id, bundle_id)
);
comment on table patchdiff_store.scope_observations is
  'One row an observation: some scopes of one version of a target''s text, to be edited together.';
comment on column patchdiff_store.scope_observations.target_file_id is 'The target whose text was observed.';
comment on column patchdiff_store.scope_observations.observation_sequence is 'Place among the observations of the target, from 1 without gaps.';
comment on column patchdiff_store.scope_observations.bundle_id is 'Random id under which the scopes can be edited together.';
comment on column patchdiff_store.scope_observations.created_at is 'When the row was written, by the database''s clock.';
comment on column patchdiff_store.scope_observations.chain_sequence is 'Place in the target''s hash chain.';
comment on column patchdiff_store.scope_observations.hash_version is 'Format of the bytes that row_hash covers.';
comment on column patchdiff_store.scope_observations.version is 'Version of the text that was observed.';
comment on column patchdiff_store.scope_observations.content_hash is 'SHA-256 of that text.';
comment on column patchdiff_store.scope_observations.editing_cycle is 'The cycle that was open.';
comment on column patchdiff_store.scope_observations.scope_count is 'Number of rows in observed_scopes.';
comment on column patchdiff_store.scope_observations.has_errors is 'Whether the caller''s parser met syntax errors in the text.';
comment on column patchdiff_store.scope_observations.language is 'Language that the caller read the text as; null for none.';
comment on column patchdiff_store.scope_observations.grammar_name is 'The caller''s grammar; part of every scope id.';
comment on column patchdiff_store.scope_observations.grammar_version is 'Its version; part of every scope id.';
comment on column patchdiff_store.scope_observations.grammar_sha256 is 'Digest of the grammar, as the caller says; null when it has none.';
comment on column patchdiff_store.scope_observations.db_session_user is 'The login that wrote the row.';
comment on column patchdiff_store.scope_observations.db_application_name is 'application_name of its session.';
comment on column patchdiff_store.scope_observations.db_client_addr is 'Its network address; null for a local socket.';
comment on column patchdiff_store.scope_observations.db_transaction_id is 'The transaction that wrote the row.';
comment on column patchdiff_store.scope_observations.prev_hash is 'row_hash of the row before it in the chain.';
comment on column patchdiff_store.scope_observations.row_hash is 'SHA-256 of prev_hash, this row and its scopes.';
comment on column patchdiff_store.scope_observations.actor is 'Who the caller says it is.';

create table if not exists patchdiff_store.observed_scopes (
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
  scope_id text collate "C" not null check (scope_id ~ '\A[0-9a-f]{32}\Z'),
  kind text not null,
  name text not null,
  qualified_path text not null,
  scope_sha256 text collate "C" not null check (scope_sha256 ~ '\A[0-9a-f]{64}\Z'),
  scope_text text not null,
  primary key (target_file_id, scope_sequence),
  unique (target_file_id, observation_sequence, ordinal),
  unique (target_file_id, observation_sequence, scope_id),
  foreign key (target_file_id, observation_sequence) references patchdiff_store.scope_observations,
  check (start_char < end_char)
);
comment on table patchdiff_store.observed_scopes is 'One row a scope of an observation, cut by the database from its own text; covered by the row_hash of the observation.';
comment on column patchdiff_store.observed_scopes.target_file_id is 'The target whose text was observed.';
comment on column patchdiff_store.observed_scopes.scope_sequence is 'Place among the observed scopes of the target, from 1 without gaps.';
comment on column patchdiff_store.observed_scopes.observation_sequence is 'The observation.';
comment on column patchdiff_store.observed_scopes.ordinal is 'Place among its scopes, from 1, as the caller asked.';
comment on column patchdiff_store.observed_scopes.start_char is 'First code point in the text, from 0.';
comment on column patchdiff_store.observed_scopes.end_char is 'One past the last code point.';
comment on column patchdiff_store.observed_scopes.start_byte is 'First byte in the UTF-8 of the text, from 0.';
comment on column patchdiff_store.observed_scopes.end_byte is 'One past the last byte.';
comment on column patchdiff_store.observed_scopes.first_line is 'Line of the first code point, from 1.';
comment on column patchdiff_store.observed_scopes.last_line is 'Line of the last code point.';
comment on column patchdiff_store.observed_scopes.scope_id is 'Digest of target, text, grammar, kind and range: the same in every listing of this text.';
comment on column patchdiff_store.observed_scopes.kind is 'What the caller''s parser calls it: function, class, section.';
comment on column patchdiff_store.observed_scopes.name is 'Its name, as the caller says.';
comment on column patchdiff_store.observed_scopes.qualified_path is 'The scopes around it and itself, as the caller says.';
comment on column patchdiff_store.observed_scopes.scope_sha256 is 'SHA-256 of scope_text.';
comment on column patchdiff_store.observed_scopes.scope_text is 'The text that was observed.';

create or replace trigger _100_append_only before update or delete or truncate on patchdiff_store.scope_observations
  for each statement execute function patchdiff_store.forbid_change();
create or replace trigger _100_append_only before update or delete or truncate on patchdiff_store.observed_scopes
  for each statement execute function patchdiff_store.forbid_change();
alter table patchdiff_store.scope_observations enable always trigger _100_append_only;
alter table patchdiff_store.observed_scopes enable always trigger _100_append_only;
grant select on patchdiff_store.scope_observations, patchdiff_store.observed_scopes to patchdiff_auditor;

alter table patchdiff_store.target_heads add column if not exists observation_sequence bigint not null default 0;
alter table patchdiff_store.target_heads add column if not exists scope_sequence bigint not null default 0;
comment on column patchdiff_store.target_heads.scope_sequence is 'Sequence of the last observed scope; 0 when there is none.';
comment on column patchdiff_store.target_heads.observation_sequence is 'Sequence of the last observation; 0 when there is none.';

-- What a walk of a bundle knows beside: null in every other walk.
do $$
begin
  if not exists (
    select
    from pg_catalog.pg_attribute as a
    where a.attrelid = 'patchdiff_store.walk'::pg_catalog.regclass and a.attname = 'ordinal'
  ) then
    alter type patchdiff_store.walk add attribute ordinal integer[];
    alter type patchdiff_store.walk add attribute scope_id text[];
    alter type patchdiff_store.walk add attribute scope_span_start integer[];
    alter type patchdiff_store.walk add attribute scope_span_end integer[];
    alter type patchdiff_store.walk add attribute resolved_starts integer[];
  end if;
end;
$$;

--! include patchdiff_store/protocol_of.sql
--! include patchdiff_store/runtime_version_of.sql
--! include patchdiff_store/failure_words.sql
--! include patchdiff_store/scope_id_of.sql
--! include patchdiff_store/observation_encoding.sql
--! include patchdiff_store/scope_encoding.sql
--! include patchdiff_store/check_observation.sql
--! include patchdiff_store/cut_scopes.sql
--! include patchdiff_store/append_observation.sql
--! include patchdiff_store/scopes_json.sql
--! include patchdiff/observe_scopes.sql
--! include patchdiff/read_observation.sql
grant execute on function patchdiff.observe_scopes(uuid, bigint, text, text, json, boolean, json, json) to patchdiff_writer;
grant execute on function patchdiff.read_observation(uuid, uuid) to patchdiff_writer;

--! include patchdiff_store/observation_of.sql
--! include patchdiff_store/observation_json.sql
--! include patchdiff_store/bundle_payload.sql
--! include patchdiff_store/envelope_of.sql
--! include patchdiff_store/is_canonical.sql
--! include patchdiff_store/in_group.sql
--! include patchdiff_store/renumbered.sql
--! include patchdiff_store/decode_groups.sql
--! include patchdiff_store/decode_record.sql
--! include patchdiff_store/walk_bundle.sql
--! include patchdiff_store/bundle_ledger.sql
--! include patchdiff_store/changes_json.sql
--! include patchdiff_store/changes_of.sql
--! include patchdiff_store/append_attempt.sql
--! include patchdiff_store/commit_submission.sql

--! include patchdiff_store/items_of.sql
--! include patchdiff_store/apply_attempt.sql
--! include patchdiff_store/written_ranges.sql
--! include patchdiff_store/verify_attempt_replay.sql
--! include patchdiff_store/verify_ledger.sql
--! include patchdiff_store/verify_chain.sql
--! include patchdiff_store/verify_missing.sql
--! include patchdiff_store/verify_observations.sql
--! include patchdiff_store/is_mentioned.sql
--! include patchdiff_store/verify_target.sql
--! include patchdiff_audit/verify_all.sql
--! include patchdiff_audit/observations.sql
grant select on patchdiff_audit.observations to patchdiff_writer, patchdiff_auditor;

reset role;
select patchdiff_guard.guard_ddl(true);
