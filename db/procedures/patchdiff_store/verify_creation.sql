-- What the creation of a target fixed (name, source, file) against its initial snapshot, which keeps it under its hash; the
-- row of its file against the target; and what it was last synced with against the publications. A target of before format
-- 2 has no such record: of it only what the tables say of each other is held.
create or replace function patchdiff_store.verify_creation (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with initial as (
    select s.created_at, s.source_sha256, s.content, r.creation
    from patchdiff_store.target_snapshots as s
    cross join lateral (
      select case when pg_input_is_valid(s.creation::text, 'jsonb') then s.creation::jsonb end as creation
    ) as r
    where s.target_file_id = p_target and s.snapshot_sequence = 1
  ),
  compared as (
    -- Moments are the same in any time zone; everything else is compared as JSON.
    select
      n.key as column_name,
      case when n.key in ('created_at', 'bound_at') then (n.value #>> '{}')::timestamptz = case
        when pg_input_is_valid(i.creation ->> n.key, 'timestamptz') then (i.creation ->> n.key)::timestamptz
      end
      or (jsonb_typeof(n.value) = 'null' and jsonb_typeof(i.creation -> n.key) = 'null')
      else n.value = i.creation -> n.key end as same
    from initial as i
    cross join lateral jsonb_each(patchdiff_store.creation_facts(p_target)::jsonb) as n
    where i.creation is not null
    and n.key not like 'last\_synced\_%'
    and n.key not like 'eol\_%'
  ),
  synced as (
    select coalesce(p.written_sha256, i.creation ->> 'last_synced_disk_sha256') as disk_sha256,
      coalesce(p.version::text, i.creation ->> 'last_synced_version') as version
    from initial as i
    left join lateral (
      select w.written_sha256, w.version
      from patchdiff_store.workspace_publications as w
      where w.target_file_id = p_target and w.kind = 'published'
      order by w.publication_sequence desc
      limit 1
    ) as p on true
    where p.version is not null or i.creation is not null
  )
  select
    case when c.column_name in ('root_device', 'root_inode', 'bound_at') then 'workspace_bindings' else 'cloud_target_files' end,
    'target_file_id=' || p_target,
    c.column_name,
    'not what the creation recorded'
  from compared as c
  where c.same is not true
  union all
  select 'cloud_target_files', 'target_file_id=' || p_target, f.column_name, f.problem
  from patchdiff_store.cloud_target_files as t
  left join initial as i on true
  left join synced as y on true
  cross join lateral (
    values
      ('status', 'no routine writes this', t.status <> 'active'),
      ('created_at', 'later than the initial snapshot', t.created_at > i.created_at),
      ('updated_at', 'earlier than the creation', t.updated_at < t.created_at),
      ('workspace_tracked', 'not whether a file is named', t.workspace_tracked <> (t.workspace_path is not null)),
      ('source_line_endings', 'not what the initial snapshot says of the source',
        i.source_sha256 is distinct from t.source_line_endings ->> 'source_sha256'),
      ('last_synced_disk_sha256', 'not what was published last',
        y.version is not null and t.last_synced_disk_sha256 is distinct from y.disk_sha256),
      ('last_synced_version', 'not the version that was published last',
        y.version is not null and t.last_synced_version::text is distinct from y.version),
      ('last_synced_version', 'nothing was ever synced',
        i.creation is not null and y.version is null
        and (t.last_synced_version is not null or t.last_synced_disk_sha256 is not null))
  ) as f (column_name, problem, broken)
  where t.target_file_id = p_target and f.broken
  union all
  select 'workspace_bindings', 'target_file_id=' || p_target, f.column_name, f.problem
  from (
    select t.* from patchdiff_store.cloud_target_files as t where t.target_file_id = p_target
  ) as t
  full join (
    select b.* from patchdiff_store.workspace_bindings as b where b.target_file_id = p_target
  ) as b on true
  cross join lateral (
    values
      (null, 'the row is missing', t.workspace_path is not null and b.file_key is null),
      ('target_file_id', 'the target is bound to no file', b.file_key is not null and t.workspace_path is null),
      ('workspace_root', 'not the target''s', b.workspace_root <> t.workspace_root_identity),
      ('workspace_path', 'not the target''s', b.workspace_path <> t.workspace_path),
      ('file_key', 'not the key of its root and path',
        b.file_key <> patchdiff_store.file_key(b.workspace_root, b.workspace_path))
  ) as f (column_name, problem, broken)
  where f.broken
$$;

comment on function patchdiff_store.verify_creation(uuid) is
  'What is wrong with what a target''s creation fixed and with what it was last synced with; no rows when nothing is.';
