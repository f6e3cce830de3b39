-- The answer to a caller that evaluated other content than the target holds, or none: the current content, version and
-- hash, nothing written. The content is passed in after it was re-hashed.
create or replace function patchdiff_store.stale_receipt (
  p_locked patchdiff_store.locked_target,
  p_fingerprint text,
  p_content bytea
)
  returns patchdiff.commit_receipt
  language plpgsql
  immutable
as $$
declare
  v_receipt patchdiff.commit_receipt;
begin
  v_receipt.outcome := 'stale_base';
  v_receipt.deduplicated := false;
  v_receipt.current_version := p_locked.version;
  v_receipt.current_hash := p_locked.current_hash;
  v_receipt.decided_by := 'database';
  v_receipt.request_fingerprint := p_fingerprint;
  v_receipt.current_content := convert_from(p_content, 'UTF8');
  return v_receipt;
end;
$$;

comment on function patchdiff_store.stale_receipt(patchdiff_store.locked_target, text, bytea) is
  'The answer to a caller that evaluated other content than the target holds.';
