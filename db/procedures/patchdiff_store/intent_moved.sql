-- Why a publication intent no longer stands on a locked target: what was rendered is not what is to be published now, or
-- the target belongs to another file. Every field null: it stands.
create or replace function patchdiff_store.intent_moved (
  p_locked patchdiff_store.locked_target,
  p_intent patchdiff_store.workspace_publications
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_fault patchdiff_store.fault;
begin
  v_fault := patchdiff_store.publication_moved(
    p_locked, p_intent.version, p_intent.content_hash, p_intent.expected_disk_sha256);
  if v_fault.failure_reason is null and (
    p_intent.workspace_root_identity <> p_locked.workspace_root_identity or p_intent.workspace_path <> p_locked.workspace_path
  ) then
    v_fault.validation_stage := 'precondition_guard';
    v_fault.failure_reason := 'workspace_drift';
    v_fault.failure_code := 'publication_moved';
    v_fault.failure_detail := 'the target was bound to another file since the publication was opened';
  end if;
  return v_fault;
end;
$$;

comment on function patchdiff_store.intent_moved(
  patchdiff_store.locked_target, patchdiff_store.workspace_publications
) is 'Why a publication intent no longer stands, or null.';
