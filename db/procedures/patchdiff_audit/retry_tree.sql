-- An attempt with everything it descends from and everything that descends from its root: one row an attempt, parents
-- before retries. Empty for an unknown attempt. What actor and its columns say is a claim, what db_ columns say is not.
create or replace function patchdiff_audit.retry_tree (
  p_pdcp_log_id uuid
)
  returns table (
    depth integer,
    pdcp_log_id uuid,
    parent_pdcp_log_id uuid,
    log_sequence bigint,
    status text,
    failure_reason text,
    regeneration_attempt integer,
    submission_source text,
    created_at timestamptz,
    actor_host text,
    actor_host_version text,
    actor_agent text,
    actor_session text,
    actor json,
    db_session_user text,
    db_application_name text,
    db_client_addr text
  )
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  with recursive ancestors as (
    select l.target_file_id, l.pdcp_log_id, l.parent_pdcp_log_id
    from patchdiff_store.append_only_pdcp_logs as l
    where l.pdcp_log_id = p_pdcp_log_id
    union
    select l.target_file_id, l.pdcp_log_id, l.parent_pdcp_log_id
    from ancestors as a
    join patchdiff_store.append_only_pdcp_logs as l
      on l.target_file_id = a.target_file_id and l.pdcp_log_id = a.parent_pdcp_log_id
  ),
  family as (
    select 0 as depth, a.target_file_id, a.pdcp_log_id
    from ancestors as a
    where a.parent_pdcp_log_id is null
    union
    select f.depth + 1, l.target_file_id, l.pdcp_log_id
    from family as f
    join patchdiff_store.append_only_pdcp_logs as l
      on l.target_file_id = f.target_file_id and l.parent_pdcp_log_id = f.pdcp_log_id
  )
  select
    f.depth,
    l.pdcp_log_id,
    l.parent_pdcp_log_id,
    l.log_sequence,
    l.status,
    l.failure_reason,
    l.regeneration_attempt,
    l.submission_source,
    l.created_at,
    l.actor_host,
    l.actor_host_version,
    l.actor_agent,
    l.actor_session,
    l.actor,
    l.db_session_user,
    l.db_application_name,
    l.db_client_addr
  from family as f
  join patchdiff_audit.attempts as l
    on l.target_file_id = f.target_file_id and l.pdcp_log_id = f.pdcp_log_id
  order by f.depth, l.log_sequence
$$;

comment on function patchdiff_audit.retry_tree(uuid) is 'An attempt with its parents and retries.';
