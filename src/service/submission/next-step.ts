import { member } from '../../transaction/index.ts';
import type { JsonObject } from '../../transaction/index.ts';
import { stepOfBundle } from './bundle-step.ts';
import { unencodablePlaces, valueAt } from './sent-value.ts';
import { A_NEW_KEY, CUT, isCut, isCutHit, isEmptied, isIntermediate, NEW_KEY, SHOWN_CANDIDATES, textOf } from './situation.ts';
import type { Situation } from './situation.ts';
import { describeValue } from '../common/value-kind.ts';

const READ_AGAIN = `Read the target again (patchdiff_read_lines), fit the change to that text, and send it with the version and current_hash of that answer and ${NEW_KEY}.`;

/** What to do after a rejection, by failure code: words that a model can act on without reading anything else. */
const BY_CODE: Readonly<Record<string, string>> = {
  target_id_malformed: 'Send target_file_id as the UUID string that patchdiff_initialize_target or patchdiff_list_targets returned.',
  target_not_found: 'Find the id with patchdiff_list_targets, or create the target with patchdiff_initialize_target.',
  guard_missing: `Add expected_target_version (or expected_current_hash) as your last read of this target returned it, and send the submission ${NEW_KEY}.`,
  target_version_mismatch: READ_AGAIN,
  target_hash_mismatch: READ_AGAIN,
  request_key_conflict: 'Send this submission with a client_request_id that was never used on this target.',
  invalid_client_request_id:
    'Send this submission with a client_request_id of 1 to 128 visible ASCII characters without spaces, or with none.',
  parent_invalid: `Send as parent_pdcp_log_id the pdcp_log_id of a rejected attempt on this target, or leave it out; send the submission ${NEW_KEY}.`,
  payload_too_large:
    'Split the change into several smaller submissions, each guarded by the version the one before returned and with a client_request_id of its own.',
  payload_too_deep: `Send plain edits or operations, whose fields are strings and integers, ${NEW_KEY}.`,
  too_many_operations:
    'Split the change into submissions of at most 2000 operations, each guarded by the version the one before returned and with a client_request_id of its own.',
  unknown_field: `Remove the field that failure_detail names, or correct its spelling, and send the submission ${NEW_KEY}.`,
  match_empty: `To insert, use patchdiff_submit_operations with {"op": "span", "start": n, "end": n, "expected_text": "", "replace": "…"}, n from a read, and send it ${NEW_KEY}.`,
  expected_context_empty: `Leave the field out, or send the text that stands there, and send the submission ${NEW_KEY}.`,
  change_id_duplicate: `Give each change of the submission a change_id of its own, or none of them one, and send it ${NEW_KEY}.`,
  replace_all_refused: `To replace the whole document, use patchdiff_submit_replacement, or here one span over the whole text; send it ${NEW_KEY}.`,
  match_too_long: `Use patchdiff_submit_operations with op "span": start and end from a read, the whole old text as expected_text; send it ${NEW_KEY}.`,
  replacement_too_large: `Change only the parts that differ, with patchdiff_submit_edits or patchdiff_submit_operations and ${A_NEW_KEY}.`,
  result_too_large: `Keep the result within 16777216 bytes, or split the document into several targets; send what fits ${NEW_KEY}.`,
  sequential_match_invalid: `Leave this change out and write what it was for into the replace of the change that took its text (consumed_match.change_id); send that ${NEW_KEY}.`,
  span_out_of_bounds: `Read the target again (patchdiff_read_lines), take start and end from that answer, list the spans from the end of the text to its beginning so that none moves another, and send them ${NEW_KEY}.`,
  content_diverged: `Stop editing this target: an operator must run \`patchdiff verify\`, which names the damaged row, and restore it. Then read the target again (patchdiff_read_lines) and send a new submission ${NEW_KEY}.`,
  claim_mismatch: `Report this as a defect of the server; nothing was changed, and the same change can be sent again ${NEW_KEY}.`,
};

const INTO_NOTHING = `Nothing stands there to be matched: to write into the empty text, use patchdiff_submit_operations with {"op": "span", "start": 0, "end": 0, "expected_text": "", "replace": "…"}, and send it ${NEW_KEY}.`;

/** Codes whose step is about the value of the field that the path names. */
const FIX_FIELD = `Correct the field that failure_detail names and send the submission again ${NEW_KEY}.`;

const SHAPE_CODES: ReadonlySet<string> = new Set(['manifest_missing', 'not_an_object', 'guard_malformed']);

/** What may stand in an operation's op, with what else it then takes. */
const OPS = '"match" (with match and replace) or "span" (with start, end, expected_text and replace)';

/** Places of unencodable text that a step names. */
const SHOWN_PLACES = 5;

