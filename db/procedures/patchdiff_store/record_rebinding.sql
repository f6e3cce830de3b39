-- Moves the binding of a target to a place and appends the row that says so, with the facts of before and after in its detail. At another
-- place the target is synced with what stands there: the file by which it is known, or nothing, so that the next SAVE
-- creates the file. Two that bind one place at once are decided by the primary key: the second is refused (PD109). The caller
-- holds the target's lock, passes what lock_target answered, and has found nothing against it (rebind_fault).
create or replace function patchdiff_store.record_rebinding (
  p_locked patchdiff_store.locked_target,
  p_workspace jsonb,
  p_actor json
)
  returns patchdiff_store.workspace_publications
  language plpgsql
  volatile
as $$
declare
  v_target uuid := p_locked.target_file_id;
  v_found text := p_workspace ->> 'disk_sha256';
  v_moves boolean := p_workspace ->> 'root' <> p_locked.workspace_root_identity or p_workspace ->> 'path' <> p_locked.workspace_path;
  v_known record;
  v_from jsonb := patchdiff_store.binding_facts(p_locked.target_file_id);
  v_row patchdiff_store.workspace_publications;
begin
  v_known := patchdiff_store.known_file(p_locked);
  update patchdiff_store.cloud_target_files as t
  set workspace_root_identity = p_workspace ->> 'root',
      workspace_path = p_workspace ->> 'path',
      last_synced_disk_sha256 = case when v_moves then v_found else t.last_synced_disk_sha256 end,
      last_synced_version = case when not v_moves then t.last_synced_version when v_found is not null then v_known.version end,
      updated_at = clock_timestamp()
  where t.target_file_id = v_target;
  delete from patchdiff_store.workspace_bindings as b
  where b.target_file_id = v_target;
  perform patchdiff_store.bind_target(v_target, p_workspace);

  v_row.kind := 'rebound';
  v_row.version := p_locked.version;
  v_row.content_hash := p_locked.current_hash;
  v_row.expected_disk_sha256 := v_known.disk_sha256;
  v_row.observed_disk_sha256 := v_found;
  v_row.workspace_root_identity := p_workspace ->> 'root';
  v_row.workspace_path := p_workspace ->> 'path';
  v_row.actor := p_actor;
  v_row.detail := json_build_object(
    'from', v_from,
    'to', patchdiff_store.binding_facts(v_target),
    'expected_disk_version', v_known.version
  );
  return patchdiff_store.append_publication(p_locked, v_row);
end;
$$;

comment on function patchdiff_store.record_rebinding(patchdiff_store.locked_target, jsonb, json) is
  'Moves the binding of a target to a place and appends the row that says so.';
