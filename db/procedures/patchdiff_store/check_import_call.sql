-- Refuses malformed arguments of import_attempt (PD100): what no row may hold, whatever the target is. Looks at nothing
-- but the call. Sizes are bytes of UTF-8; a key is as long as commit_attempt can look up.
create or replace function patchdiff_store.check_import_call (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_payload text,
  p_parent text
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_is_accepted boolean := p_attempt.status = 'accepted';
  v_argument text;
  v_rule text;
begin
  perform patchdiff_store.check_digest('p_payload_hash', p_attempt.pdcp_content_hash, true);
  perform patchdiff_store.check_digest('p_before_hash', p_attempt.before_hash, true);
  perform patchdiff_store.check_digest('p_after_hash', p_attempt.after_hash, true);
  perform patchdiff_store.check_claim('p_actor', p_attempt.actor);

  select c.argument, c.rule
  into v_argument, v_rule
  from (values
    (1, p_attempt.target_file_id is null, 'p_target', 'a uuid'),
    (2, p_attempt.pdcp_log_id is null, 'p_pdcp_log_id', 'a uuid'),
    (3, not coalesce(
        isfinite(p_attempt.created_at) and p_attempt.created_at >= '0001-01-01 00:00:00+00' and p_attempt.created_at <= p_attempt.imported_at,
        false),
      'p_created_at', 'a time from year 1 on that is not in the future'),
    (4, v_is_accepted is null or p_attempt.status not in ('accepted', 'rejected'), 'p_status', 'accepted or rejected'),
    (5, p_payload is null, 'p_payload', 'the stored payload as text'),
    (6, p_attempt.protocol_version is null, 'p_protocol_version', 'a protocol version'),
    (7, p_attempt.runtime_version is null, 'p_runtime_version', 'a runtime version'),
    (8, not coalesce(p_attempt.before_version >= 0, false), 'p_before_version', 'an integer of at least 0'),
    (9, p_attempt.after_version is null, 'p_after_version', 'an integer'),
    (10, coalesce(p_attempt.decided_by not in ('database', 'runtime'), true), 'p_decided_by', 'database or runtime'),
    (11, p_attempt.regeneration_attempt < 1, 'p_attempt', 'an integer of at least 1, or null'),
    (12, patchdiff_store.is_blank(p_attempt.submission_source) or octet_length(p_attempt.submission_source) > 8192,
      'p_source', 'text of at most 8192 bytes that is not blank, or null'),
    (13, octet_length(p_attempt.client_request_id) > 8192, 'p_client_request_id', 'text of at most 8192 bytes, or null'),
    (14, octet_length(p_parent) > 8192, 'p_parent', 'text of at most 8192 bytes, or null'),
    (15, v_is_accepted and num_nonnulls(
        p_attempt.failure_reason, p_attempt.failure_code, p_attempt.failure_detail, p_attempt.failed_change_id,
        p_attempt.diagnostic_json) > 0,
      'p_failure_reason', 'null with all that explains a failure, for an accepted attempt'),
    (16, v_is_accepted <> (p_attempt.validation_stage = 'accepted') or p_attempt.validation_stage is null, 'p_validation_stage',
      'the stage of the failure for a rejected attempt, null for an accepted one'),
    (17, not v_is_accepted and p_attempt.failure_reason is null, 'p_failure_reason', 'the reason of a rejected attempt'),
    (18, octet_length(p_attempt.failure_detail) > 65536, 'p_failure_detail', 'text of at most 65536 bytes, or null'),
    (19, octet_length(p_attempt.failed_change_id) > 65536, 'p_failed_change_id', 'text of at most 65536 bytes, or null'),
    (20, coalesce(json_typeof(p_attempt.diagnostic_json) <> 'object', false)
        or octet_length(p_attempt.diagnostic_json::text) > 65536
        or patchdiff_store.holds_unencodable(left(p_attempt.diagnostic_json::text, 65536))
        or patchdiff_store.nests_beyond(left(p_attempt.diagnostic_json::text, 65536), 64),
      'p_diagnostic', 'an object of at most 65536 bytes and 64 levels without NUL and lone surrogates, or null'),
    (21, not v_is_accepted and p_attempt.warnings is not null, 'p_warnings', 'null for a rejected attempt'),
    (22, patchdiff_store.are_warnings(p_attempt.warnings) is false or patchdiff_store.nests_beyond(p_attempt.warnings::text, 64),
      'p_warnings', 'an array of at most 6000 objects with code and change_id, of at most 64 levels, or null')
  ) as c(position, fails, argument, rule)
  where c.fails
  order by c.position
  limit 1;

  if v_argument is not null then
    raise exception '%: %', v_argument, v_rule
      using errcode = 'PD100',
            detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
            hint = format('correct %s and call again', v_argument);
  end if;
end;
$$;

comment on function patchdiff_store.check_import_call(patchdiff_store.append_only_pdcp_logs, text, text) is
  'Refuses malformed arguments of import_attempt.';
