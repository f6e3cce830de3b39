import { member } from '../../transaction/index.ts';
import type { JsonObject, JsonValue } from '../../transaction/index.ts';
import { A_NEW_KEY, CUT, isCut, isCutHit, isEmptied, NEW_KEY, SHOWN_CANDIDATES, textOf } from './situation.ts';
import type { Situation } from './situation.ts';

/*
 * The steps that read differently for a bundle: its agent has no other submission tool, its operations see the scope alone, and a
 * place counts from the scope's first character.
 */

const SEND = `send the groups ${NEW_KEY}`;
const SHOWN = 'as patchdiff_observe_scopes answered it';

const OBSERVE_ANEW = `List the scopes again (patchdiff_list_scopes), observe the ones to edit (patchdiff_observe_scopes), fit the operations to those texts, and send them with the bundle_id, version and current_hash of that answer and ${A_NEW_KEY}.`;
const COUNTED = `counted from the first character of the scope's text ${SHOWN} (an offset that patchdiff_read_lines gives, less scope.start)`;

const SPLIT =
  ', the last scopes of the document first so that none moves another, each guarded by the version the one before returned and with a client_request_id of its own; ' +
  'observe a scope again (patchdiff_list_scopes, patchdiff_observe_scopes) before a second submission edits it';

const BY_CODE: Readonly<Record<string, string>> = {
  target_version_mismatch: OBSERVE_ANEW,
  target_hash_mismatch: OBSERVE_ANEW,
  scope_hash_mismatch: OBSERVE_ANEW,
  guard_missing: `Add expected_target_version (or expected_current_hash: its current_hash) as patchdiff_observe_scopes answered it, and ${SEND}.`,
  bundle_invalid: `Observe the scopes to edit (patchdiff_observe_scopes), and send the groups with the bundle_id, version and current_hash of that answer and ${A_NEW_KEY}.`,
  scope_not_observed: `Observe every scope that you edit in one call (patchdiff_observe_scopes), and send the groups with the bundle_id, version and current_hash of that answer and ${A_NEW_KEY}.`,
  payload_too_large: `Split the groups over several submissions${SPLIT}.`,
  too_many_operations: `Split the groups over several submissions of at most 2000 operations${SPLIT}.`,
  payload_too_deep: `Send plain groups of operations, whose fields are strings and integers, ${NEW_KEY}.`,
  match_empty: `To insert, send {"op": "span", "start": n, "end": n, "expected_text": "", "replace": "…"} in this group instead, n ${COUNTED}, and ${SEND}.`,
  match_too_long: `Send op "span" in this group instead, with start and end ${COUNTED} and the whole old text as expected_text, and ${SEND}.`,
  replace_all_refused: `To replace the whole scope, send one span over it in this group: start 0, end the length of its text (scope.end less scope.start), expected_text that text ${SHOWN}; ${SEND}.`,
  span_out_of_bounds: `Send start and end ${COUNTED}, list the spans of a scope from the end of its text to its beginning so that none moves another, and ${SEND}.`,
};

const copy = `copy the text exactly as it stands there into match, and ${SEND}.`;

function afterAbsence({ diagnostic, nearMisses }: Situation): string {
  if (isEmptied(diagnostic)) {
    return `Nothing stands there to be matched: to write into the empty text, send {"op": "span", "start": 0, "end": 0, "expected_text": "", "replace": "…"} in this group, and ${SEND}.`;
  }
  const hits = nearMisses?.near_misses ?? [];
  const explanation = nearMisses?.explanation;
  if (explanation?.kind === 'already_replaced') {
    return `The change may be made already (near_miss_search.explanation): look at the scope's text ${SHOWN}. If so, leave this operation out; else ${copy}`;
  }
  if (hits.length > 0) {
    return hits.some(isCutHit) || isCut(textOf(diagnostic, 'near_miss_query'))
      ? `near_misses show where the first ${CUT} characters of your text nearly stand: find that place (scope_start) in the scope's text ${SHOWN}, ${copy}`
      : `Send the text of the near_misses entry that you mean as match; where several look alike, send op "span" with its scope_start as start, its scope_end as end and its text as expected_text. Then ${SEND}.`;
  }
  const differs = explanation === undefined ? '' : 'near_miss_search.explanation says what differs: ';
  return `${differs}${differs === '' ? 'Find' : 'find'} the place in the scope's text ${SHOWN}, ${copy} A text that stands only outside of scope.start to scope.end is of another scope: observe that one too.`;
}

function afterMismatch({ diagnostic, nearMisses }: Situation): string {
  const path = textOf(diagnostic, 'path');
  const text = textOf(diagnostic, 'actual_text');
  const anew = `send start and end ${COUNTED} with the text that stands there`;
  const steps: string[] = [];
  if (nearMisses?.explanation?.kind === 'elsewhere')
    steps.push('if near_miss_search.explanation shows the place that you mean, send its start and end with the texts as they were');
  if (path.endsWith('.expected_text')) {
    if (!isCut(text)) steps.push(`if actual_text is what you mean to replace, send it as ${path}`);
    const hits = nearMisses?.near_misses ?? [];
    if (hits.length > 0 && !hits.some(isCutHit) && !isCut(textOf(diagnostic, 'near_miss_query')))
      steps.push('if near_misses show your text, send its scope_start as start, its scope_end as end and its text');
  } else {
    const beside = text === '' ? 'nothing' : 'actual_text';
    // Neither an empty text nor the head of a long one can be sent in that field.
    const right = text === '' || isCut(text) ? `leave ${path} out` : `send it as ${path}, or leave that field out`;
    steps.push(`beside the span stands ${beside}, within the scope: if the place is right, ${right}`);
  }
  const said = `${[...steps, steps.length === 0 ? anew : `else ${anew}`].join('; ')}. Then ${SEND}.`;
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
}

function entryMeant(diagnostic: JsonObject): string {
  const count = member(diagnostic, 'candidate_count');
  const more = typeof count === 'number' && count > SHOWN_CANDIDATES ? ` (a longer match reaches those beyond ${SHOWN_CANDIDATES})` : '';
  return `the occurrence_index of the exact_candidates entry${more} that you mean, which counts within the scope,`;
}

function afterOverlap(diagnostic: JsonObject): string {
  const overlapping = (member(diagnostic, 'overlapping_scopes') ?? []) as JsonValue[];
  const [earlier, later] = overlapping.map((scope) => member(scope as JsonObject, 'scope_id'));
  return earlier === later
    ? `Send one group for this scope, with the operations of both, and ${A_NEW_KEY}.`
    : `Send one group for the outer scope, with the operations of both in its text, and ${A_NEW_KEY}; overlapping_scopes names the two.`;
}

/** What to do after a bundle was rejected; null: what would be done after any submission, or the rejection is none of a bundle. */
export function stepOfBundle(failureCode: string, situation: Situation): string | null {
  const { diagnostic } = situation;
  if (member(diagnostic, 'format') !== 'patchdiff-observed-batch/1') return null;
  switch (failureCode) {
    case 'match_absent':
      return afterAbsence(situation);
    case 'match_ambiguous':
      return `Add ${entryMeant(diagnostic)} to the operation, or make match longer until it is unique there, and ${SEND}.`;
    case 'selector_excludes_all':
      return `Send ${entryMeant(diagnostic)} without anchors, and ${SEND}.`;
    case 'span_expected_text_mismatch':
      return afterMismatch(situation);
    case 'scopes_overlap':
      return afterOverlap(diagnostic);
    default:
      return BY_CODE[failureCode] ?? null;
  }
}
