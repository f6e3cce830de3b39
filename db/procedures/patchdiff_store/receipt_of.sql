-- The receipt of a recorded attempt on a locked target. Its own versions, hashes and evidence come from the row; what is
-- called current is the target's as it stands now. p_after_version and p_after_hash null: the target did not move.
create or replace function patchdiff_store.receipt_of (
  p_locked patchdiff_store.locked_target,
  p_row patchdiff_store.append_only_pdcp_logs,
  p_changes json,
  p_context text
)
  returns patchdiff.commit_receipt
  language plpgsql
  immutable
as $$
declare
  v_receipt patchdiff.commit_receipt;
begin
  v_receipt.outcome := p_row.status;
  v_receipt.deduplicated := false;
  v_receipt.pdcp_log_id := p_row.pdcp_log_id;
  v_receipt.log_sequence := p_row.log_sequence;
  v_receipt.before_version := p_row.before_version;
  v_receipt.after_version := p_row.after_version;
  v_receipt.before_hash := p_row.before_hash;
  v_receipt.after_hash := p_row.after_hash;
  v_receipt.current_version := p_locked.version;
  v_receipt.current_hash := p_locked.current_hash;
  v_receipt.validation_stage := p_row.validation_stage;
  v_receipt.decided_by := p_row.decided_by;
  v_receipt.failure_reason := p_row.failure_reason;
  v_receipt.failure_code := p_row.failure_code;
  v_receipt.failure_detail := p_row.failure_detail;
  v_receipt.failed_change_id := p_row.failed_change_id;
  v_receipt.request_fingerprint := p_row.request_fingerprint;
  v_receipt.created_at := p_row.created_at;
  v_receipt.changes := p_changes;
  v_receipt.warnings := p_row.warnings;
  v_receipt.diagnostic := p_row.diagnostic_json;
  if p_row.status = 'rejected' then
    v_receipt.current_context := concat(
      '{"version":', p_locked.version,
      ',"hash":"', p_locked.current_hash,
      '","start":0,"end":', char_length(p_context),
      ',"total_chars":', p_locked.content_chars,
      ',"text":', to_json(p_context),
      '}'
    )::json;
  end if;

  return v_receipt;
end;
$$;

comment on function patchdiff_store.receipt_of(
  patchdiff_store.locked_target, patchdiff_store.append_only_pdcp_logs, json, text
) is 'The receipt of a recorded attempt on a locked target.';
