-- The fault of a request key that already stands for another request, with its evidence. A key that belongs to a SAVE
-- names no attempt.
create or replace function patchdiff_store.key_conflict (
  p_key patchdiff_store.request_keys,
  p_client_request_id text
)
  returns patchdiff_store.fault
  language plpgsql
  stable
as $$
declare
  v_fault patchdiff_store.fault := patchdiff_store.fault_of('request_key_conflict');
begin
  v_fault.evidence := concat(
    ',"existing_pdcp_log_id":', coalesce((
      select to_json(a.pdcp_log_id)::text
      from patchdiff_store.append_only_pdcp_logs as a
      where a.target_file_id = p_key.target_file_id
      and a.log_sequence = p_key.log_sequence
    ), 'null'),
    ',"submitted_client_request_id":', to_json(left(p_client_request_id, 256)),
    ',"submitted_client_request_id_truncated":', (char_length(p_client_request_id) > 256)::text
  );
  return v_fault;
end;
$$;

comment on function patchdiff_store.key_conflict(patchdiff_store.request_keys, text) is
  'The fault of a request key that already stands for another request.';
