-- The table of codes: stage, reason and sentence template of each. docs/spec/decoding.md is its contract.
create or replace function patchdiff_store.failure_words (
  p_code text
)
  returns table (
    stage text,
    reason text,
    words text
  )
  language sql
  immutable
as $$
  select w.stage, w.reason, w.words
  from (values
    ('request_key_conflict', 'precondition_guard', 'context_invalid',
      'this client_request_id already stands for another request; send a new key'),
    ('invalid_client_request_id', 'precondition_guard', 'context_invalid',
      'client_request_id: 1 to 128 visible ASCII characters without spaces'),
    ('parent_invalid', 'precondition_guard', 'context_invalid',
      'parent_pdcp_log_id names no rejected attempt of this target'),
    ('bundle_invalid', 'precondition_guard', 'context_invalid',
      'bundle_id names no observation of this target; observe its scopes again'),
    ('scope_not_observed', 'protocol_validation', 'context_invalid', '{path}: no scope of this bundle; observe it too'),
    ('scopes_overlap', 'protocol_validation', 'manifest_invalid',
      '{path}: the scope overlaps that of groups[{other}]; edit one of them'),
    ('scope_hash_mismatch', 'transaction_applicability', 'target_hash_mismatch',
      '{path}: the scope no longer has the text that was observed; observe it again'),
    ('target_version_mismatch', 'precondition_guard', 'target_version_mismatch',
      'the target is at version {actual}, not {expected}; read it again'),
    ('target_hash_mismatch', 'precondition_guard', 'target_hash_mismatch',
      'the content''s hash is not the expected one; read it again'),
    ('text_not_encodable', 'protocol_validation', 'target_encoding_invalid',
      'the submission holds text that is not valid Unicode (a lone surrogate) or a NUL; send it without'),
    ('payload_too_large', 'protocol_validation', 'manifest_invalid', 'the submission is larger than 4194304 bytes'),
    ('payload_too_deep', 'protocol_validation', 'manifest_invalid', 'the submission is nested deeper than 64 levels'),
    ('too_many_operations', 'protocol_validation', 'manifest_invalid', 'the submission has more than 2000 operations'),
    ('guard_missing', 'protocol_validation', 'context_missing',
      'send expected_target_version or expected_current_hash, as the last read returned them'),
    ('guard_malformed', 'protocol_validation', 'context_invalid', '{path}: {rule}'),
    ('attempt_malformed', 'protocol_validation', 'context_invalid', 'attempt: an integer from 1 to 2147483647'),
    ('parent_malformed', 'protocol_validation', 'context_invalid',
      'parent_pdcp_log_id: the id of a rejected attempt, as a string'),
    ('source_malformed', 'protocol_validation', 'context_invalid',
      'source: a string that is not blank, of at most 256 code points'),
    ('unknown_format', 'protocol_validation', 'manifest_invalid',
      'format: one of patchdiff-tx/1, patchdiff-tx/2, patchdiff-tx/3'),
    ('target_mismatch', 'protocol_validation', 'manifest_invalid',
      'target_file_id: the submission names another target'),
    ('manifest_missing', 'protocol_validation', 'manifest_missing', '{path}: {rule} is required'),
    ('unknown_field', 'protocol_validation', 'manifest_invalid', '{path}: unknown field'),
    ('intent_invalid', 'protocol_validation', 'manifest_invalid', 'intent: a string that is not blank is required'),
    ('intent_too_long', 'protocol_validation', 'manifest_invalid', 'intent: at most 4096 code points'),
    ('not_an_object', 'protocol_validation', 'block_malformed', '{path}: an object is required'),
    ('field_missing', 'protocol_validation', 'block_malformed', '{path}: required'),
    ('field_type', 'protocol_validation', 'block_malformed', '{path}: {type} is required'),
    ('integer_invalid', 'protocol_validation', 'block_malformed',
      '{path}: an integer from 0 to 9007199254740991 is required'),
    ('match_empty', 'protocol_validation', 'block_malformed',
      '{path}: must not be empty; to insert, use a span with start = end'),
    ('expected_context_empty', 'protocol_validation', 'block_malformed', '{path}: must not be empty; leave it out'),
    ('selector_malformed', 'protocol_validation', 'disambiguation_invalid', '{path}: {rule}'),
    ('change_id_invalid', 'protocol_validation', 'manifest_invalid', '{path}: 1 to 64 of A-Z a-z 0-9 _ . : -'),
    ('change_id_duplicate', 'protocol_validation', 'manifest_invalid',
      '{path}: the change id is already used in this submission'),
    ('rationale_invalid', 'protocol_validation', 'manifest_invalid', '{path}: a string that is not blank'),
    ('rationale_too_long', 'protocol_validation', 'manifest_invalid', '{path}: at most 4096 code points'),
    ('risk_invalid', 'protocol_validation', 'manifest_invalid', '{path}: one of low, medium, high'),
    ('replace_all_refused', 'protocol_validation', 'manifest_invalid',
      '{path}: replace_all is only for patchdiff_submit_replacement'),
    ('op_unknown', 'protocol_validation', 'manifest_invalid', '{path}: {rule}'),
    ('match_too_long', 'protocol_validation', 'manifest_invalid',
      '{path}: at most 65536 code points; use a span for longer text'),
    ('replacement_too_large', 'protocol_validation', 'manifest_invalid',
      'replacement: at most 1000000 code points and 1048576 bytes'),
    ('result_too_large', 'transaction_applicability', 'manifest_invalid',
      'the result would be larger than 16777216 bytes'),
    ('match_absent', 'transaction_applicability', 'match_absent', '{path}: the text does not occur'),
    ('match_ambiguous', 'transaction_applicability', 'match_ambiguous',
      '{path}: the text occurs {count} times; choose one with occurrence_index or anchors'),
    ('selector_excludes_all', 'transaction_applicability', 'disambiguation_invalid',
      '{path}: the text occurs {count} times, but no occurrence satisfies the selectors'),
    ('sequential_match_invalid', 'transaction_applicability', 'sequential_match_invalid',
      '{path}: the text was consumed by change {change_id} of this submission'),
    ('span_out_of_bounds', 'transaction_applicability', 'span_out_of_bounds',
      '{path}: the span {start}..{end} is not inside the buffer of {total} code points'),
    ('span_expected_text_mismatch', 'transaction_applicability', 'span_expected_text_mismatch',
      '{path}: the buffer holds other text there'),
    ('content_diverged', 'commit_guard', 'target_diverged',
      'the stored content does not match its recorded hash; nothing was applied'),
    ('claim_mismatch', 'commit_guard', 'context_invalid',
      'the caller''s claim contradicts the database''s own reading; nothing was applied')
  ) as w(code, stage, reason, words)
  where w.code = p_code
$$;

comment on function patchdiff_store.failure_words(text) is
  'Stage, reason and sentence template of one failure code.';
