-- A page of the accepted attempts of a target after a version, oldest first, to apply them again: up to p_limit (default 50,
-- at most 200), and one more when there are more. No rows for an unknown target. No lock: history only grows.
create or replace function patchdiff.read_history (
  p_target uuid,
  p_after_version bigint,
  p_limit integer default null
)
  returns setof patchdiff.history_step
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select
    l.target_file_id,
    l.status,
    l.log_sequence,
    l.pdcp_log_id,
    l.protocol_version,
    l.runtime_version,
    l.before_version,
    l.after_version,
    l.before_hash,
    l.after_hash,
    l.pdcp_content_hash,
    l.pdcp_content::text
  from patchdiff_store.append_only_pdcp_logs as l
  where l.target_file_id = p_target
  and l.status = 'accepted'
  and l.after_version > p_after_version
  order by l.after_version
  limit patchdiff_store.page_limit(p_limit) + 1
$$;

comment on function patchdiff.read_history(uuid, bigint, integer) is
  'A page of the accepted attempts of a target after a version, oldest first.';
