-- Commits one submission to one target and returns its receipt: one statement a submission, whatever its outcome
-- (docs/spec/commit-call.md). The caller contributes only what the database cannot know cheaply: where each change
-- applies, the hash of the result, and its verdict. Everything recorded is derived from the payload here, and a claim
-- that differs is recorded as claim_mismatch, so no caller can forge, skip or break anything.
-- Refuses misuse of its own arguments (PD100), a payload that is no JSON object (PD101) or holds a number that nothing
-- can represent (PD102). Race-safe by the target's row lock, taken first; never commits or rolls back by itself.
-- Its settings bind everything below it: bodies are parsed at their first use in a session, and a caller who turned
-- standard_conforming_strings off would change every pattern in them; plans are generic because planning these queries
-- anew costs more than running them.
create or replace function patchdiff.commit_attempt (
  p_target uuid,
  p_payload text,
  p_client_request_id text,
  p_parent text,
  p_attempt integer,
  p_source text,
  p_actor json,
  p_base_hash text,
  p_verdict text,
  p_resolved_starts integer[],
  p_after_hash text,
  p_diagnostic json,
  p_warnings json,
  p_raw_metadata jsonb default null
)
  returns patchdiff.commit_receipt
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set plan_cache_mode = 'force_generic_plan'
  set standard_conforming_strings = 'on'
as $$
declare
  v_claimed_reason text := patchdiff_store.claimed_reason(p_diagnostic);
begin
  perform patchdiff_store.check_commit_call(
    p_target, p_payload, p_client_request_id, p_parent, p_attempt, p_source, p_actor, p_verdict, v_claimed_reason,
    p_warnings, p_raw_metadata);

  return patchdiff_store.commit_submission(
    p_target, p_payload, p_client_request_id, p_parent, p_attempt, p_source, p_actor, p_base_hash, p_verdict,
    p_resolved_starts, p_after_hash, v_claimed_reason, p_warnings, p_raw_metadata);
end;
$$;

comment on function patchdiff.commit_attempt(
  uuid, text, text, text, integer, text, json, text, text, integer[], text, json, json, jsonb
) is 'Commits one submission to one target: judged from its payload, recorded whatever the outcome.';
