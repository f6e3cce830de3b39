-- The receipts under the request keys of a target's SAVEs. A receipt names a link of the chain, and what it says of a snapshot
-- is so. Where a SAVE appended the row that settled its key (checkpointed, published, a rejected publication), row and key
-- agree in both directions. That the key itself is as it was recorded, or was not removed, is the chain's to show.
create or replace function patchdiff_store.verify_save_keys (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with settled as (
    select
      'target_snapshots' as table_name,
      'snapshot_sequence=' || s.snapshot_sequence as row_key,
      s.client_request_id,
      s.request_fingerprint,
      'checkpointed' as outcome,
      s.snapshot_id,
      null::uuid as publication_id,
      s.chain_sequence
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = p_target and s.client_request_id is not null
    union all
    select
      'workspace_publications',
      'publication_sequence=' || p.publication_sequence,
      p.client_request_id,
      p.request_fingerprint,
      p.kind,
      null,
      p.intent_publication_id,
      p.chain_sequence
    from patchdiff_store.workspace_publications as p
    where p.target_file_id = p_target and p.client_request_id is not null and p.kind <> 'intent'
  ),
  keys as (
    select k.client_request_id, k.request_fingerprint, r.*
    from patchdiff_store.request_keys as k
    cross join lateral (
      -- What cannot be read is no receipt: the row is found, and verifying goes on.
      select case when pg_input_is_valid(k.save_receipt::text, 'jsonb') then k.save_receipt end as save_receipt
    ) as v
    cross join lateral (
      select
        v.save_receipt ->> 'outcome' as outcome,
        v.save_receipt ->> 'version' as version,
        v.save_receipt ->> 'current_hash' as current_hash,
        v.save_receipt ->> 'snapshot_id' as snapshot_id,
        v.save_receipt ->> 'publication_id' as publication_id,
        v.save_receipt ->> 'chain_sequence' as chain_sequence,
        v.save_receipt ->> 'chain_head' as chain_head
    ) as r
    where k.target_file_id = p_target and k.kind = 'save'
  ),
  links as (
    select l.chain_sequence, l.row_hash
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = p_target
    union all
    select s.chain_sequence, s.row_hash
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = p_target
    union all
    select p.chain_sequence, p.row_hash
    from patchdiff_store.workspace_publications as p
    where p.target_file_id = p_target
    union all
    select o.chain_sequence, o.row_hash
    from patchdiff_store.scope_observations as o
    where o.target_file_id = p_target
    union all
    select q.chain_sequence, q.row_hash
    from patchdiff_store.request_keys as q
    where q.target_file_id = p_target and q.chain_sequence is not null
  )
  select 'request_keys', 'client_request_id=' || k.client_request_id, f.column_name, f.problem
  from keys as k
  left join patchdiff_store.target_snapshots as s
    on s.target_file_id = p_target and s.snapshot_id::text = k.snapshot_id
  left join settled as w
    on w.client_request_id = k.client_request_id
    and w.outcome = k.outcome
    and w.chain_sequence::text = k.chain_sequence
  -- Joined and not looked up, so that the work is linear.
  left join (
    select distinct a.chain_sequence::text as chain_sequence, encode(a.row_hash, 'hex') as chain_head from links as a
  ) as l
    on l.chain_sequence = k.chain_sequence and l.chain_head = k.chain_head
  cross join lateral (
    values
      ('save_receipt', 'its chain head is no link of the chain', l.chain_head is null),
      ('save_receipt', 'not what its snapshot says', k.outcome in ('checkpointed', 'unchanged') and (
        s.version::text is distinct from k.version or s.content_hash is distinct from k.current_hash
      )),
      ('save_receipt', 'no row of a SAVE under this key says so',
        (
          k.outcome in ('checkpointed', 'published')
          or k.publication_id is not null
          or k.client_request_id in (select z.client_request_id from settled as z)
        ) and (
          w.outcome is null
          or (w.outcome = 'checkpointed' and w.snapshot_id::text is distinct from k.snapshot_id)
          or (w.outcome <> 'checkpointed' and w.publication_id::text is distinct from k.publication_id)
        )),
      ('request_fingerprint', 'not that of the row which settled the key', w.request_fingerprint <> k.request_fingerprint)
  ) as f (column_name, problem, broken)
  where f.broken
  union all
  select w.table_name, w.row_key, 'client_request_id', 'the key is not registered for this row'
  from settled as w
  where not exists (
    select
    from keys as k
    where k.client_request_id = w.client_request_id
    and coalesce(k.snapshot_id = w.snapshot_id::text, k.publication_id = w.publication_id::text)
  )
$$;

comment on function patchdiff_store.verify_save_keys(uuid) is
  'What is wrong with the request keys of a target''s SAVEs; no rows when nothing is.';
