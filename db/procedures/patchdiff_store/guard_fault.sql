-- The fault of a guard that the locked row does not meet, version before hash. Guards that are null take no part;
-- at least one of them differs.
create or replace function patchdiff_store.guard_fault (
  p_attempt patchdiff_store.append_only_pdcp_logs
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_fault patchdiff_store.fault;
begin
  if p_attempt.expected_target_version <> p_attempt.before_version then
    v_fault := patchdiff_store.fault_of('target_version_mismatch', p_words => jsonb_build_object(
      'expected', p_attempt.expected_target_version, 'actual', p_attempt.before_version));
    v_fault.evidence := concat(
      ',"expected":', p_attempt.expected_target_version, ',"actual":', p_attempt.before_version);
  else
    v_fault := patchdiff_store.fault_of('target_hash_mismatch');
    v_fault.evidence := concat(
      ',"expected":"', p_attempt.expected_current_hash, '","actual":"', p_attempt.before_hash, '"');
  end if;

  return v_fault;
end;
$$;

comment on function patchdiff_store.guard_fault(patchdiff_store.append_only_pdcp_logs) is
  'The fault of a guard that the locked row does not meet.';
