-- The rows that moved a target's binding: each says of before what the row before it, or the creation, said of after; of
-- after what its own columns say; and what was seen at a new place was the known file or none. What the binding is now is held
-- against the last of them by verify_creation.
create or replace function patchdiff_store.verify_rebindings (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with moves as (
    select
      p.publication_sequence,
      p.workspace_root_identity,
      p.workspace_path,
      p.expected_disk_sha256,
      p.observed_disk_sha256,
      d.detail,
      coalesce(lag(d.detail -> 'to') over (order by p.publication_sequence), i.creation) as before
    from patchdiff_store.workspace_publications as p
    cross join lateral (
      select case when pg_input_is_valid(p.detail::text, 'jsonb') then p.detail::jsonb end as detail
    ) as d
    left join lateral (
      select case when pg_input_is_valid(s.creation::text, 'jsonb') then s.creation::jsonb end as creation
      from patchdiff_store.target_snapshots as s
      where s.target_file_id = p_target and s.snapshot_sequence = 1
    ) as i on true
    where p.target_file_id = p_target and p.kind = 'rebound'
  ),
  compared as (
    select
      m.*,
      m.detail #>> '{from,workspace_root_identity}' = m.workspace_root_identity
      and m.detail #>> '{from,workspace_path}' = m.workspace_path as stays,
      exists (
        select
        from unnest(array['workspace_root_identity', 'workspace_path', 'root_device', 'root_inode']) as k (name)
        where m.detail -> 'from' ->> k.name is distinct from m.before ->> k.name
      ) as other_before
    from moves as m
  )
  select 'workspace_publications', 'publication_sequence=' || c.publication_sequence, f.column_name, f.problem
  from compared as c
  cross join lateral (
    values
      ('detail', 'not where the file was before', c.before is not null and c.other_before),
      ('workspace_root_identity', 'not the root that the binding was moved to',
        c.workspace_root_identity is distinct from c.detail #>> '{to,workspace_root_identity}'),
      ('workspace_path', 'not the path that the binding was moved to', c.workspace_path is distinct from c.detail #>> '{to,workspace_path}'),
      ('observed_disk_sha256', 'neither the known file nor none',
        c.stays is not true and c.observed_disk_sha256 is not null
        and c.observed_disk_sha256 is distinct from c.expected_disk_sha256)
  ) as f (column_name, problem, broken)
  where f.broken
$$;

comment on function patchdiff_store.verify_rebindings(uuid) is
  'What is wrong with the rows that moved a target''s binding; no rows when nothing is.';
