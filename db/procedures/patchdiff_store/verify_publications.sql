-- The publications of a target: sequence without gap, every outcome closing an earlier intent with the same bytes and
-- file, and the published hash that which the history records for the version. An adoption stands in the
-- same sequence and closes nothing; it was observed as it is recorded, and names the attempt that made its version. A rebinding
-- closes nothing either, and writes nothing; verify_rebindings says what else it has to be.
create or replace function patchdiff_store.verify_publications (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with cycles as (
    -- One pass over the chain: the cycle that was open is that of the last snapshot before.
    select m.publication_sequence, max(m.editing_cycle) over (order by m.chain_sequence) as cycle
    from (
      select s.chain_sequence, null::bigint as publication_sequence, s.editing_cycle
      from patchdiff_store.target_snapshots as s
      where s.target_file_id = p_target
      union all
      select p.chain_sequence, p.publication_sequence, null
      from patchdiff_store.workspace_publications as p
      where p.target_file_id = p_target
    ) as m
  ),
  ordered as (
    select
      p.publication_sequence,
      p.kind,
      p.intent_publication_id,
      p.content_hash,
      p.kind in ('intent', 'adopted', 'rebound') as is_first,
      p.kind = 'adopted' and (
        p.observed_disk_sha256 is distinct from p.written_sha256
        or p.written_sha256 is distinct from d.detail #>> '{source_line_endings,source_sha256}'
      ) as other_digest,
      p.kind = 'adopted' and p.version::text is distinct from coalesce(
        (
          select l.after_version::text
          from patchdiff_store.append_only_pdcp_logs as l
          where l.target_file_id = p_target
          and l.pdcp_log_id::text = d.detail ->> 'pdcp_log_id'
          and l.status = 'accepted'
          and l.submission_source = 'disk'
          and l.chain_sequence < p.chain_sequence
        ),
        case when d.detail ->> 'pdcp_log_id' is null then d.detail ->> 'before_version' end
      ) as other_attempt,
      (p.kind = 'rebound') <> (p.written_sha256 is null) as other_writing,
      (p.kind = 'rebound') <> (p.written_bytes is null) as other_writing_size,
      lag(p.publication_sequence, 1, 0::bigint) over publications as sequence_before,
      i.publication_id as intent,
      p.editing_cycle,
      c.cycle,
      p.version is distinct from i.version as other_version,
      p.content_hash is distinct from i.content_hash as other_content,
      p.written_sha256 is distinct from i.written_sha256 as other_bytes,
      p.written_bytes is distinct from i.written_bytes as other_size,
      p.expected_disk_sha256 is distinct from i.expected_disk_sha256 as other_disk,
      p.workspace_root_identity is distinct from i.workspace_root_identity as other_root,
      p.workspace_path is distinct from i.workspace_path as other_path,
      coalesce(
        (
          select l.after_hash
          from patchdiff_store.append_only_pdcp_logs as l
          where l.target_file_id = p_target and l.status = 'accepted' and l.after_version = p.version
          limit 1
        ),
        (
          select s.content_hash
          from patchdiff_store.target_snapshots as s
          where s.target_file_id = p_target and s.snapshot_sequence = 1 and s.version = p.version
        )
      ) as hash_of_version
    from patchdiff_store.workspace_publications as p
    left join patchdiff_store.workspace_publications as i
      on i.target_file_id = p.target_file_id
      and i.publication_id = p.intent_publication_id
      and i.kind = 'intent'
      and i.publication_sequence < p.publication_sequence
    left join cycles as c on c.publication_sequence = p.publication_sequence
    cross join lateral (
      select case when p.kind = 'adopted' and pg_input_is_valid(p.detail::text, 'jsonb') then p.detail::jsonb end as detail
    ) as d
    where p.target_file_id = p_target
    window publications as (order by p.publication_sequence)
  )
  select 'workspace_publications', 'publication_sequence=' || o.publication_sequence, f.column_name, f.problem
  from ordered as o
  cross join lateral (
    values
      ('publication_sequence', 'publications are missing before this one', o.publication_sequence <> o.sequence_before + 1),
      ('intent_publication_id', 'closes no earlier intent', not o.is_first and o.intent is null),
      ('kind', 'an intent that closes one, or no known kind',
        o.kind not in ('intent', 'published', 'rejected', 'superseded', 'adopted', 'rebound')
        or o.is_first <> (o.intent_publication_id is null)),
      ('editing_cycle', 'not the cycle that was open', o.editing_cycle is distinct from o.cycle),
      ('version', 'not what the intent announced', o.intent is not null and o.other_version),
      ('content_hash', 'not what the intent announced', o.intent is not null and o.other_content),
      ('written_sha256', 'not what the intent announced', o.intent is not null and o.other_bytes),
      ('written_bytes', 'not what the intent announced', o.intent is not null and o.other_size),
      ('expected_disk_sha256', 'not what the intent announced', o.intent is not null and o.other_disk),
      ('workspace_root_identity', 'not what the intent announced', o.intent is not null and o.other_root),
      ('workspace_path', 'not what the intent announced', o.intent is not null and o.other_path),
      ('written_sha256', 'missing, or of a row that writes nothing', o.other_writing),
      ('written_bytes', 'missing, or of a row that writes nothing', o.other_writing_size),
      ('observed_disk_sha256', 'not the digest that was adopted', o.other_digest),
      ('detail', 'names no attempt that made the version', o.other_attempt),
      ('content_hash', 'not the hash that the history records for the version', o.content_hash is distinct from o.hash_of_version)
  ) as f (column_name, problem, broken)
  where f.broken
  union all
  select 'target_heads', 'target_file_id=' || h.target_file_id, 'publication_sequence', 'not the sequence of the last publication'
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_target
  and h.publication_sequence <> coalesce((select max(o.publication_sequence) from ordered as o), 0)
$$;

comment on function patchdiff_store.verify_publications(uuid) is
  'What is wrong with the publications of a target; no rows when nothing is.';
