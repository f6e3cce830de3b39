-- Why a version rendered for publication is no longer the one to publish: the target is not bound to a file, it moved
-- to another version or content, or the digest that the disk should have is another one. Null: nothing moved.
create or replace function patchdiff_store.publication_moved (
  p_locked patchdiff_store.locked_target,
  p_version bigint,
  p_content_hash text,
  p_expected_disk_sha256 text
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_fault patchdiff_store.fault;
begin
  v_fault.validation_stage := 'precondition_guard';
  if not p_locked.workspace_tracked then
    v_fault.failure_reason := 'not_workspace_bound';
    v_fault.failure_code := 'not_workspace_bound';
    v_fault.failure_detail := 'the target is not bound to a workspace file; save it without publication';
  elsif p_locked.version <> p_version then
    v_fault.failure_reason := 'target_version_mismatch';
    v_fault.failure_code := 'publication_moved';
    v_fault.failure_detail := format('the target is at version %s, not %s; read it again', p_locked.version, p_version);
  elsif p_locked.current_hash <> p_content_hash then
    v_fault.failure_reason := 'target_hash_mismatch';
    v_fault.failure_code := 'publication_moved';
    v_fault.failure_detail := 'the content''s hash is not the expected one; read it again';
  elsif p_locked.last_synced_disk_sha256 is distinct from p_expected_disk_sha256 then
    v_fault.failure_reason := 'workspace_drift';
    v_fault.failure_code := 'publication_moved';
    v_fault.failure_detail := 'the file was last synced with another digest than the expected one';
  else
    return null;
  end if;
  return v_fault;
end;
$$;

comment on function patchdiff_store.publication_moved(patchdiff_store.locked_target, bigint, text, text) is
  'Why a rendered version is no longer the one to publish, or null.';
