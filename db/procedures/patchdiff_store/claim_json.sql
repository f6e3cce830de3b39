-- A verdict as it stands in the evidence of a claim_mismatch: what the caller claimed, or what the database derived.
create or replace function patchdiff_store.claim_json (
  p_verdict text,
  p_reason text,
  p_after_hash text
)
  returns text
  language sql
  stable
as $$
  select concat(
    '{"verdict":', to_json(p_verdict),
    ',"failure_reason":', coalesce(to_json(left(p_reason, 64))::text, 'null'),
    ',"after_hash":', coalesce(to_json(left(p_after_hash, 64))::text, 'null'),
    '}'
  )
$$;

comment on function patchdiff_store.claim_json(text, text, text) is 'A claimed or derived verdict as JSON text.';
