-- What the creation of a target fixed (name, source, file) against its initial snapshot, which keeps it under its hash, and what
-- an adoption of the disk or a move of the binding recorded since against its row; the row of its file against the target; and
-- what it was last synced with against publications, adoptions and moves. A target of before format 2 has no record of its creation:
-- of it only what the tables say of each other is held.
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
  recorded as (
    -- Later rows of the chain say other things than the creation did.
    select
      i.created_at,
      coalesce(i.creation || l.facts, i.creation, l.facts) as facts,
      i.creation is not null as is_whole,
      coalesce(l.facts #>> '{source_line_endings,source_sha256}', i.source_sha256) as source_sha256
    from initial as i
    cross join lateral (
      select jsonb_object_agg(d.key, d.value order by d.publication_sequence) as facts
      from (
        select distinct on (f.key) f.key, f.value, w.publication_sequence
        from patchdiff_store.workspace_publications as w
        cross join lateral (
          select case w.kind when 'rebound' then d.detail -> 'to' else d.detail end as detail
          from (select case when pg_input_is_valid(w.detail::text, 'jsonb') then w.detail::jsonb end as detail) as d
        ) as r
        cross join lateral jsonb_each(case jsonb_typeof(r.detail) when 'object' then r.detail end) as f
        where w.target_file_id = p_target
        and (
          (w.kind = 'adopted' and f.key in ('source_bom', 'source_line_endings'))
          or (w.kind = 'rebound' and f.key in ('workspace_root_identity', 'workspace_path', 'root_device', 'root_inode', 'bound_at'))
        )
        order by f.key, w.publication_sequence desc
      ) as d
    ) as l
  ),
  compared as (
    -- Moments are the same in any time zone; everything else is compared as JSON.
    select
      n.key as column_name,
      case when n.key in ('created_at', 'bound_at') then (n.value #>> '{}')::timestamptz = case
        when pg_input_is_valid(r.facts ->> n.key, 'timestamptz') then (r.facts ->> n.key)::timestamptz
      end
      or (jsonb_typeof(n.value) = 'null' and jsonb_typeof(r.facts -> n.key) = 'null')
      else n.value = r.facts -> n.key end as same
    from recorded as r
    cross join lateral jsonb_each(patchdiff_store.creation_facts(p_target)::jsonb) as n
    where (r.is_whole or r.facts ? n.key)
    and n.key not like 'last\_synced\_%'
    and n.key not like 'eol\_%'
  ),
  synced as (
    select y.facts ->> 'last_synced_disk_sha256' as disk_sha256, y.facts ->> 'last_synced_version' as version, true as is_recorded
    from (
      select coalesce(
        (
          select case w.kind
            when 'rebound' then case when pg_input_is_valid(w.detail::text, 'jsonb') then w.detail::jsonb -> 'to' end
            else jsonb_build_object('last_synced_disk_sha256', w.written_sha256, 'last_synced_version', w.version)
          end
          from patchdiff_store.workspace_publications as w
          where w.target_file_id = p_target and w.kind in ('published', 'adopted', 'rebound')
          order by w.publication_sequence desc
          limit 1
        ),
        i.creation
      ) as facts
      from initial as i
    ) as y
    where y.facts is not null
  )
  select
    case when c.column_name in ('root_device', 'root_inode', 'bound_at') then 'workspace_bindings' else 'cloud_target_files' end,
    'target_file_id=' || p_target,
    c.column_name,
    'not what the creation, or a later row of its file, recorded'
  from compared as c
  where c.same is not true
  union all
  select 'cloud_target_files', 'target_file_id=' || p_target, f.column_name, f.problem
  from patchdiff_store.cloud_target_files as t
  left join initial as i on true
  left join recorded as r on true
  left join synced as y on true
  cross join lateral (
    values
      ('status', 'no routine writes this', t.status <> 'active'),
      ('created_at', 'later than the initial snapshot', t.created_at > i.created_at),
      ('updated_at', 'earlier than the creation', t.updated_at < t.created_at),
      ('workspace_tracked', 'not whether a file is named', t.workspace_tracked <> (t.workspace_path is not null)),
      ('source_line_endings', 'not what the initial snapshot, or a later adoption, says of the source',
        r.source_sha256 is distinct from t.source_line_endings ->> 'source_sha256'),
      ('last_synced_disk_sha256', 'not what was published, adopted or found last',
        y.is_recorded and t.last_synced_disk_sha256 is distinct from y.disk_sha256),
      ('last_synced_version', 'not the version that was published, adopted or found last',
        y.is_recorded and t.last_synced_version::text is distinct from y.version)
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
