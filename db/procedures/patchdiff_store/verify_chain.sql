-- The chain of a target: sequence without gap, every row hashing to its row_hash, every prev_hash the hash before,
-- the last one the head, and a noted head (if given) still where it was. Hashes of attempts cover their ledger rows. Format 2
-- covers more: of an attempt that its owner brought in, when that was; of an initial snapshot, what the creation fixed.
create or replace function patchdiff_store.verify_chain (
  p_target uuid,
  p_noted_sequence bigint,
  p_noted_hash text
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with links as materialized (
    select
      'append_only_pdcp_logs' as table_name,
      'log_sequence=' || l.log_sequence as row_key,
      l.chain_sequence,
      l.hash_version,
      'imported_at' as extension,
      l.imported_at is not null as is_extended,
      l.prev_hash,
      l.row_hash,
      sha256(l.prev_hash || patchdiff_store.attempt_encoding(l) || patchdiff_store.import_encoding(l) || coalesce((
        select string_agg(patchdiff_store.ledger_encoding(g), ''::bytea order by g.ledger_sequence)
        from patchdiff_store.append_only_manifest_ledger as g
        where g.target_file_id = l.target_file_id and g.log_sequence = l.log_sequence
      ), ''::bytea)) as computed
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = p_target
    union all
    select
      'target_snapshots',
      'snapshot_sequence=' || s.snapshot_sequence,
      s.chain_sequence,
      s.hash_version,
      'creation',
      s.creation is not null,
      s.prev_hash,
      s.row_hash,
      sha256(s.prev_hash || patchdiff_store.snapshot_encoding(s) || patchdiff_store.creation_encoding(s))
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = p_target
    union all
    select
      'workspace_publications',
      'publication_sequence=' || p.publication_sequence,
      p.chain_sequence,
      p.hash_version,
      null,
      false,
      p.prev_hash,
      p.row_hash,
      sha256(p.prev_hash || patchdiff_store.publication_encoding(p))
    from patchdiff_store.workspace_publications as p
    where p.target_file_id = p_target
    union all
    select
      'scope_observations',
      'observation_sequence=' || o.observation_sequence,
      o.chain_sequence,
      o.hash_version,
      null,
      false,
      o.prev_hash,
      o.row_hash,
      sha256(o.prev_hash || patchdiff_store.observation_encoding(o) || coalesce((
        select string_agg(patchdiff_store.scope_encoding(s), ''::bytea order by s.ordinal)
        from patchdiff_store.observed_scopes as s
        where s.target_file_id = o.target_file_id and s.observation_sequence = o.observation_sequence
      ), ''::bytea))
    from patchdiff_store.scope_observations as o
    where o.target_file_id = p_target
    union all
    select
      'request_keys',
      'client_request_id=' || k.client_request_id,
      k.chain_sequence,
      k.hash_version,
      null,
      false,
      k.prev_hash,
      k.row_hash,
      sha256(k.prev_hash || patchdiff_store.key_encoding(k))
    from patchdiff_store.request_keys as k
    where k.target_file_id = p_target and k.chain_sequence is not null
  ),
  ordered as (
    select
      k.*,
      lag(k.chain_sequence, 1, 0::bigint) over chain as sequence_before,
      lag(k.row_hash, 1, patchdiff_store.genesis_hash(p_target)) over chain as hash_before
    from links as k
    window chain as (order by k.chain_sequence, k.table_name, k.row_key)
  )
  select o.table_name, o.row_key, f.column_name, f.problem
  from ordered as o
  cross join lateral (
    values
      ('hash_version', 'the row is of an unknown chain format', o.hash_version is distinct from 1 and (o.hash_version is distinct from 2 or o.extension is null)),
      (o.extension, 'stands in a row of chain format 1, or is missing in one of format 2', (o.hash_version = 2) <> o.is_extended),
      ('row_hash', 'the row, or a ledger row of it, is not what was hashed', o.hash_version in (1, 2) and o.row_hash is distinct from o.computed),
      ('chain_sequence', 'the chain has a gap or a repetition before this row', o.chain_sequence <> o.sequence_before + 1),
      ('prev_hash', 'the row does not link to the row before it', o.prev_hash is distinct from o.hash_before)
  ) as f (column_name, problem, broken)
  where f.broken
  union all
  select 'target_heads', 'target_file_id=' || h.target_file_id, f.column_name, f.problem
  from patchdiff_store.target_heads as h
  left join (
    select k.chain_sequence, k.row_hash
    from links as k
    order by k.chain_sequence desc
    limit 1
  ) as z on true
  cross join lateral (
    values
      ('chain_sequence', 'not the sequence of the last row of the chain', h.chain_sequence is distinct from z.chain_sequence),
      ('chain_head', 'not the hash of the last row of the chain', h.chain_head is distinct from z.row_hash)
  ) as f (column_name, problem, broken)
  where h.target_file_id = p_target and f.broken
  union all
  select 'target_heads', 'target_file_id=' || p_target, 'chain_head',
    format('the chain does not hold the noted head at sequence %s: it was cut off or rewritten', p_noted_sequence)
  where p_noted_sequence is not null
  and not exists (
    select from links as k where k.chain_sequence = p_noted_sequence and encode(k.row_hash, 'hex') = p_noted_hash
  )
$$;

comment on function patchdiff_store.verify_chain(uuid, bigint, text) is
  'What is wrong with the hash chain of a target; no rows when nothing is.';
