-- The request keys of a target: a submission's key and its attempt agree in both directions, and a SAVE's receipt
-- names a link of the chain.
create or replace function patchdiff_store.verify_keys (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
  set search_path = '', pg_temp
as $$
  select 'request_keys', 'client_request_id=' || k.client_request_id, 'log_sequence', 'names no attempt with this key and fingerprint'
  from patchdiff_store.request_keys as k
  where k.target_file_id = p_target
  and k.kind = 'submission'
  and not exists (
    select
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = k.target_file_id
    and l.log_sequence = k.log_sequence
    and l.client_request_id = k.client_request_id
    and l.request_fingerprint = k.request_fingerprint
  )
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
  union all
  select 'request_keys', 'client_request_id=' || k.client_request_id, 'save_receipt', 'its chain head is no link of the chain'
  from patchdiff_store.request_keys as k
  where k.target_file_id = p_target
  and k.kind = 'save'
  and not exists (
    select
    from (
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
    ) as r
    where r.chain_sequence::text = k.save_receipt ->> 'chain_sequence'
    and encode(r.row_hash, 'hex') = k.save_receipt ->> 'chain_head'
  )
$$;

comment on function patchdiff_store.verify_keys(uuid) is
  'What is wrong with the request keys of a target; no rows when nothing is.';
