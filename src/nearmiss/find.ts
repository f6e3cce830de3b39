import { CodePointIndex, canonicalize, countLineFeeds, takeCodePoints } from '../text/index.ts';
import { differences } from './diff.ts';
import { explainMiss } from './explain.ts';
import { distanceBound, search } from './search.ts';
import type { NearMiss, NearMissAnswer, NearMissOptions } from './types.ts';

/** Code points of the query that the search compares, and of a hit that the answer shows. */
const QUERY_POINTS = 256;
const SHOWN_POINTS = 256;
/** Columns × blocks of 64 rows: 16 Mi code points with the longest query, so that every buffer of at most 16 MiB is searched whole. */
const WORK_CAP = 1 << 26;

/**
 * Approximate occurrences of a text that has no exact one where it was wanted. They inform and are never applied.
 * The search looks for the first 256 code points of the query, the explanation for all of it. Pure and deterministic:
 * the work is capped in columns × blocks, never by a clock. An empty query finds nothing.
 */
export function findNearMisses(buffer: string, query: string, options: NearMissOptions = {}): NearMissAnswer {
  if (query === '') return { complete: true, scanned_share: 1, near_misses: [] };
  // Line endings are canonical in every buffer; a query that still has CRs is compared as the matcher would.
  const bounded = takeCodePoints(canonicalize(query), QUERY_POINTS);
  const points = Array.from(bounded, (char) => char.codePointAt(0)!);
  const { hits, length, scanned } = search(buffer, points, distanceBound(points.length), options.workCap ?? WORK_CAP);
  const index = new CodePointIndex(buffer);
  const near_misses = hits.map((hit): NearMiss => {
    const startUnit = index.toUnit(hit.start);
    const whole = buffer.slice(startUnit, index.toUnit(hit.end));
    return {
      start: hit.start,
      end: hit.end,
      line: countLineFeeds(buffer, 0, startUnit) + 1,
      distance: hit.distance,
      similarity: Math.round((1 - hit.distance / points.length) * 1e4) / 1e4,
      text: takeCodePoints(whole, SHOWN_POINTS),
      diff: differences(bounded, whole),
    };
  });
  const answer: NearMissAnswer = {
    complete: scanned === length,
    scanned_share: length === 0 ? 1 : Math.floor((scanned / length) * 1e4) / 1e4,
    near_misses: near_misses.toSorted((a, b) => a.distance - b.distance || a.start - b.start),
  };
  if (options.span === undefined && hits[0]?.distance === 0 && bounded === query) return answer;
  const ranges = hits.map(({ start, end }) => ({ start: index.toUnit(start), end: index.toUnit(end) }));
  const explanation = explainMiss({ index, query, hits: ranges, options });
  return explanation === null ? answer : { ...answer, explanation };
}
