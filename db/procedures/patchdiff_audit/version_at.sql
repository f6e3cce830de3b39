-- The version a target had at a moment: null before its creation, and before the first acceptance of a history that was
-- brought in, which is older than the target. Combine it with reconstruct for the content.
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
  select coalesce(
    (
      select l.after_version
      from patchdiff_store.append_only_pdcp_logs as l
      where l.target_file_id = t.target_file_id
      and l.status = 'accepted'
      and l.created_at <= p_at
      order by l.after_version desc
      limit 1
    ),
    case when t.created_at <= p_at then 0 end
  )
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target
$$;

comment on function patchdiff_audit.version_at(uuid, timestamptz) is 'The version a target had at a moment.';
