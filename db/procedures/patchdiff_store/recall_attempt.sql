-- The receipt of the attempt that a request key stands for, as it was recorded, with deduplicated true. Only what is
-- called current, and the context beside it, is of the moment. The caller holds the target's lock.
create or replace function patchdiff_store.recall_attempt (
  p_locked patchdiff_store.locked_target,
  p_log_sequence bigint
)
  returns patchdiff.commit_receipt
  language plpgsql
  stable
as $$
declare
  v_row patchdiff_store.append_only_pdcp_logs;
  v_receipt patchdiff.commit_receipt;
begin
  select a.*
  into strict v_row
  from patchdiff_store.append_only_pdcp_logs as a
  where a.target_file_id = p_locked.target_file_id
  and a.log_sequence = p_log_sequence;

  v_receipt := patchdiff_store.receipt_of(
    p_locked,
    v_row,
    case v_row.status when 'accepted' then patchdiff_store.changes_of(p_locked.target_file_id, p_log_sequence) end,
    case v_row.status when 'rejected' then patchdiff_store.head_of_content(p_locked.target_file_id) end
  );
  v_receipt.deduplicated := true;
  return v_receipt;
end;
$$;

comment on function patchdiff_store.recall_attempt(patchdiff_store.locked_target, bigint) is
  'The receipt of a recorded attempt, deduplicated.';
