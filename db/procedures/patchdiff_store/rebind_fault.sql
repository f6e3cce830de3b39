-- What stands against binding a locked target to a place: it is bound to no file, a guard, damaged content, or other bytes at the new
-- place than those by which the target knows its file. Where only the root's device or inode changed the disk is not
-- asked: a file that changed there is drift for SAVE as before. Every field null: nothing. Refuses a place of another target (PD109).
create or replace function patchdiff_store.rebind_fault (
  p_locked patchdiff_store.locked_target,
  p_workspace jsonb,
  p_expected_version bigint,
  p_expected_hash text
)
  returns patchdiff_store.fault
  language plpgsql
  stable
as $$
declare
  v_found text := p_workspace ->> 'disk_sha256';
  v_known record;
  v_bound uuid;
  v_fault patchdiff_store.fault;
begin
  if not p_locked.workspace_tracked then
    v_fault.failure_reason := 'not_workspace_bound';
    v_fault.failure_code := 'not_workspace_bound';
    v_fault.failure_detail := 'the target is bound to no workspace file; a binding is made by creation alone';
    return v_fault;
  end if;

  select b.target_file_id
  into v_bound
  from patchdiff_store.workspace_bindings as b
  where b.file_key = patchdiff_store.file_key(p_workspace ->> 'root', p_workspace ->> 'path');
  if v_bound <> p_locked.target_file_id then
    raise exception 'the file belongs to target %', v_bound
      using errcode = 'PD109',
            detail = json_build_object('target_file_id', p_locked.target_file_id, 'bound_target_file_id', v_bound)::text,
            hint = 'use the target that the file is bound to, or bind that one to another file first';
  end if;

  v_fault := patchdiff_store.save_fault(p_locked, p_expected_version, p_expected_hash);
  if v_fault.failure_reason is not null
    or (p_workspace ->> 'root' = p_locked.workspace_root_identity and p_workspace ->> 'path' = p_locked.workspace_path)
  then
    return v_fault;
  end if;

  v_known := patchdiff_store.known_file(p_locked);
  if v_found is not null and v_found is distinct from v_known.disk_sha256 then
    v_fault.failure_reason := 'workspace_drift';
    v_fault.failure_code := 'drift';
    v_fault.failure_detail := format(
      'another file stands at the new place: %s expected, %s found; nothing was changed', coalesce(v_known.disk_sha256, 'no file'), v_found);
    return v_fault;
  end if;
  return null;
end;
$$;

comment on function patchdiff_store.rebind_fault(patchdiff_store.locked_target, jsonb, bigint, text) is
  'What stands against binding a locked target to a place, or null.';
