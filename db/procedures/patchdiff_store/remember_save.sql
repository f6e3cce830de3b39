-- Records a SAVE's receipt under its request key, if it has one, for ever: a row of the chain of its own, because an unchanged
-- or refused SAVE leaves no other. The caller holds the target's lock and has found the key to be new. The receipt names
-- the head before this row. The head's row is written, so at REPEATABLE READ a caller whose snapshot does not see the
-- key fails at the lock (40001) and not at the key.
create or replace function patchdiff_store.remember_save (
  p_target uuid,
  p_client_request_id text,
  p_fingerprint text,
  p_receipt patchdiff.save_receipt
)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_row patchdiff_store.request_keys;
begin
  if p_client_request_id is null then
    return;
  end if;

  v_row.target_file_id := p_target;
  v_row.client_request_id := p_client_request_id;
  v_row.kind := 'save';
  v_row.request_fingerprint := p_fingerprint;
  v_row.save_receipt := row_to_json(p_receipt);
  v_row.created_at := clock_timestamp();
  v_row.hash_version := 1;
  select h.chain_sequence + 1, h.chain_head
  into strict v_row.chain_sequence, v_row.prev_hash
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_target;
  v_row.row_hash := sha256(v_row.prev_hash || patchdiff_store.key_encoding(v_row));

  insert into patchdiff_store.request_keys values (v_row.*);

  update patchdiff_store.target_heads as h
  set chain_sequence = v_row.chain_sequence,
      chain_head = v_row.row_hash
  where h.target_file_id = p_target;
end;
$$;

comment on function patchdiff_store.remember_save(uuid, text, text, patchdiff.save_receipt) is
  'Records a SAVE''s receipt under its request key, as a row of the chain.';
