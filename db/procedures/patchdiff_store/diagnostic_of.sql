-- The evidence stored with a rejection (docs/spec/decoding.md, "Evidence"): compact JSON, members in the contract's
-- order. p_attempt carries the verdict, p_fault the path, the context and its own members, p_members whatever
-- follows them (raw values, claim), as JSON text with a comma in front of each.
create or replace function patchdiff_store.diagnostic_of (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_fault patchdiff_store.fault,
  p_members text
)
  returns text
  language plpgsql
  immutable
as $$
begin
  return concat(
    '{"failure_code":"', p_attempt.failure_code,
    '","format":"', p_attempt.protocol_version,
    '","validation_stage":"', p_attempt.validation_stage,
    '","retryable":', patchdiff_store.is_retryable(p_attempt.failure_reason, p_attempt.validation_stage)::text,
    ',"requires_new_submission":true,"decided_by":"', p_attempt.decided_by, '"',
    case
      when p_fault.path is not null
        or (p_fault.validation_stage = 'protocol_validation' and p_fault.failure_code <> 'text_not_encodable')
        then ',"path":' || coalesce(to_json(p_fault.path)::text, 'null')
    end,
    ',"ordinal":' || p_fault.ordinal,
    ',"failure_context":{"source":"',
    case p_fault.prior_changes when 0 then 'canonical_target' else 'intermediate_buffer' end,
    '","prior_changes":', p_fault.prior_changes,
    ',"version":', p_attempt.before_version,
    ',"hash":"', p_attempt.before_hash,
    '","kind":"', p_fault.context_kind,
    '","start":', p_fault.context_start,
    ',"end":', p_fault.context_start + char_length(p_fault.context_text),
    ',"total_chars":', p_fault.context_total,
    ',"text":', to_json(p_fault.context_text),
    '}', p_fault.evidence, p_members, '}'
  );
end;
$$;

comment on function patchdiff_store.diagnostic_of(patchdiff_store.append_only_pdcp_logs, patchdiff_store.fault, text) is
  'The evidence stored with a rejection, as JSON text in the contract''s order.';
