-- The attempts of a target, each against the one before it and against its own payload: sequence without gap, versions
-- and hashes linked, payload hash, the columns that an accepted payload states, editing cycle, number of ledger rows, and what
-- its status and its parent make of other columns.
create or replace function patchdiff_store.verify_attempts (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with initial as (
    select s.version, s.content_hash
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = p_target and s.snapshot_sequence = 1
  ),
  cycles as (
    -- One pass over the chain: the cycle that was open is that of the last snapshot before.
    select m.log_sequence, max(m.editing_cycle) over (order by m.chain_sequence) as cycle
    from (
      select s.chain_sequence, null::bigint as log_sequence, s.editing_cycle
      from patchdiff_store.target_snapshots as s
      where s.target_file_id = p_target
      union all
      select l.chain_sequence, l.log_sequence, null
      from patchdiff_store.append_only_pdcp_logs as l
      where l.target_file_id = p_target
    ) as m
  ),
  ordered as (
    select
      l.log_sequence,
      l.status,
      l.before_version,
      l.after_version,
      l.before_hash,
      l.after_hash,
      l.failure_reason,
      l.validation_stage,
      l.parent_pdcp_log_id,
      l.regeneration_source,
      p.submission_source as source_of_parent,
      p.status as status_of_parent,
      l.request_fingerprint,
      case when l.status = 'accepted'
        then patchdiff_store.record_fingerprint(l, to_json(l.parent_pdcp_log_id)::text) end as fingerprint,
      l.imported_at is not null as is_imported,
      l.pdcp_content_hash,
      l.protocol_version,
      l.expected_target_version,
      l.expected_current_hash,
      l.editing_cycle,
      l.change_count,
      patchdiff_store.sha256_hex(convert_to(l.pdcp_content, 'UTF8')) as content_hash,
      case when l.status = 'accepted' then patchdiff_store.payload_json(l.pdcp_content) end as payload,
      lag(l.log_sequence, 1, 0::bigint) over log as sequence_before,
      lag(l.after_version, 1, (select i.version from initial as i)) over log as version_before,
      lag(l.after_hash, 1, (select i.content_hash from initial as i)) over log as hash_before,
      (
        select count(*)
        from patchdiff_store.append_only_manifest_ledger as g
        where g.target_file_id = l.target_file_id and g.log_sequence = l.log_sequence
      ) as ledger_rows,
      c.cycle
    from patchdiff_store.append_only_pdcp_logs as l
    left join cycles as c on c.log_sequence = l.log_sequence
    left join patchdiff_store.append_only_pdcp_logs as p
      on p.target_file_id = l.target_file_id
      and p.pdcp_log_id = l.parent_pdcp_log_id
      and p.log_sequence < l.log_sequence
    where l.target_file_id = p_target
    window log as (order by l.log_sequence)
  )
  select 'append_only_pdcp_logs', 'log_sequence=' || o.log_sequence, f.column_name, f.problem
  from ordered as o
  cross join lateral (
    values
      ('log_sequence', 'attempts are missing before this row', o.log_sequence <> o.sequence_before + 1),
      ('before_version', 'not the version after the attempt before', o.before_version is distinct from o.version_before),
      ('before_hash', 'not the hash after the attempt before', o.before_hash is distinct from o.hash_before),
      ('after_version', 'not what the status makes of the version before',
        o.after_version <> o.before_version + (o.status = 'accepted')::integer),
      ('after_hash', 'a rejection that changes the content', o.status = 'rejected' and o.after_hash <> o.before_hash),
      ('status', 'neither an acceptance nor a rejection with its reason',
        o.status not in ('accepted', 'rejected') or (o.status = 'accepted') <> (o.failure_reason is null)),
      ('validation_stage', 'not a stage at which an attempt of this status ends',
        (o.status = 'accepted') <> (o.validation_stage = 'accepted')),
      ('parent_pdcp_log_id', 'names no earlier rejected attempt',
        o.parent_pdcp_log_id is not null and o.status_of_parent is distinct from 'rejected'),
      ('regeneration_source', 'not the source of the parent', o.regeneration_source is distinct from o.source_of_parent),
      ('request_fingerprint', 'not what the payload makes', o.status = 'accepted'
        and o.request_fingerprint is distinct from o.fingerprint and not (o.is_imported and o.request_fingerprint is null)),
      ('pdcp_content_hash', 'not the hash of the payload', o.pdcp_content_hash <> o.content_hash),
      ('editing_cycle', 'not the cycle that was open', o.editing_cycle is distinct from o.cycle),
      ('change_count', 'not the number of its ledger rows', o.change_count <> o.ledger_rows),
      ('pdcp_content', 'an accepted payload that is no JSON object',
        o.status = 'accepted' and jsonb_typeof(o.payload) is distinct from 'object'),
      ('protocol_version', 'not the format of the payload', o.payload ->> 'format' <> o.protocol_version),
      ('target_file_id', 'the payload names another target', lower(o.payload ->> 'target_file_id') <> p_target::text),
      ('expected_target_version', 'not the guard of the payload',
        o.payload is not null and o.payload ->> 'expected_target_version' is distinct from o.expected_target_version::text),
      ('expected_current_hash', 'not the guard of the payload',
        o.payload is not null and o.payload ->> 'expected_current_hash' is distinct from o.expected_current_hash),
      ('expected_target_version', 'an acceptance at another version',
        o.status = 'accepted' and o.expected_target_version <> o.before_version),
      ('expected_current_hash', 'an acceptance of another content',
        o.status = 'accepted' and o.expected_current_hash <> o.before_hash),
      ('expected_target_version', 'an acceptance without a guard',
        o.status = 'accepted' and num_nonnulls(o.expected_target_version, o.expected_current_hash) = 0)
  ) as f (column_name, problem, broken)
  where f.broken
  union all
  select 'target_heads', 'target_file_id=' || h.target_file_id, 'log_sequence', 'not the sequence of the last attempt'
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_target
  and h.log_sequence <> coalesce((select max(o.log_sequence) from ordered as o), 0)
$$;

comment on function patchdiff_store.verify_attempts(uuid) is
  'What is wrong with the attempts of a target; no rows when nothing is.';
