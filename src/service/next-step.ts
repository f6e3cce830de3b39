const READ_AGAIN = 'Read the target again (patchdiff_read_lines), then send a new submission with the version and hash of that answer.';
const FIX_FIELD = 'Correct the field that failure_detail names and send the submission again with a new client_request_id.';

/** What to do after a rejection, by failure code: one sentence that a model can act on without reading anything else. */
const BY_CODE: Readonly<Record<string, string>> = {
  target_id_malformed: 'Send target_file_id as the UUID string that patchdiff_list_targets or patchdiff_initialize_target returned.',
  target_not_found: 'Find the id with patchdiff_list_targets, or create the target with patchdiff_initialize_target.',
  guard_missing: 'Send expected_target_version (or expected_current_hash) as the last read of this target returned it.',
  guard_malformed:
    'Copy version and current_hash from the last read unchanged: the version as a JSON integer, the hash as 64 lowercase hex digits.',
  target_version_mismatch: READ_AGAIN,
  target_hash_mismatch: READ_AGAIN,
  request_key_conflict: 'Send this submission with a client_request_id that was never used on this target.',
  invalid_client_request_id: 'Send a client_request_id of 1 to 128 visible ASCII characters without spaces, or none.',
  parent_invalid: 'Send as parent_pdcp_log_id the pdcp_log_id of a rejected attempt on this target, or leave it out.',
  text_not_encodable: 'Send the text again as valid Unicode without lone surrogates and without NUL.',
  payload_too_large: 'Split the change into several smaller submissions.',
  payload_too_deep: 'Send plain edits; no field of a submission is nested that deep.',
  too_many_operations: 'Split the change into submissions of at most 2000 operations, each guarded by the version the one before returned.',
  manifest_missing: 'Send a non-empty array of edits or operations (for patchdiff_submit_replacement: replacement, one string).',
  unknown_field: 'Remove the field that failure_detail names, or correct its spelling, and send the submission again.',
  match_empty: 'To insert text, use patchdiff_submit_operations with op "span", start = end and expected_text "".',
  replace_all_refused: 'To replace the whole document, use patchdiff_submit_replacement.',
  match_too_long: 'Use patchdiff_submit_operations with op "span" to replace a longer text.',
  replacement_too_large: 'Change only the parts that differ, with patchdiff_submit_edits or patchdiff_submit_operations.',
  result_too_large: 'Keep the result within 16 MiB; split the document into several targets.',
  match_absent: 'Copy the text from near_misses or from a fresh read exactly as it stands in the target, and send it as match.',
  match_ambiguous: 'Choose one of exact_candidates: add its occurrence_index to the edit, or make match longer until it is unique.',
  selector_excludes_all: 'Choose an occurrence_index from exact_candidates, or correct or drop the anchors.',
  sequential_match_invalid:
    'Merge this edit with the change that consumed its text (consumed_match), or match the text as it stands after that change.',
  span_out_of_bounds:
    'Read the target again and take start and end from that answer; offsets are code points of the text as it stands at that operation.',
  span_expected_text_mismatch:
    'Compare actual_text with your expected text, read the lines again, and send the offsets and text of that answer.',
  content_diverged: 'Stop editing this target and tell an operator: `patchdiff verify` says which stored row is damaged.',
  claim_mismatch:
    'Report this as a defect of the server; nothing was changed, and the same change can be sent again with a new client_request_id.',
};

const SHAPE_CODES: ReadonlySet<string> = new Set(['manifest_missing', 'not_an_object', 'guard_malformed']);

/** With `shape` (src/service/wrong-shape.ts) the right shape is the next step, after the one the code asks for if that is another. */
export function nextStep(failureCode: string, shape: string | null): string {
  const step = BY_CODE[failureCode] ?? FIX_FIELD;
  if (shape === null) return step;
  return SHAPE_CODES.has(failureCode) ? shape : `${step} ${shape}`;
}
