-- Replaces the whole text of a target: a patchdiff-tx/3 record, built and judged here (docs/spec/direct-calls.md). Null is "left
-- out". Answers a receipt whatever becomes of it: a guard that does not hold or a text beyond the limits is a recorded
-- rejection, not an error.
-- Refuses a null target, too much text and an actor that cannot be stored (PD100). Race-safe by the target's row lock.
create or replace function patchdiff.commit_replacement (
  p_target_file_id uuid,
  p_replacement text,
  p_intent text,
  p_expected_target_version bigint default null,
  p_expected_current_hash text default null,
  p_client_request_id text default null,
  p_parent_pdcp_log_id text default null,
  p_attempt integer default null,
  p_source text default null,
  p_actor json default null
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
begin
  perform patchdiff_store.check_direct_call(
    p_target_file_id,
    coalesce(octet_length(p_replacement), 0)::bigint
    + coalesce(octet_length(p_intent), 0)::bigint
    + coalesce(octet_length(p_expected_current_hash), 0)::bigint
    + coalesce(octet_length(p_client_request_id), 0)::bigint
    + coalesce(octet_length(p_parent_pdcp_log_id), 0)::bigint
    + coalesce(octet_length(p_source), 0)::bigint);

  return patchdiff_store.commit_direct(
    p_target_file_id,
    patchdiff_store.direct_record(
      'patchdiff-tx/3', p_target_file_id, p_intent, p_expected_target_version, p_expected_current_hash,
      null, '[{"op":"replace_all","replace":' || to_json(p_replacement)::text || '}]'),
    p_client_request_id,
    p_parent_pdcp_log_id,
    p_attempt,
    p_source,
    p_actor);
end;
$$;

comment on function patchdiff.commit_replacement(
  uuid, text, text, bigint, text, text, text, integer, text, json
) is 'Replaces the whole text of a target: a direct call of any service, recorded whatever the outcome.';
