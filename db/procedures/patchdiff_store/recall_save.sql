-- What a SAVE's request key already stands for on a locked target: the receipt as recorded, with deduplicated true;
-- a rejection when the key stands for something else, another publication included, which is not recorded; null when the
-- key is new or absent. p_publication_id: the publication that is being closed, null when a SAVE begins.
-- Called in a later statement than the lock, so that it sees what was committed during the wait.
create or replace function patchdiff_store.recall_save (
  p_locked patchdiff_store.locked_target,
  p_client_request_id text,
  p_fingerprint text,
  p_publication_id uuid default null
)
  returns patchdiff.save_receipt
  language plpgsql
  volatile
as $$
declare
  v_key patchdiff_store.request_keys;
  v_fault patchdiff_store.fault;
  v_receipt patchdiff.save_receipt;
begin
  select k.*
  into v_key
  from patchdiff_store.request_keys as k
  where k.target_file_id = p_locked.target_file_id
  and k.client_request_id = p_client_request_id;
  if not found then
    return null;
  end if;

  v_receipt := json_populate_record(v_receipt, v_key.save_receipt);
  if v_key.kind = 'save'
    and v_key.request_fingerprint = p_fingerprint
    and (p_publication_id is null or v_receipt.publication_id = p_publication_id)
  then
    v_receipt.deduplicated := true;
    return v_receipt;
  end if;

  v_fault.failure_reason := 'context_invalid';
  v_fault.failure_code := 'request_key_conflict';
  v_fault.failure_detail := 'this client_request_id already stands for another request; send a new key';
  return patchdiff_store.save_answer(p_locked, 'rejected', v_fault);
end;
$$;

comment on function patchdiff_store.recall_save(patchdiff_store.locked_target, text, text, uuid) is
  'The outcome that a SAVE''s request key already stands for, or null.';
