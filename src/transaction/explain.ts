import { CodePointIndex, countLineFeeds, takeCodePoints } from '../text/index.ts';
import type { JsonObject } from './json.ts';
import { COUNT_CAP } from './select.ts';
import type { Candidate } from './select.ts';
import type { ChangeFact, Fault, MatchChange, SpanChange } from './types.ts';
import { faultOf } from './words.ts';

/** Code points of a near-miss query and of the actual text. */
const QUOTED = 256;
/** Code points beside a candidate. */
const BESIDE = 40;

/** The text does not occur: never did, or `consumer` took it away. `total` is the buffer's length in code points. */
export function missingFault(change: MatchChange, wanted: string, total: number, consumer: ChangeFact | undefined): Fault {
  const path = `${change.path}.match`;
  const query = { near_miss_query: takeCodePoints(wanted, QUOTED) };
  if (consumer === undefined) return faultOf('match_absent', { ...placed(change), words: { path }, evidence: query });
  const { change_id, ordinal, span_start, span_end } = consumer;
  return faultOf('sequential_match_invalid', {
    ...placed(change),
    words: { path, change_id },
    cut: { kind: 'window', point: Math.min(span_start, total) },
    evidence: { consumed_match: { change_id, ordinal, span_start, span_end }, ...query },
  });
}

/** Several occurrences are left (`several`), or the selectors left none of them (`excluded`). */
export function candidatesFault(
  change: MatchChange,
  buffer: string,
  wanted: string,
  { kind, shown, count }: { kind: 'several' | 'excluded'; shown: Candidate[]; count: number },
): Fault {
  const index = new CodePointIndex(buffer);
  const candidates = shown.map((candidate) => candidateOf(index, candidate, wanted));
  const capped = count >= COUNT_CAP;
  return faultOf(kind === 'several' ? 'match_ambiguous' : 'selector_excludes_all', {
    ...placed(change),
    words: { path: `${change.path}.match`, count: capped ? `at least ${COUNT_CAP}` : count },
    cut: { kind: 'window', point: index.toCodePoint(shown[0]?.unit ?? 0) },
    evidence: { exact_candidates: candidates, candidate_count: count, ...(capped ? { candidate_count_capped: true } : {}) },
  });
}

/** The span is not inside the buffer. */
export function outOfBoundsFault(change: SpanChange, total: number): Fault {
  const { path, start, end } = change;
  return faultOf('span_out_of_bounds', {
    ...placed(change),
    words: { path, start, end, total },
    cut: { kind: 'window', point: Math.min(start, total) },
  });
}

/** The buffer holds other text than `field` expects; both texts canonical. */
export function mismatchFault(change: SpanChange, field: string, expected: string, actual: string): Fault {
  return faultOf('span_expected_text_mismatch', {
    ...placed(change),
    path: `${change.path}.${field}`,
    cut: { kind: 'window', point: change.start },
    evidence: { near_miss_query: takeCodePoints(expected, QUOTED), actual_text: takeCodePoints(actual, QUOTED) },
  });
}

function candidateOf(index: CodePointIndex, { unit, occurrenceIndex }: Candidate, wanted: string): JsonObject {
  const start = index.toCodePoint(unit);
  const end = index.toCodePoint(unit + wanted.length);
  return {
    occurrence_index: occurrenceIndex,
    start,
    end,
    line: 1 + countLineFeeds(index.text, 0, unit),
    before: index.text.slice(index.toUnit(Math.max(0, start - BESIDE)), unit),
    after: index.text.slice(unit + wanted.length, index.toUnit(Math.min(index.length, end + BESIDE))),
  };
}

function placed({ ordinal, changeId }: { ordinal: number; changeId: string }): { ordinal: number; failedChangeId: string } {
  return { ordinal, failedChangeId: changeId };
}
