-- Every scope that was observed, in the order asked: where it stood, what its text was, and which parser said so. The text, its digest,
-- places and ids are the database's own; kind, name, path, language and grammar are the caller's words.
-- actor_… and actor are what the caller claims to be, db_… is what the database saw of it.
create or replace view patchdiff_audit.observations as
select
  o.target_file_id,
  o.observation_sequence,
  o.bundle_id,
  o.created_at as observed_at,
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
  r.actor ->> 'host' as actor_host,
  r.actor ->> 'host_version' as actor_host_version,
  r.actor ->> 'agent' as actor_agent,
  r.actor ->> 'session' as actor_session,
  o.db_session_user,
  o.db_application_name,
  o.db_client_addr,
  o.db_transaction_id
from patchdiff_store.scope_observations as o
join patchdiff_store.observed_scopes as s
  on s.target_file_id = o.target_file_id and s.observation_sequence = o.observation_sequence
cross join lateral (
  select case when pg_input_is_valid(o.actor::text, 'jsonb') then o.actor end as actor
) as r;

comment on view patchdiff_audit.observations is 'Every scope that was observed, with its text.';
