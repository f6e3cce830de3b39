import { findNearMisses } from '../nearmiss/index.ts';
import type { NearMissAnswer } from '../nearmiss/index.ts';
import { canonicalize } from '../text/index.ts';
import type { Change, Fault, JsonObject, Transaction } from '../transaction/index.ts';
import type { CachedContent } from './content-cache.ts';

const REASONS: ReadonlySet<string> = new Set(['match_absent', 'sequential_match_invalid', 'span_expected_text_mismatch']);

/** The text that was not where it was expected, whole: the search bounds it, the explanation wants all of it. */
function wantedText(change: Change, path: string): string | null {
  if (change.operation === 'match') return change.match;
  if (change.operation === 'replace_all') return null;
  if (path.endsWith('.expected_before')) return change.expectedBefore;
  return path.endsWith('.expected_after') ? change.expectedAfter : change.expectedText;
}

/**
 * Near misses of a rejection for the three reasons in which a text was not where it was expected; null for every other.
 * `buffer` is the text in which the operation failed, `previous` the content before this one, when this process still holds it.
 */
export function nearMissesFor(
  transaction: Transaction,
  fault: Fault,
  buffer: string,
  previous: CachedContent | null,
): NearMissAnswer | null {
  if (!REASONS.has(fault.reason)) return null;
  const change = transaction.changes.find((item) => item.ordinal === fault.ordinal);
  const wanted = change === undefined ? null : wantedText(change, fault.path ?? '');
  if (change === undefined || wanted === null || wanted === '') return null;
  return findNearMisses(buffer, canonicalize(wanted), {
    replacement: canonicalize(change.replace),
    earlierVersions: previous === null ? [] : [{ version: previous.version, content: previous.content }],
  });
}

/** The two members of an answer: the hits, and how far and with what explanation was searched (null when there was no search). */
export function nearMissMembers(answer: NearMissAnswer | null): JsonObject {
  if (answer === null) return { near_misses: [], near_miss_search: null };
  const { near_misses, ...search } = answer;
  return { near_misses, near_miss_search: search } as unknown as JsonObject;
}
