-- Replaces guarded spans of a target: a patchdiff-tx/2 record, built and judged here (docs/spec/direct-calls.md). p_spans
-- is an array of {start, end, expected_text, replace, ...} in code points of the buffer as it stands at that span; an item
-- with an op of its own is that operation. Null is "left out". Answers a receipt whatever becomes of it.
-- Refuses a null target, spans that are no array or have a member twice, too much text and an actor that cannot be stored
-- (PD100), and a number beyond double precision (PD102). Race-safe by the target's row lock.
create or replace function patchdiff.commit_spans (
  p_target_file_id uuid,
  p_spans json,
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
declare
  v_operations text;
  v_payload text;
begin
  perform patchdiff_store.check_direct_call(
    p_target_file_id,
    coalesce(octet_length(p_intent), 0)::bigint
    + coalesce(octet_length(p_expected_current_hash), 0)::bigint
    + coalesce(octet_length(p_client_request_id), 0)::bigint
    + coalesce(octet_length(p_parent_pdcp_log_id), 0)::bigint
    + coalesce(octet_length(p_source), 0)::bigint);

  v_operations := patchdiff_store.direct_operations(p_spans);
  v_payload := patchdiff_store.direct_record(
    'patchdiff-tx/2', p_target_file_id, p_intent, p_expected_target_version, p_expected_current_hash, null, v_operations);
  if patchdiff_store.holds_unencodable(v_operations) then
    v_payload := patchdiff_store.ascii_json(v_payload);
  end if;

  return patchdiff_store.commit_direct(
    p_target_file_id,
    v_payload,
    p_client_request_id,
    p_parent_pdcp_log_id,
    p_attempt,
    p_source,
    p_actor);
end;
$$;

comment on function patchdiff.commit_spans(
  uuid, json, text, bigint, text, text, text, integer, text, json
) is 'Replaces guarded spans of a target: a direct call of any service, recorded whatever the outcome.';
