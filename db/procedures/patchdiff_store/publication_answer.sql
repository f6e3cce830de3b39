-- A publication's receipt about a locked target; the intent's id is added by the caller.
create or replace function patchdiff_store.publication_answer (
  p_locked patchdiff_store.locked_target,
  p_outcome text,
  p_fault patchdiff_store.fault
)
  returns patchdiff.publication_receipt
  language plpgsql
  stable
as $$
declare
  v_receipt patchdiff.publication_receipt;
begin
  v_receipt.outcome := p_outcome;
  v_receipt.failure_reason := p_fault.failure_reason;
  v_receipt.failure_code := p_fault.failure_code;
  v_receipt.failure_detail := p_fault.failure_detail;
  v_receipt.version := p_locked.version;
  v_receipt.current_hash := p_locked.current_hash;
  v_receipt.workspace_root := p_locked.workspace_root_identity;
  v_receipt.workspace_path := p_locked.workspace_path;
  v_receipt.last_synced_disk_sha256 := p_locked.last_synced_disk_sha256;
  v_receipt.chain_sequence := p_locked.chain_sequence;
  v_receipt.chain_head := encode(p_locked.chain_head, 'hex');
  return v_receipt;
end;
$$;

comment on function patchdiff_store.publication_answer(patchdiff_store.locked_target, text, patchdiff_store.fault) is
  'A publication''s receipt about a locked target.';
