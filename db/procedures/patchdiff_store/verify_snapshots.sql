-- The snapshots and editing cycles of a target: sequence without gap, the first one its creation, content hashing to
-- content_hash, and that the hash which the history records for the version; each cycle just the one its snapshot opens.
create or replace function patchdiff_store.verify_snapshots (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with ordered as (
    select
      s.snapshot_sequence,
      s.version,
      s.kind,
      s.content_hash,
      s.source_sha256,
      case when pg_input_is_valid(s.creation::text, 'jsonb') then s.creation::jsonb end as creation,
      s.editing_cycle,
      s.created_at,
      patchdiff_store.sha256_hex(convert_to(s.content, 'UTF8')) as hash_of_content,
      lag(s.snapshot_sequence, 1, 0::bigint) over snapshots as sequence_before,
      lag(s.editing_cycle, 1, 0) over snapshots as cycle_before,
      (
        select l.after_hash
        from patchdiff_store.append_only_pdcp_logs as l
        where l.target_file_id = p_target and l.status = 'accepted' and l.after_version = s.version
        limit 1
      ) as hash_of_version
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = p_target
    window snapshots as (order by s.snapshot_sequence)
  )
  select 'target_snapshots', 'snapshot_sequence=' || o.snapshot_sequence, f.column_name, f.problem
  from ordered as o
  cross join lateral (
    values
      ('snapshot_sequence', 'snapshots are missing before this one', o.snapshot_sequence <> o.sequence_before + 1),
      ('editing_cycle', 'not the cycle after the one before', o.editing_cycle <> o.cycle_before + 1),
      ('kind', 'only the first snapshot is the initial upload', (o.kind = 'initial_upload') <> (o.snapshot_sequence = 1)),
      ('version', 'the initial upload is not version 0', o.snapshot_sequence = 1 and o.version <> 0),
      ('source_sha256', 'not that of the source that the creation records', case
        when o.snapshot_sequence > 1 then o.source_sha256 is not null
        else o.creation is not null and o.source_sha256 is distinct from o.creation #>> '{source_line_endings,source_sha256}'
      end),
      ('content', 'does not hash to content_hash', o.content_hash <> o.hash_of_content),
      ('content_hash', 'not the hash that the history records for the version',
        o.snapshot_sequence > 1 and o.version > 0 and o.content_hash is distinct from o.hash_of_version)
  ) as f (column_name, problem, broken)
  where f.broken
  union all
  select 'editing_cycles', 'editing_cycle=' || coalesce(c.editing_cycle, o.editing_cycle), f.column_name, f.problem
  from ordered as o
  full join (
    select e.* from patchdiff_store.editing_cycles as e where e.target_file_id = p_target
  ) as c on c.editing_cycle = o.editing_cycle
  cross join lateral (
    values
      ('editing_cycle', 'no snapshot opens the cycle, or its row is missing', c.editing_cycle is null or o.editing_cycle is null),
      ('snapshot_sequence', 'not the snapshot that opens the cycle', c.snapshot_sequence <> o.snapshot_sequence),
      ('opened_at_version', 'not the version of the snapshot', c.opened_at_version <> o.version),
      ('opened_at', 'not the time of the snapshot', c.opened_at <> o.created_at)
  ) as f (column_name, problem, broken)
  where f.broken
  union all
  select 'target_heads', 'target_file_id=' || h.target_file_id, f.column_name, f.problem
  from patchdiff_store.target_heads as h
  cross join lateral (
    values
      ('snapshot_sequence', 'not the sequence of the last snapshot',
        h.snapshot_sequence <> coalesce((select max(o.snapshot_sequence) from ordered as o), 0)),
      ('open_cycle', 'not the cycle of the last snapshot',
        h.open_cycle <> coalesce((select max(o.editing_cycle) from ordered as o), 0))
  ) as f (column_name, problem, broken)
  where h.target_file_id = p_target and f.broken
$$;

comment on function patchdiff_store.verify_snapshots(uuid) is
  'What is wrong with the snapshots and editing cycles of a target; no rows when nothing is.';
