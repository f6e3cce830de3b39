-- Records a SAVE's receipt under its request key, if it has one, for ever. The caller holds the target's lock and has
-- found the key to be new. The head is written too, even when nothing in it changes: at REPEATABLE READ a caller whose
-- snapshot does not see the key then fails at the lock (40001) and not at the key.
create or replace function patchdiff_store.remember_save (
  p_target uuid,
  p_client_request_id text,
  p_fingerprint text,
  p_receipt patchdiff.save_receipt
)
  returns void
  language sql
  volatile
as $$
  insert into patchdiff_store.request_keys (
    target_file_id, client_request_id, kind, request_fingerprint, save_receipt, created_at
  )
  select p_target, p_client_request_id, 'save', p_fingerprint, row_to_json(p_receipt), clock_timestamp()
  where p_client_request_id is not null;

  update patchdiff_store.target_heads as h
  set chain_sequence = h.chain_sequence
  where h.target_file_id = p_target
  and p_client_request_id is not null
$$;

comment on function patchdiff_store.remember_save(uuid, text, text, patchdiff.save_receipt) is
  'Records a SAVE''s receipt under its request key.';
