-- A SAVE's receipt about a locked target, for a given outcome and fault; the caller adds ids of what it wrote.
create or replace function patchdiff_store.save_answer (
  p_locked patchdiff_store.locked_target,
  p_outcome text,
  p_fault patchdiff_store.fault
)
  returns patchdiff.save_receipt
  language plpgsql
  volatile
as $$
declare
  v_receipt patchdiff.save_receipt;
begin
  v_receipt.outcome := p_outcome;
  v_receipt.deduplicated := false;
  v_receipt.failure_reason := p_fault.failure_reason;
  v_receipt.failure_code := p_fault.failure_code;
  v_receipt.failure_detail := p_fault.failure_detail;
  v_receipt.version := p_locked.version;
  v_receipt.current_hash := p_locked.current_hash;
  v_receipt.editing_cycle := p_locked.open_cycle;
  v_receipt.created_at := clock_timestamp();
  v_receipt.chain_sequence := p_locked.chain_sequence;
  v_receipt.chain_head := encode(p_locked.chain_head, 'hex');
  return v_receipt;
end;
$$;

comment on function patchdiff_store.save_answer(patchdiff_store.locked_target, text, patchdiff_store.fault) is
  'A SAVE''s receipt about a locked target.';
