-- The receipt that a submission with this request key would recover, as commit_attempt would return it now: one row, or
-- none when the key belongs to no submission of the target. Takes no lock and writes nothing.
create or replace function patchdiff.preview_recovery (
  p_target uuid,
  p_client_request_id text
)
  returns setof patchdiff.commit_receipt
  language plpgsql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
declare
  v_log_sequence bigint;
begin
  select k.log_sequence
  into v_log_sequence
  from patchdiff_store.request_keys as k
  where k.target_file_id = p_target
  and k.client_request_id = p_client_request_id
  and k.kind = 'submission';

  if found then
    return next patchdiff_store.recall_attempt(patchdiff_store.observe_target(p_target), v_log_sequence);
  end if;
end;
$$;

comment on function patchdiff.preview_recovery(uuid, text) is
  'The receipt that a submission with this request key would recover, without a lock.';
