import { LIMITS } from './limits.ts';
import type { FailureReason, Fault } from './types.ts';

type FaultStage = Fault['stage'];
/** Values that a template may name. */
export type Words = Readonly<Record<string, string | number>>;

interface Template {
  reason: FailureReason;
  stage: FaultStage;
  text: string;
}

const template =
  (stage: FaultStage) =>
  (reason: FailureReason, text: string): Template => ({ reason, stage, text });
const guard = template('precondition_guard');
const protocol = template('protocol_validation');
const walk = template('transaction_applicability');
const commit = template('commit_guard');

/** One reason, stage and sentence per code. The same table stands in the database. */
const TEMPLATES = {
  request_key_conflict: guard('context_invalid', 'this client_request_id already stands for another request; send a new key'),
  invalid_client_request_id: guard('context_invalid', 'client_request_id: 1 to 128 visible ASCII characters without spaces'),
  parent_invalid: guard('context_invalid', 'parent_pdcp_log_id names no rejected attempt of this target'),
  bundle_invalid: guard('context_invalid', 'bundle_id names no observation of this target; observe its scopes again'),
  target_version_mismatch: guard('target_version_mismatch', 'the target is at version {actual}, not {expected}; read it again'),
  target_hash_mismatch: guard('target_hash_mismatch', "the content's hash is not the expected one; read it again"),

  text_not_encodable: protocol(
    'target_encoding_invalid',
    'the submission holds text that is not valid Unicode (a lone surrogate) or a NUL; send it without',
  ),
  payload_too_large: protocol('manifest_invalid', `the submission is larger than ${LIMITS.payloadBytes} bytes`),
  payload_too_deep: protocol('manifest_invalid', `the submission is nested deeper than ${LIMITS.depth} levels`),
  too_many_operations: protocol('manifest_invalid', `the submission has more than ${LIMITS.operations} operations`),
  guard_missing: protocol('context_missing', 'send expected_target_version or expected_current_hash, as the last read returned them'),
  guard_malformed: protocol('context_invalid', '{path}: {rule}'),
  attempt_malformed: protocol('context_invalid', 'attempt: an integer from 1 to 2147483647'),
  parent_malformed: protocol('context_invalid', 'parent_pdcp_log_id: the id of a rejected attempt, as a string'),
  source_malformed: protocol('context_invalid', `source: a string that is not blank, of at most ${LIMITS.sourceChars} code points`),
  unknown_format: protocol('manifest_invalid', 'format: one of patchdiff-tx/1, patchdiff-tx/2, patchdiff-tx/3'),
  target_mismatch: protocol('manifest_invalid', 'target_file_id: the submission names another target'),
  manifest_missing: protocol('manifest_missing', '{path}: {rule} is required'),
  unknown_field: protocol('manifest_invalid', '{path}: unknown field'),
  intent_invalid: protocol('manifest_invalid', 'intent: a string that is not blank is required'),
  intent_too_long: protocol('manifest_invalid', `intent: at most ${LIMITS.reasonChars} code points`),
  not_an_object: protocol('block_malformed', '{path}: an object is required'),
  field_missing: protocol('block_malformed', '{path}: required'),
  field_type: protocol('block_malformed', '{path}: {type} is required'),
  integer_invalid: protocol('block_malformed', '{path}: an integer from 0 to 9007199254740991 is required'),
  match_empty: protocol('block_malformed', '{path}: must not be empty; to insert, use a span with start = end'),
  expected_context_empty: protocol('block_malformed', '{path}: must not be empty; leave it out'),
  selector_malformed: protocol('disambiguation_invalid', '{path}: {rule}'),
  change_id_invalid: protocol('manifest_invalid', '{path}: 1 to 64 of A-Z a-z 0-9 _ . : -'),
  change_id_duplicate: protocol('manifest_invalid', '{path}: the change id is already used in this submission'),
  rationale_invalid: protocol('manifest_invalid', '{path}: a string that is not blank'),
  rationale_too_long: protocol('manifest_invalid', `{path}: at most ${LIMITS.reasonChars} code points`),
  risk_invalid: protocol('manifest_invalid', '{path}: one of low, medium, high'),
  replace_all_refused: protocol('manifest_invalid', '{path}: replace_all is only for patchdiff_submit_replacement'),
  op_unknown: protocol('manifest_invalid', '{path}: {rule}'),
  match_too_long: protocol('manifest_invalid', `{path}: at most ${LIMITS.matchChars} code points; use a span for longer text`),
  replacement_too_large: protocol(
    'manifest_invalid',
    `replacement: at most ${LIMITS.replacementChars} code points and ${LIMITS.replacementBytes} bytes`,
  ),
  scope_not_observed: protocol('context_invalid', '{path}: no scope of this bundle; observe it too'),
  scopes_overlap: protocol('manifest_invalid', '{path}: the scope overlaps that of groups[{other}]; edit one of them'),

  scope_hash_mismatch: walk('target_hash_mismatch', '{path}: the scope no longer has the text that was observed; observe it again'),
  result_too_large: walk('manifest_invalid', `the result would be larger than ${LIMITS.resultBytes} bytes`),
  match_absent: walk('match_absent', '{path}: the text does not occur'),
  match_ambiguous: walk('match_ambiguous', '{path}: the text occurs {count} times; choose one with occurrence_index or anchors'),
  selector_excludes_all: walk('disambiguation_invalid', '{path}: the text occurs {count} times, but no occurrence satisfies the selectors'),
  sequential_match_invalid: walk('sequential_match_invalid', '{path}: the text was consumed by change {change_id} of this submission'),
  span_out_of_bounds: walk('span_out_of_bounds', '{path}: the span {start}..{end} is not inside the buffer of {total} code points'),
  span_expected_text_mismatch: walk('span_expected_text_mismatch', '{path}: the buffer holds other text there'),

  content_diverged: commit('target_diverged', 'the stored content does not match its recorded hash; nothing was applied'),
  claim_mismatch: commit('context_invalid', "the caller's claim contradicts the database's own reading; nothing was applied"),
} as const satisfies Record<string, Template>;

export type FaultCode = keyof typeof TEMPLATES;

/** All codes of the contract. */
export const FAULT_CODES = Object.freeze(Object.keys(TEMPLATES)) as readonly FaultCode[];

export interface FaultParts extends Partial<Pick<Fault, 'path' | 'ordinal' | 'failedChangeId' | 'cut' | 'evidence'>> {
  words?: Words;
}

/** A fault of this code, with its reason, stage and sentence. `{path}` is filled from `parts.path` unless the words name one. */
export function faultOf(code: FaultCode, parts: FaultParts = {}): Fault {
  const { words, ...rest } = parts;
  const { reason, stage, text } = TEMPLATES[code];
  const values: Words = typeof parts.path === 'string' ? { path: parts.path, ...words } : { ...words };
  return { failedChangeId: null, cut: { kind: 'prefix' }, evidence: {}, ...rest, reason, code, stage, detail: fill(text, values) };
}

function fill(text: string, values: Words): string {
  // Split, never replace: the values are the caller's text and a path may hold braces of its own.
  return text
    .split(/(\{[a-z_]+\})/)
    .map((part) => (part.startsWith('{') && Object.hasOwn(values, part.slice(1, -1)) ? String(values[part.slice(1, -1)]) : part))
    .join('');
}
