-- What stands against saving a locked target: the version guard, the hash guard, then content that does not hash to
-- what the row and the head say (so that corrupt content never becomes a checkpoint). Every field null: nothing.
create or replace function patchdiff_store.save_fault (
  p_locked patchdiff_store.locked_target,
  p_expected_version bigint,
  p_expected_hash text
)
  returns patchdiff_store.fault
  language plpgsql
  stable
as $$
declare
  v_fault patchdiff_store.fault;
begin
  v_fault.validation_stage := 'precondition_guard';
  if p_expected_version <> p_locked.version then
    v_fault.failure_reason := 'target_version_mismatch';
    v_fault.failure_code := 'target_version_mismatch';
    v_fault.failure_detail :=
      format('the target is at version %s, not %s; read it again', p_locked.version, p_expected_version);
    return v_fault;
  end if;

  if p_expected_hash <> p_locked.current_hash then
    v_fault.failure_reason := 'target_hash_mismatch';
    v_fault.failure_code := 'target_hash_mismatch';
    v_fault.failure_detail := 'the content''s hash is not the expected one; read it again';
    return v_fault;
  end if;

  return patchdiff_store.divergence(p_locked);
end;
$$;

comment on function patchdiff_store.save_fault(patchdiff_store.locked_target, bigint, text) is
  'The guard or the divergence that stands against saving a locked target, or null.';
