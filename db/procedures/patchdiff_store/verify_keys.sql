-- The request keys of a target. A submission's key and its attempt agree in both directions, and the attempt's hash covers
-- what the key says; a SAVE's key is a row of the chain itself. Keys of SAVEs from before that are outside it, and a
-- target whose initial snapshot is of format 2 has none of them.
create or replace function patchdiff_store.verify_keys (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  select 'request_keys', 'client_request_id=' || k.client_request_id, f.column_name, f.problem
  from patchdiff_store.request_keys as k
  left join patchdiff_store.append_only_pdcp_logs as l
    on l.target_file_id = k.target_file_id and l.log_sequence = k.log_sequence
  cross join lateral (
    select
      k.kind = 'submission' as is_submission,
      num_nonnulls(k.chain_sequence, k.hash_version, k.prev_hash, k.row_hash) as chained,
      exists (
        select
        from patchdiff_store.target_snapshots as s
        where s.target_file_id = p_target and s.snapshot_sequence = 1 and s.hash_version = 2
      ) as must_be_chained
  ) as c
  cross join lateral (
    values
      ('kind', 'neither a submission with its attempt nor a SAVE with its receipt',
        k.kind not in ('submission', 'save')
        or c.is_submission <> (k.log_sequence is not null)
        or c.is_submission = (k.save_receipt is not null)),
      ('log_sequence', 'names no attempt with this key and fingerprint', c.is_submission and (
        l.client_request_id is distinct from k.client_request_id or l.request_fingerprint is distinct from k.request_fingerprint
      )),
      ('created_at', 'not the time of the attempt', c.is_submission and k.created_at <> l.created_at),
      ('chain_sequence', 'the key of a submission is no row of the chain', c.is_submission and c.chained > 0),
      ('chain_sequence', 'the key of a SAVE is not in the chain',
        not c.is_submission and c.chained < 4 and (c.chained > 0 or c.must_be_chained))
  ) as f (column_name, problem, broken)
  where k.target_file_id = p_target and f.broken
  union all
  select 'append_only_pdcp_logs', 'log_sequence=' || l.log_sequence, 'client_request_id', 'the key is not registered for this attempt'
  from patchdiff_store.append_only_pdcp_logs as l
  where l.target_file_id = p_target
  and l.client_request_id is not null
  and not exists (
    select
    from patchdiff_store.request_keys as k
    where k.target_file_id = l.target_file_id
    and k.client_request_id = l.client_request_id
    and k.log_sequence = l.log_sequence
  )
$$;

comment on function patchdiff_store.verify_keys(uuid) is
  'What is wrong with the request keys of a target; no rows when nothing is.';
