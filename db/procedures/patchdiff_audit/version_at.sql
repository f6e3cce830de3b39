-- The version a target had at a moment: null before its creation. Combine it with reconstruct for the content.
create or replace function patchdiff_audit.version_at (
  p_target uuid,
  p_at timestamptz
)
  returns bigint
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select coalesce((
    select l.after_version
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = t.target_file_id
    and l.status = 'accepted'
    and l.created_at <= p_at
    order by l.after_version desc
    limit 1
  ), 0)
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target
  and t.created_at <= p_at
$$;

comment on function patchdiff_audit.version_at(uuid, timestamptz) is 'The version a target had at a moment.';
