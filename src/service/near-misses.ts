import { findNearMisses } from '../nearmiss/index.ts';
import type { NearMissAnswer } from '../nearmiss/index.ts';
import type { Fault, Transaction } from '../transaction/index.ts';
import type { CachedContent } from './content-cache.ts';

const REASONS: ReadonlySet<string> = new Set(['match_absent', 'sequential_match_invalid', 'span_expected_text_mismatch']);

/**
 * Near misses of a rejection for the three reasons in which a text was not where it was expected; null for every other.
 * `buffer` is the text in which the operation failed, `previous` the content before this one, when this process still holds it.
 */
export function nearMissesFor(transaction: Transaction, fault: Fault, buffer: string, previous: CachedContent | null): NearMissAnswer | null {
  const query = fault.evidence['near_miss_query'];
  if (!REASONS.has(fault.reason) || typeof query !== 'string' || query === '') return null;
  const change = transaction.changes.find((item) => item.ordinal === fault.ordinal);
  return findNearMisses(buffer, query, {
    ...(change === undefined ? {} : { replacement: change.replace }),
    earlierVersions: previous === null ? [] : [{ version: previous.version, content: previous.content }],
  });
}
