-- Replaces one exact text of a target: a patchdiff-tx/1 record with one edit, built and judged here, its place found here
-- (docs/spec/direct-calls.md). Null is "left out". Answers a receipt whatever becomes of it: a text that is not there,
-- is there several times, or a guard that does not hold is a recorded rejection, not an error.
-- Refuses a null target, too much text and an actor that cannot be stored (PD100). Race-safe by the target's row lock.
create or replace function patchdiff.commit_match (
  p_target_file_id uuid,
  p_match text,
  p_replace text,
  p_intent text,
  p_expected_target_version bigint default null,
  p_expected_current_hash text default null,
  p_occurrence_index bigint default null,
  p_anchor_before text default null,
  p_anchor_after text default null,
  p_change_id text default null,
  p_rationale text default null,
  p_risk text default null,
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
declare
  v_edit text;
begin
  perform patchdiff_store.check_direct_call(
    p_target_file_id,
    coalesce(octet_length(p_match), 0)::bigint
    + coalesce(octet_length(p_replace), 0)::bigint
    + coalesce(octet_length(p_intent), 0)::bigint
    + coalesce(octet_length(p_expected_current_hash), 0)::bigint
    + coalesce(octet_length(p_anchor_before), 0)::bigint
    + coalesce(octet_length(p_anchor_after), 0)::bigint
    + coalesce(octet_length(p_change_id), 0)::bigint
    + coalesce(octet_length(p_rationale), 0)::bigint
    + coalesce(octet_length(p_risk), 0)::bigint
    + coalesce(octet_length(p_client_request_id), 0)::bigint
    + coalesce(octet_length(p_parent_pdcp_log_id), 0)::bigint
    + coalesce(octet_length(p_source), 0)::bigint);

  v_edit := concat_ws(
    ',',
    '"anchor_after":' || to_json(p_anchor_after)::text,
    '"anchor_before":' || to_json(p_anchor_before)::text,
    '"change_id":' || to_json(p_change_id)::text,
    '"match":' || to_json(p_match)::text,
    '"occurrence_index":' || patchdiff_store.number_json('p_occurrence_index', p_occurrence_index::text),
    '"rationale":' || to_json(p_rationale)::text,
    '"replace":' || to_json(p_replace)::text,
    '"risk":' || to_json(p_risk)::text
  );

  return patchdiff_store.commit_direct(
    p_target_file_id,
    patchdiff_store.direct_record(
      'patchdiff-tx/1', p_target_file_id, p_intent, p_expected_target_version, p_expected_current_hash,
      '[{' || v_edit || '}]', null),
    p_client_request_id,
    p_parent_pdcp_log_id,
    p_attempt,
    p_source,
    p_actor);
end;
$$;

comment on function patchdiff.commit_match(
  uuid, text, text, text, bigint, text, bigint, text, text, text, text, text, text, text, integer, text, json
) is 'Replaces one exact text of a target: a direct call of any service, recorded whatever the outcome.';
