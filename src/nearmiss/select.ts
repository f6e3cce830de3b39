import { WINDOW_FIELDS } from './engine.ts';
import type { Engine } from './engine.ts';

export interface Hit {
  /** Code points of the text; `end` is exclusive. */
  start: number;
  end: number;
  distance: number;
}

/** Above every distance: a window of which nothing is left. */
const NOTHING = 65535;
const FIELDS = WINDOW_FIELDS;

/**
 * The hits, by the definition: the text at the least distance from the query, of several the one that ends first; it begins
 * where its length is nearest the query's, of two where it is longer; it is taken out, and no other hit may touch it.
 * `windows` is what the scan of `columns` columns found.
 */
export function selectHits(engine: Engine, windows: Int32Array, columns: number, bound: number, top: number): Hit[] {
  const pool = new Pool(windows, top);
  const hits: Hit[] = [];
  while (hits.length < top) {
    const best = pool.best();
    if (best === null || best.least > bound) break;
    const distance = best.least;
    const [low, high] = gapAround(hits, best.start, columns);
    const from = Math.max(low, best.start + 1 - engine.rows - distance);
    const seen = engine.distances(from, best.start + best.length);
    const end = from + seen.indexOf(distance, best.start - from) + 1;
    const start = engine.start(end, distance, low);
    hits.push({ start, end, distance });
    if (hits.length < top) takeOut(engine, pool, start, end, low, high, bound);
  }
  return hits;
}

/** The free columns [low, high) around a column. */
function gapAround(hits: readonly Hit[], column: number, columns: number): [number, number] {
  let low = 0;
  let high = columns;
  for (const hit of hits) {
    if (hit.end <= column) low = Math.max(low, hit.end);
    else high = Math.min(high, hit.start);
  }
  return [low, high];
}

/**
 * Takes columns [start, end) out. A hit that ends soon after them may have begun among them: those distances are counted
 * again from `end`. One that ends before them keeps its distance.
 */
function takeOut(engine: Engine, pool: Pool, start: number, end: number, low: number, high: number, bound: number): void {
  const reach = engine.rows + bound;
  // What begins at `end` comes within the bound in this column at the earliest.
  const earliest = Math.min(end + engine.rows - bound - 1, high);
  const touched = pool.cut(start, earliest, Math.min(end + reach, high));
  const after = touched.filter((window) => window.start >= end);
  const to = after.reduce((last, window) => Math.max(last, window.start + window.length), end);
  pool.measure(after, engine.distances(end, to), end);
  for (const window of touched) {
    if (window.start >= end) continue;
    const from = Math.max(low, window.start + 1 - reach);
    pool.measure([window], engine.distances(from, window.start + window.length), from);
  }
}

interface Window {
  at: number;
  start: number;
  length: number;
  least: number;
}

/** The windows that are left, each with its exact least distance. */
class Pool {
  private readonly fields: Int32Array;
  private size: number;

  constructor(windows: Int32Array, top: number) {
    // Taking a hit out splits at most two windows: those of two chunks of the text may overlap.
    this.fields = new Int32Array(windows.length + 2 * top * FIELDS);
    this.fields.set(windows);
    this.size = windows.length;
  }

  /** The window of least distance; of several, the first in the text. */
  best(): Window | null {
    const { fields } = this;
    let best = -1;
    let least = NOTHING;
    for (let at = 0; at < this.size; at += FIELDS) {
      const value = fields[at + 2]!;
      if (value > least || (value === least && (best < 0 || fields[at]! > fields[best]!))) continue;
      best = at;
      least = value;
    }
    return best < 0 ? null : this.read(best);
  }

  /** Finds the least distance of windows anew, among those of the columns from `from`. */
  measure(windows: readonly Window[], distances: Uint16Array, from: number): void {
    for (const { at, start, length } of windows) {
      this.fields[at + 2] = Math.min(...distances.subarray(start - from, start - from + length));
    }
  }

  /**
   * Removes columns [start, from) from every window; returns the windows whose least distance must be found anew: the rest
   * before `start` of a window that went on, and the rest after `from` of one that begins before `to`.
   */
  cut(start: number, from: number, to: number): Window[] {
    const { fields } = this;
    const changed: Window[] = [];
    for (let at = 0, size = this.size; at < size; at += FIELDS) {
      const begin = fields[at]!;
      const stop = begin + fields[at + 1]!;
      if (begin >= to || stop <= start || fields[at + 2] === NOTHING) continue;
      fields[at + 2] = NOTHING;
      if (begin < start) changed.push(this.write(at, begin, start));
      if (stop > from) changed.push(this.write(begin < start ? this.grow() : at, Math.max(begin, from), stop));
    }
    return changed;
  }

  private read(at: number): Window {
    return { at, start: this.fields[at]!, length: this.fields[at + 1]!, least: this.fields[at + 2]! };
  }

  private write(at: number, start: number, stop: number): Window {
    this.fields[at] = start;
    this.fields[at + 1] = stop - start;
    return this.read(at);
  }

  private grow(): number {
    this.size += FIELDS;
    return this.size - FIELDS;
  }
}
