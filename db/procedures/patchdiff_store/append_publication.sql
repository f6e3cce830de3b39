-- Appends one row about the publication of a target and advances the head. The caller holds the lock, passes what
-- lock_target answered, and has filled in what is particular to the row; the rest (sequence, identity of the
-- connection, links of the chain) is filled in here.
create or replace function patchdiff_store.append_publication (
  p_locked patchdiff_store.locked_target,
  p_row patchdiff_store.workspace_publications
)
  returns patchdiff_store.workspace_publications
  language plpgsql
  volatile
as $$
declare
  v_row patchdiff_store.workspace_publications := p_row;
begin
  v_row.target_file_id := p_locked.target_file_id;
  v_row.publication_sequence := p_locked.publication_sequence + 1;
  v_row.publication_id := gen_random_uuid();
  v_row.created_at := clock_timestamp();
  v_row.chain_sequence := p_locked.chain_sequence + 1;
  v_row.hash_version := 1;
  v_row.editing_cycle := p_locked.open_cycle;
  v_row.db_session_user := session_user;
  v_row.db_application_name := current_setting('application_name');
  v_row.db_client_addr := host(inet_client_addr());
  v_row.db_transaction_id := pg_current_xact_id()::text::bigint;
  v_row.prev_hash := p_locked.chain_head;
  v_row.row_hash := sha256(v_row.prev_hash || patchdiff_store.publication_encoding(v_row));

  insert into patchdiff_store.workspace_publications values (v_row.*);

  update patchdiff_store.target_heads as h
  set publication_sequence = v_row.publication_sequence,
      chain_sequence = v_row.chain_sequence,
      chain_head = v_row.row_hash
  where h.target_file_id = v_row.target_file_id;

  return v_row;
end;
$$;

comment on function patchdiff_store.append_publication(patchdiff_store.locked_target, patchdiff_store.workspace_publications) is
  'Appends an intent or an outcome of a publication of the locked target.';
