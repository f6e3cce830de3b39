import { TAKEN, findStart, mapText, preparePattern, rescan, scan } from './kernel.ts';

/** Hits at least this similar are reported: the distance bound is (1 - 0.7) of the query's length, rounded down. */
const CUT_OFF_TENTHS = 7;

export interface Hit {
  /** Code points of the text; `end` is exclusive. */
  start: number;
  end: number;
  distance: number;
}

export interface SearchResult {
  hits: Hit[];
  /** Code points of the text, and how many of them were scanned before the work cap. */
  length: number;
  scanned: number;
  /** Columns × blocks computed by the scan; what the selection adds is at most a few thousand. */
  work: number;
}

/** The largest distance a hit may have, for a query of `length` code points. In integers: 0.3 × 10 is 2.9999… in doubles. */
export function distanceBound(length: number): number {
  return Math.floor((length * (10 - CUT_OFF_TENTHS)) / 10);
}

/**
 * The best non-overlapping approximate occurrences of `query` (code points) in `text`, at most `top`: the one of least
 * distance, of these the one that ends first; its span is taken out, and so on. Exact within the distance bound, and
 * linear in the text whatever it holds.
 */
export function search(text: string, query: readonly number[], bound: number, workCap: number, top = 3): SearchResult {
  if (query.length === 0 || query.length > 256) throw new RangeError('a query holds 1 to 256 code points');
  if (bound >= query.length) throw new RangeError('the distance bound must be below the length of the query');
  const pattern = preparePattern(query);
  const mapped = mapText(text, pattern);
  const distances = new Uint16Array(mapped.length);
  const { windows, columns, work } = scan(mapped, pattern, bound, distances, workCap);
  const hits: Hit[] = [];
  while (hits.length < top) {
    let distance = bound + 1;
    let end = -1;
    for (const window of windows) {
      if (window.least >= distance) continue;
      let least = TAKEN;
      for (let column = window.start; column < window.start + window.length; column++) {
        const value = distances[column]!;
        if (value < least) least = value;
        if (value < distance) {
          distance = value;
          end = column + 1;
        }
      }
      window.least = least;
    }
    if (end < 0) break;
    let low = 0;
    let high = columns;
    for (const hit of hits) {
      if (hit.end < end) low = Math.max(low, hit.end);
      else high = Math.min(high, hit.start);
    }
    const start = findStart(mapped, pattern, end, distance, low);
    hits.push({ start, end, distance });
    // What ends shortly after the hit may have begun inside it: recompute as far as a hit can reach.
    distances.fill(TAKEN, start, end);
    rescan(mapped, pattern, end, Math.min(end + query.length + bound, high), distances);
  }
  return { hits, length: mapped.length, scanned: columns, work };
}
