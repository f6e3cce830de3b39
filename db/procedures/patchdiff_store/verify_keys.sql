-- The request keys of submissions of a target: a key and its attempt agree in both directions.
create or replace function patchdiff_store.verify_keys (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
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
    and l.request_fingerprint is not distinct from k.request_fingerprint
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
$$;

comment on function patchdiff_store.verify_keys(uuid) is
  'What is wrong with the request keys of a target''s submissions; no rows when nothing is.';
