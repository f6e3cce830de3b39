-- Second transaction of a SAVE that publishes: takes the target's lock, to be held while the file is replaced, and
-- answers whether the intent still stands: `current`, `moved` (version, content, binding or synced digest; the failure
-- says which), `rejected` (the stored content is not what its hash says) or `closed` (it already has an outcome).
-- Refuses an unknown target (PD104) or intent (PD108).
create or replace function patchdiff.lock_publication (
  p_target uuid,
  p_publication_id uuid
)
  returns patchdiff.publication_receipt
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set standard_conforming_strings = 'on'
as $$
declare
  v_locked patchdiff_store.locked_target;
  v_intent patchdiff_store.workspace_publications;
  v_fault patchdiff_store.fault;
  v_outcome text;
  v_receipt patchdiff.publication_receipt;
begin
  v_locked := patchdiff_store.lock_target(p_target);
  if v_locked.target_file_id is null then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  v_intent := patchdiff_store.publication_intent(p_target, p_publication_id);
  v_fault := patchdiff_store.intent_moved(v_locked, v_intent);
  if v_fault.failure_reason is null then
    v_fault := patchdiff_store.divergence(v_locked);
  end if;

  v_outcome := case
    when exists (
      select
      from patchdiff_store.workspace_publications as p
      where p.target_file_id = p_target and p.intent_publication_id = p_publication_id
    ) then 'closed'
    when v_fault.failure_reason = 'target_diverged' then 'rejected'
    when v_fault.failure_reason is not null then 'moved'
    else 'current'
  end;
  v_receipt := patchdiff_store.publication_answer(v_locked, v_outcome, v_fault);
  v_receipt.publication_id := p_publication_id;
  return v_receipt;
end;
$$;

comment on function patchdiff.lock_publication(uuid, uuid) is
  'Locks the target for the replacement of its file and answers whether a publication intent still stands.';
