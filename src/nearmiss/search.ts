import type { Engine } from './engine.ts';
import { selectHits } from './select.ts';
import type { Hit } from './select.ts';
import { openTwin } from './twin.ts';
import { openKernel } from './wasm.ts';

/** Hits at least this similar are reported: the distance bound is (1 - 0.7) of the query's length, rounded down. */
const CUT_OFF_TENTHS = 7;
/** Rows of the query in one block, the unit in which work is counted. */
const BLOCK_ROWS = 64;
const MOST_ROWS = 256;
const MOST_HITS = 3;

export interface SearchResult {
  hits: Hit[];
  /** Code points of the text, and how many of them were searched: the first `scanned`. */
  length: number;
  scanned: number;
  /** Columns × blocks: `scanned` × the blocks of 64 rows that the query has. */
  work: number;
}

/** The largest distance a hit may have, for a query of `length` code points. In integers: 0.3 × 10 is 2.9999… in doubles. */
export function distanceBound(length: number): number {
  return Math.floor((length * (10 - CUT_OFF_TENTHS)) / 10);
}

/**
 * The best non-overlapping approximate occurrences of `query` (1 to 256 code points) in `text`, at most `top` (1 to 3), at a
 * distance of at most `bound`: the one of least distance, of these the one that ends first; its span is taken out, and so on.
 * Exact within the bound, and linear in the text whatever it holds.
 *
 * `workCap` is in columns × blocks of 64 rows: as many code points are searched, from the first, as it pays for. The result
 * is that of a text which ends there.
 */
export function search(text: string, query: readonly number[], bound: number, workCap: number, top = MOST_HITS): SearchResult {
  if (query.length === 0 || query.length > MOST_ROWS) throw new RangeError(`a query holds 1 to ${MOST_ROWS} code points`);
  if (bound < 0 || bound >= query.length) throw new RangeError('the distance bound is at least 0 and below the length of the query');
  if (top < 1 || top > MOST_HITS) throw new RangeError(`a search gives 1 to ${MOST_HITS} hits`);
  return searchWith(openKernel(text, query) ?? openTwin(text, query), bound, workCap, top);
}

/** The same on a given engine, which it closes. */
export function searchWith(engine: Engine, bound: number, workCap: number, top: number): SearchResult {
  try {
    const { length, rows } = engine;
    const blocks = Math.ceil(rows / BLOCK_ROWS);
    const scanned = Math.min(length, Math.max(0, Math.floor(workCap / blocks)));
    const { windows } = engine.scan(scanned, bound);
    return { hits: selectHits(engine, windows, scanned, bound, top), length, scanned, work: scanned * blocks };
  } finally {
    engine.close();
  }
}
