import { findNearMisses } from '../../nearmiss/index.ts';
import type { Consumer, ExpectedSpan, NearMissAnswer } from '../../nearmiss/index.ts';
import { CodePointIndex, canonicalize } from '../../text/index.ts';
import type { Change, ChangeFact, Fault, JsonObject, ScopeEvidence, SpanChange, Transaction } from '../../transaction/index.ts';
import type { CachedContent } from '../common/content-cache.ts';

/** A change whose text was not where it was expected, with what is known of it. */
export interface Missed {
  targetFileId: string;
  fault: Fault;
  change: Change;
  /** The text that was not there, canonical and whole: the search bounds it, the explanation wants all of it. */
  wanted: string;
  /** The text in which the change failed, and the facts of the changes before it that led there. */
  buffer: string;
  prior: readonly ChangeFact[];
  /** The scope whose text the buffer is; null: it is the document. */
  scope?: ScopeEvidence | null;
  transaction: Transaction;
  /** The content at the start of the transaction. */
  base: { version: number; content: string };
  /** The content before that one, when this process still holds it. */
  previous: CachedContent | null;
}

const REASONS: ReadonlySet<string> = new Set(['match_absent', 'sequential_match_invalid', 'span_expected_text_mismatch']);

/** The three reasons in which a text was not where it was expected; null for every other, and when no text was expected. */
export function missedOf(failed: Omit<Missed, 'change' | 'wanted'>): Missed | null {
  const { fault, transaction } = failed;
  if (!REASONS.has(fault.reason)) return null;
  const change = transaction.changes.find((item) => item.ordinal === fault.ordinal);
  const wanted = change === undefined ? null : wantedText(change, differing(fault));
  return change === undefined || wanted === null || wanted === '' ? null : { ...failed, change, wanted: canonicalize(wanted) };
}

/** Near misses and explanation, from memory alone; of a scope in document coordinates, the scope's own beside them. */
export function nearMissesFor(missed: Missed): NearMissAnswer {
  const { change, wanted, buffer, previous, fault, scope = null, base } = missed;
  const consumer = consumerOf(missed);
  const answer = findNearMisses(buffer, wanted, {
    replacement: canonicalize(change.replace),
    ...(change.operation === 'span' ? { span: spanOf(change, differing(fault)) } : {}),
    ...(consumer === null ? {} : { consumer }),
    earlierVersions: previous === null ? [] : [{ version: previous.version, content: previous.content }],
  });
  return scope === null ? answer : inDocument(answer, scope, base.content);
}

function inDocument(answer: NearMissAnswer, { start }: ScopeEvidence, content: string): NearMissAnswer {
  const lines = content.slice(0, new CodePointIndex(content).toUnit(start)).split('\n').length - 1;
  const placed = answer.near_misses.map((hit) => ({
    ...hit,
    start: hit.start + start,
    end: hit.end + start,
    line: hit.line + lines,
    scope_start: hit.start,
    scope_end: hit.end,
  }));
  return { ...answer, near_misses: placed };
}

/** The two members of an answer: the hits, and how far and with what explanation was searched (null when there was no search). */
export function nearMissMembers(answer: NearMissAnswer | null): JsonObject {
  if (answer === null) return { near_misses: [], near_miss_search: null };
  const { near_misses, ...search } = answer;
  return { near_misses, near_miss_search: search } as unknown as JsonObject;
}

function differing({ path }: Fault): ExpectedSpan['differs'] {
  if (path?.endsWith('.expected_before') === true) return 'before';
  return path?.endsWith('.expected_after') === true ? 'after' : 'text';
}

function wantedText(change: Change, differs: ExpectedSpan['differs']): string | null {
  if (change.operation === 'match') return change.match;
  if (change.operation === 'replace_all') return null;
  return { text: change.expectedText, before: change.expectedBefore, after: change.expectedAfter }[differs];
}

function spanOf(change: SpanChange, differs: ExpectedSpan['differs']): ExpectedSpan {
  const { start, end, expectedText, expectedBefore, expectedAfter } = change;
  return {
    start,
    end,
    text: canonicalize(expectedText),
    before: canonicalize(expectedBefore ?? ''),
    after: canonicalize(expectedAfter ?? ''),
    differs,
  };
}

/** The change of this submission that took the text away, as the stored evidence names it. */
function consumerOf({ fault, change, prior, transaction, wanted }: Missed): Consumer | null {
  if (fault.reason !== 'sequential_match_invalid') return null;
  const { ordinal } = fault.evidence['consumed_match'] as { ordinal: number };
  const consumer = transaction.changes.find((item) => item.ordinal === ordinal)!;
  return {
    changeId: consumer.changeId,
    repeated:
      consumer.operation === 'match' &&
      canonicalize(consumer.match) === wanted &&
      canonicalize(consumer.replace) === canonicalize(change.replace),
    place: placeNow(ordinal, prior),
  };
}

/** Where the replacement of a change stands after the later ones; null when one of them touched it. */
function placeNow(ordinal: number, facts: readonly ChangeFact[]): { start: number; end: number } | null {
  const at = facts.findIndex((fact) => fact.ordinal === ordinal);
  const fact = facts[at];
  if (fact === undefined) return null;
  let start = fact.span_start;
  const length = fact.replacement_chars;
  for (const later of facts.slice(at + 1)) {
    if (later.span_end <= start) start += later.replacement_chars - later.matched_chars;
    else if (later.span_start < start + length) return null;
  }
  return { start, end: start + length };
}
