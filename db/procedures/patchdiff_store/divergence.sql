-- The fault of a locked target whose content is not what its row and its head say: target_diverged. Every field null:
-- it is. Asked before content becomes a checkpoint or the bytes of a file, never skipped for speed.
create or replace function patchdiff_store.divergence (
  p_locked patchdiff_store.locked_target
)
  returns patchdiff_store.fault
  language plpgsql
  stable
as $$
declare
  v_fault patchdiff_store.fault;
  v_content_hash text;
begin
  select patchdiff_store.sha256_hex(convert_to(t.current_content, 'UTF8'))
  into v_content_hash
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_locked.target_file_id;
  if v_content_hash = p_locked.current_hash
    and p_locked.accepted_version = p_locked.version
    and p_locked.accepted_hash = p_locked.current_hash
  then
    return null;
  end if;

  v_fault.validation_stage := 'commit_guard';
  v_fault.failure_reason := 'target_diverged';
  v_fault.failure_code := 'content_diverged';
  v_fault.failure_detail := 'the stored content does not match its recorded hash; nothing was applied';
  return v_fault;
end;
$$;

comment on function patchdiff_store.divergence(patchdiff_store.locked_target) is
  'The fault of a locked target whose content is not what its row and head say, or null.';
