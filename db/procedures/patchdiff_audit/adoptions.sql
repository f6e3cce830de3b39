-- Every time that a file, changed by others, was taken over as its target's text: what was synced before and since, the version
-- before and after, and the attempt, null when only line endings or the byte order mark differed.
-- actor_… and actor are what the caller claims to be, db_… is what the database saw of it.
create or replace view patchdiff_audit.adoptions as
select
  p.target_file_id,
  p.publication_sequence,
  p.publication_id as adoption_id,
  p.created_at as adopted_at,
  (r.detail ->> 'before_version')::bigint as before_version,
  p.version,
  p.content_hash,
  (r.detail ->> 'pdcp_log_id')::uuid as pdcp_log_id,
  p.workspace_root_identity as workspace_root,
  p.workspace_path,
  p.expected_disk_sha256 as previous_disk_sha256,
  p.written_sha256 as disk_sha256,
  p.written_bytes as disk_bytes,
  (r.detail ->> 'source_bom')::boolean as source_bom,
  r.detail -> 'source_line_endings' as source_line_endings,
  p.editing_cycle,
  p.actor,
  r.actor ->> 'host' as actor_host,
  r.actor ->> 'host_version' as actor_host_version,
  r.actor ->> 'agent' as actor_agent,
  r.actor ->> 'session' as actor_session,
  p.db_session_user,
  p.db_application_name,
  p.db_client_addr,
  p.db_transaction_id
from patchdiff_store.workspace_publications as p
cross join lateral (
  select
    case when pg_input_is_valid(p.actor::text, 'jsonb') then p.actor end as actor,
    case when pg_input_is_valid(p.detail::text, 'jsonb') then p.detail::jsonb end as detail
) as r
where p.kind = 'adopted';

comment on view patchdiff_audit.adoptions is 'Every time that a file, changed by others, was taken over as its target''s text.';
