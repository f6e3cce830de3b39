-- Refuses a rejected attempt that is none (PD112): reason, stage and code that do not belong together, a protocol that is
-- not the payload's, a target that moved, a mismatch of guards that there was not, a key where none is kept, and a
-- payload that is neither a JSON object nor a whole envelope. That the submission deserved its rejection is not judged.
create or replace function patchdiff_store.check_import_rejection (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_payload text,
  p_record jsonb,
  p_evidence_format text
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_reason text := p_attempt.failure_reason;
  v_check text;
  v_rule text;
begin
  select c.checked, c.rule
  into v_check, v_rule
  from (values
    (1, 'after_version', 'a rejection keeps the version',
      p_attempt.after_version <> p_attempt.before_version),
    (2, 'after_hash', 'a rejection keeps the content',
      p_attempt.after_hash <> p_attempt.before_hash),
    (3, 'protocol', 'no legal pair of protocol and runtime', case p_attempt.protocol_version
      when 'unknown' then p_attempt.runtime_version <> 'patchdiff-mvp-0.2.2'
      else (patchdiff_store.import_profile(p_attempt.protocol_version, p_attempt.runtime_version)).overlapping_matches is null
    end),
    (4, 'decode', 'the payload is no JSON object',
      patchdiff_store.is_json_object(p_payload) is not true),
    (5, 'decode', 'the payload names an envelope and is none', p_evidence_format = ''),
    (6, 'protocol', 'not the format of the payload', case
      when p_evidence_format = 'patchdiff-invalid-input/1' then
        p_record ->> 'protocol_version' <> p_attempt.protocol_version
        or p_record ->> 'runtime_version' <> p_attempt.runtime_version
      when p_evidence_format is null then patchdiff_store.protocol_of(p_record) <> p_attempt.protocol_version
    end),
    (7, 'outcome', 'no such reason at this stage', (p_attempt.validation_stage, v_reason) not in (
      ('precondition_guard', 'context_invalid'),
      ('precondition_guard', 'target_version_mismatch'),
      ('precondition_guard', 'target_hash_mismatch'),
      ('protocol_validation', 'manifest_missing'),
      ('protocol_validation', 'manifest_invalid'),
      ('protocol_validation', 'block_malformed'),
      ('protocol_validation', 'context_missing'),
      ('protocol_validation', 'context_invalid'),
      ('protocol_validation', 'disambiguation_invalid'),
      ('protocol_validation', 'target_encoding_invalid'),
      ('transaction_applicability', 'manifest_invalid'),
      ('transaction_applicability', 'match_absent'),
      ('transaction_applicability', 'match_ambiguous'),
      ('transaction_applicability', 'disambiguation_invalid'),
      ('transaction_applicability', 'sequential_match_invalid'),
      ('transaction_applicability', 'span_out_of_bounds'),
      ('transaction_applicability', 'span_expected_text_mismatch'),
      ('commit_guard', 'target_diverged'),
      ('commit_guard', 'context_invalid')
    )),
    (8, 'outcome', 'the code is not one of this reason at this stage', p_attempt.failure_code is not null and not exists (
      select
      from patchdiff_store.failure_words(p_attempt.failure_code) as w
      where w.stage = p_attempt.validation_stage and w.reason = v_reason
    )),
    (9, 'outcome', 'text that can be stored was not rejected for its encoding',
      p_evidence_format = 'patchdiff-invalid-input/1'
      and v_reason not in ('target_encoding_invalid', 'context_invalid')),
    (10, 'outcome', 'the guard of the payload holds',
      (v_reason = 'target_version_mismatch' and p_attempt.expected_target_version is not distinct from p_attempt.before_version)
      or (v_reason = 'target_hash_mismatch' and p_attempt.expected_current_hash is not distinct from p_attempt.before_hash)),
    (11, 'client_request_id', 'such a rejection keeps no key',
      p_attempt.client_request_id is not null
      and p_attempt.failure_code in ('request_key_conflict', 'invalid_client_request_id', 'claim_mismatch'))
  ) as c(position, checked, rule, fails)
  where c.fails
  order by c.position
  limit 1;

  if v_check is not null then
    perform patchdiff_store.refuse_import(p_attempt, v_check, v_rule);
  end if;
end;
$$;

comment on function patchdiff_store.check_import_rejection(
  patchdiff_store.append_only_pdcp_logs, text, jsonb, text
) is 'Refuses a rejected attempt whose outcome and payload are not those of one.';
