-- The publications of a target: sequence without gap, every outcome closing an earlier intent with the same bytes and
-- file, and the published hash that which the history records for the version.
create or replace function patchdiff_store.verify_publications (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with ordered as (
    select
      p.publication_sequence,
      p.kind,
      p.content_hash,
      lag(p.publication_sequence, 1, 0::bigint) over publications as sequence_before,
      i.publication_id as intent,
      row(p.version, p.content_hash, p.written_sha256, p.written_bytes, p.workspace_root_identity, p.workspace_path)
        is not distinct from
        row(i.version, i.content_hash, i.written_sha256, i.written_bytes, i.workspace_root_identity, i.workspace_path)
        as same_as_intent,
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
    where p.target_file_id = p_target
    window publications as (order by p.publication_sequence)
  )
  select 'workspace_publications', 'publication_sequence=' || o.publication_sequence, f.column_name, f.problem
  from ordered as o
  cross join lateral (
    values
      ('publication_sequence', 'publications are missing before this one', o.publication_sequence <> o.sequence_before + 1),
      ('intent_publication_id', 'closes no earlier intent', o.kind <> 'intent' and o.intent is null),
      ('written_sha256', 'not what the intent announced', o.kind <> 'intent' and o.intent is not null and not o.same_as_intent),
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
