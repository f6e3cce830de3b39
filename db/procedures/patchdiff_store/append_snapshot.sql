-- Appends a snapshot of a target's current content, opens the editing cycle that begins with it, and advances the head.
-- The caller holds the lock and passes what lock_target answered, and the request key of the SAVE with its fingerprint,
-- of which the row keeps both or none; answers the row with its content left null. The initial one also keeps what the
-- creation fixed.
create or replace function patchdiff_store.append_snapshot (
  p_locked patchdiff_store.locked_target,
  p_kind text,
  p_source_sha256 text,
  p_actor json,
  p_client_request_id text default null,
  p_fingerprint text default null
)
  returns patchdiff_store.target_snapshots
  language plpgsql
  volatile
as $$
declare
  v_row patchdiff_store.target_snapshots;
begin
  v_row.target_file_id := p_locked.target_file_id;
  v_row.snapshot_sequence := p_locked.snapshot_sequence + 1;
  v_row.snapshot_id := gen_random_uuid();
  v_row.created_at := clock_timestamp();
  v_row.chain_sequence := p_locked.chain_sequence + 1;
  v_row.creation := case p_kind when 'initial_upload' then patchdiff_store.creation_facts(v_row.target_file_id) end;
  v_row.hash_version := case when v_row.creation is null then 1 else 2 end;
  v_row.version := p_locked.version;
  v_row.editing_cycle := p_locked.open_cycle + 1;
  v_row.kind := p_kind;
  v_row.content_hash := p_locked.current_hash;
  v_row.source_sha256 := p_source_sha256;
  v_row.client_request_id := p_client_request_id;
  v_row.request_fingerprint := case when p_client_request_id is not null then p_fingerprint end;
  v_row.db_session_user := session_user;
  v_row.db_application_name := current_setting('application_name');
  v_row.db_client_addr := host(inet_client_addr());
  v_row.db_transaction_id := pg_current_xact_id()::text::bigint;
  v_row.actor := p_actor;
  v_row.prev_hash := p_locked.chain_head;
  v_row.row_hash := sha256(
    v_row.prev_hash || patchdiff_store.snapshot_encoding(v_row) || patchdiff_store.creation_encoding(v_row));

  select t.current_content
  into strict v_row.content
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = v_row.target_file_id;
  insert into patchdiff_store.target_snapshots values (v_row.*);
  v_row.content := null;

  insert into patchdiff_store.editing_cycles (target_file_id, editing_cycle, opened_at, opened_at_version, snapshot_sequence)
  values (v_row.target_file_id, v_row.editing_cycle, v_row.created_at, v_row.version, v_row.snapshot_sequence);

  update patchdiff_store.target_heads as h
  set snapshot_sequence = v_row.snapshot_sequence,
      chain_sequence = v_row.chain_sequence,
      open_cycle = v_row.editing_cycle,
      chain_head = v_row.row_hash
  where h.target_file_id = v_row.target_file_id;

  return v_row;
end;
$$;

comment on function patchdiff_store.append_snapshot(patchdiff_store.locked_target, text, text, json, text, text) is
  'Appends a snapshot of the locked target and opens the editing cycle that begins with it.';