function afterAbsence({ diagnostic, nearMisses }: Situation): string {
  const copy = `copy the text exactly as it stands there into match, and send it ${NEW_KEY}.`;
  if (isEmptied(diagnostic)) return INTO_NOTHING;
  const explanation = nearMisses?.explanation;
  if (explanation?.kind === 'already_replaced' && explanation.line !== undefined) {
    return `The change may be made already (near_miss_search.explanation): read that line (patchdiff_read_lines). If so, nothing is left to send; else ${copy}`;
  }
  const hits = nearMisses?.near_misses ?? [];
  if (hits.length > 0) {
    if (isCut(textOf(diagnostic, 'near_miss_query'))) {
      return `near_misses show where the first ${CUT} characters of your text nearly stand: read those lines (patchdiff_read_lines), ${copy}`;
    }
    return hits.some(isCutHit)
      ? `near_misses show the first ${CUT} characters of where your text nearly stands, and its real end: read those lines (patchdiff_read_lines), ${copy}`
      : `Send the text of the near_misses entry that you mean as match; where several look alike, use patchdiff_submit_operations with op "span" and its start, end, and text as expected_text. Send it ${NEW_KEY}.`;
  }
  return explanation?.line === undefined
    ? `Read the target again (patchdiff_read_lines), or look for a shorter piece of the text (patchdiff_find_occurrences); ${copy}`
    : `near_miss_search.explanation says what differs: read its line (patchdiff_read_lines), ${copy}`;
}

function afterMismatch(situation: Situation): string {
  const otherwise = atSpan(situation);
  return situation.nearMisses?.explanation?.kind === 'elsewhere'
    ? `If near_miss_search.explanation shows the place that you mean, send its start and end with the texts as they were, and ${A_NEW_KEY}. Otherwise: ${otherwise.charAt(0).toLowerCase()}${otherwise.slice(1)}`
    : otherwise;
}

function atSpan({ diagnostic, nearMisses }: Situation): string {
  const order = isIntermediate(diagnostic) ? ', list the spans from the end of the text to its beginning so that none moves another' : '';
  const read = `read the target again (patchdiff_read_lines) and take start, end and the text from that answer${order}`;
  const path = textOf(diagnostic, 'path');
  const text = textOf(diagnostic, 'actual_text');
  if (!path.endsWith('.expected_text')) {
    // Neither an empty text nor the head of a long one can be sent in that field.
    const right = text === '' || isCut(text) ? `leave ${path} out` : `send it as ${path}, or leave that field out`;
    return `Beside the span stands ${text === '' ? 'nothing' : 'actual_text'}: if the place is right, ${right}; if not, ${read}. Send it ${NEW_KEY}.`;
  }
  const actual = isCut(text) ? '' : `If actual_text is what you mean to replace, send it as ${path}; `;
  const hits = nearMisses?.near_misses ?? [];
  const near =
    hits.length === 0 || hits.some(isCutHit) || isCut(textOf(diagnostic, 'near_miss_query'))
      ? ''
      : 'if near_misses show your text, send that start, end and text; ';
  const step = actual === '' && near === '' ? read : `${actual}${near}else ${read}`;
  return `${step.charAt(0).toUpperCase()}${step.slice(1)}. Send it ${NEW_KEY}.`;
}

/** How an agent names a candidate. A search finds those beyond the first five, unless earlier changes made the text that was counted in. */
function entryMeant(diagnostic: JsonObject): string {
  const count = member(diagnostic, 'candidate_count');
  const reach = isIntermediate(diagnostic) ? 'a longer match reaches' : 'patchdiff_find_occurrences lists';
  const more = typeof count === 'number' && count > SHOWN_CANDIDATES ? ` (${reach} those beyond ${SHOWN_CANDIDATES})` : '';
  return `the occurrence_index of the exact_candidates entry${more} that you mean`;
}

function step(failureCode: string, situation: Situation): string {
  const { args, diagnostic } = situation;
  const ofBundle = stepOfBundle(failureCode, situation);
  if (ofBundle !== null) return ofBundle;
  switch (failureCode) {
    case 'match_absent':
      return afterAbsence(situation);
    case 'match_ambiguous':
      return `Add ${entryMeant(diagnostic)} to the edit, or make match longer until it is unique, and send it ${NEW_KEY}.`;
    case 'selector_excludes_all':
      return `Send ${entryMeant(diagnostic)}, without anchors, and ${A_NEW_KEY}.`;
    case 'span_expected_text_mismatch':
      return afterMismatch(situation);
    case 'text_not_encodable':
      return `Write ${unencodablePlaces(args, SHOWN_PLACES).join(', ') || 'every field'} again without NUL and without half of a surrogate pair, and send the submission ${NEW_KEY}.`;
  }
  const known = BY_CODE[failureCode];
  if (known !== undefined) return known;
  const path = textOf(diagnostic, 'path');
  const found = path === '' ? null : valueAt(args, path);
  if (found === null) return FIX_FIELD;
  const what =
    found.value === undefined ? `Add ${path}, which was left out` : `Correct ${path}, which was sent as ${describeValue(found.value)}`;
  const choice = /\]\.op$/.test(path) ? `; op is ${OPS}` : '';
  return `${what}, and send the submission again ${NEW_KEY}${choice}.`;
}

/** With a shape the right shape is the next step, after the one the code asks for if that is another. */
export function nextStep(failureCode: string, situation: Situation): string {
  const { shape } = situation;
  if (shape === null) return step(failureCode, situation);
  return SHAPE_CODES.has(failureCode) ? `${shape} – send it ${NEW_KEY}.` : `${step(failureCode, situation)} ${shape}`;
}
