/**
 * Bit-parallel semi-global Levenshtein distance (Myers, blocked after Hyyrö) on 32-bit words.
 *
 * The query stands vertically in blocks of 32 rows. Rows that pad it to whole blocks lie *above* it and match
 * everything, so that the last row of the last block is always the query's last code point.
 */

/** A query made ready: `peq[c + block]` holds the rows of that block equal to the code point whose class offset is `c`. */
export interface Pattern {
  length: number;
  blocks: number;
  pad: number;
  /** Class offset (class × blocks) by code point; a code point outside the query has offset 0. */
  classes: Map<number, number>;
  peq: Int32Array;
  /** The same for the reversed query, padded below instead of above. */
  reversed: Int32Array;
}

/** Columns [start, start + length) whose distances are known, the least of them at most the bound. */
export interface Window {
  start: number;
  length: number;
  /** A lower bound of the distances in the window. */
  least: number;
}

export interface Scan {
  windows: Window[];
  /** Columns scanned: the whole text unless the work cap ended the scan. */
  columns: number;
  /** Columns × blocks really computed. */
  work: number;
}

const WINDOW = 64;
/** Stands for "no hit may end here": above every distance of a query of 256 code points. */
export const TAKEN = 65535;

export function preparePattern(query: readonly number[]): Pattern {
  const length = query.length;
  const blocks = (length + 31) >> 5;
  const pad = blocks * 32 - length;
  const classes = new Map<number, number>();
  for (const point of query) if (!classes.has(point)) classes.set(point, (classes.size + 1) * blocks);
  const peq = new Int32Array((classes.size + 1) * blocks);
  const reversed = new Int32Array((classes.size + 1) * blocks);
  if (pad > 0) for (let c = 0; c <= classes.size; c++) peq[c * blocks] = (1 << pad) - 1;
  query.forEach((point, index) => {
    const base = classes.get(point)!;
    const row = pad + index;
    peq[base + (row >> 5)]! |= 1 << (row & 31);
    const back = length - 1 - index;
    reversed[base + (back >> 5)]! |= 1 << (back & 31);
  });
  return { length, blocks, pad, classes, peq, reversed };
}

/** The text as class offsets, one element a code point. A lone surrogate counts as one code point of its own. */
export function mapText(text: string, pattern: Pattern): Uint16Array {
  const basic = new Uint16Array(65536);
  for (const [point, offset] of pattern.classes) if (point < 65536) basic[point] = offset;
  const mapped = new Uint16Array(text.length);
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if ((unit & 0xfc00) === 0xd800 && i + 1 < text.length) {
      const low = text.charCodeAt(i + 1);
      if ((low & 0xfc00) === 0xdc00) {
        i++;
        mapped[count++] = pattern.classes.get(0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff)) ?? 0;
        continue;
      }
    }
    mapped[count++] = basic[unit]!;
  }
  return mapped.subarray(0, count);
}

/**
 * Writes into `distances[j]` the least distance of the query to any text ending with column j, for every column that
 * a returned window covers; every column with a distance of at most `bound` is covered.
 * Blocks whose rows all exceed the bound are left out (Ukkonen's cut-off): a distance of at most `bound` never
 * passes through them, and a block is taken in again in the very column in which the one above comes to the bound.
 */
export function scan(text: Uint16Array, pattern: Pattern, bound: number, distances: Uint16Array, workCap: number): Scan {
  const { peq, blocks, pad } = pattern;
  const columns = text.length;
  const last = blocks - 1;
  const plus = new Int32Array(blocks);
  const minus = new Int32Array(blocks);
  const windows: Window[] = [];
  let active = 0;
  while (active < last && (active + 1) * 32 - pad <= bound) active++;
  plus.fill(-1, 0, active + 1);
  plus[0] = -1 << pad;
  let score = (active + 1) * 32 - pad;
  let work = 0;

  let from = 0;
  for (; from < columns && work < workCap; from += WINDOW) {
    const to = Math.min(from + WINDOW, columns);
    let column = from;
    let fullFrom = -1;
    let least = TAKEN;
    while (column < to) {
      const bottom = active;
      if (bottom === last && fullFrom < 0) fullFrom = column;
      for (; column < to; column++) {
        const base = text[column]!;
        let carryPlus = 0;
        let carryMinus = 0;
        for (let block = 0; block <= bottom; block++) {
          const p = plus[block]!;
          const m = minus[block]!;
          let equal = peq[base + block]!;
          const vertical = equal | m;
          equal |= carryMinus;
          const horizontal = ((((equal & p) + p) | 0) ^ p) | equal;
          let hp = m | ~(horizontal | p);
          let hm = p & horizontal;
          const outPlus = hp >>> 31;
          const outMinus = hm >>> 31;
          hp = (hp << 1) | carryPlus;
          hm = (hm << 1) | carryMinus;
          plus[block] = hm | ~(vertical | hp);
          minus[block] = hp & vertical;
          carryPlus = outPlus;
          carryMinus = outMinus;
        }
        score += carryPlus - carryMinus;
        work += bottom + 1;
        if (bottom === last) {
          distances[column] = score;
          if (score < least) least = score;
        } else if (score <= bound) {
          active++;
          plus[active] = -1;
          minus[active] = 0;
          score += 32;
          column++;
          break;
        }
      }
    }
    if (least <= bound) windows.push({ start: fullFrom, length: to - fullFrom, least });
    while (active > 0) {
      const rises = ones(plus[active]!);
      const falls = ones(minus[active]!);
      const top = score - rises + falls;
      // The slack of 2 keeps a block from being dropped and taken in again by the next column.
      if (top <= bound + 2 || (top - falls <= bound && score - rises <= bound)) break;
      active--;
      score = top;
    }
  }
  return { windows, columns: Math.min(from, columns), work };
}

/** The distances of columns [from, to) when no hit may begin before `from`. */
export function rescan(text: Uint16Array, pattern: Pattern, from: number, to: number, distances: Uint16Array): void {
  scan(text.subarray(from, to), pattern, pattern.length, distances.subarray(from, to), Infinity);
}

/**
 * Start of the hit that ends before column `end` at exactly `distance`: the one whose length is nearest the query's,
 * the longer one of two equally near. Nothing before `low` is used.
 */
export function findStart(text: Uint16Array, pattern: Pattern, end: number, distance: number, low: number): number {
  const { reversed, blocks, length } = pattern;
  const last = blocks - 1;
  const lastBit = (length - 1) & 31;
  const plus = new Int32Array(blocks).fill(-1);
  const minus = new Int32Array(blocks);
  const stop = Math.max(low, end - length - distance);
  let score = length;
  let best = end;
  let bestDeviation = Infinity;
  for (let start = end - 1; start >= stop; start--) {
    const base = text[start]!;
    let carryPlus = 1;
    let carryMinus = 0;
    for (let block = 0; block < blocks; block++) {
      const p = plus[block]!;
      const m = minus[block]!;
      let equal = reversed[base + block]!;
      const vertical = equal | m;
      equal |= carryMinus;
      const horizontal = ((((equal & p) + p) | 0) ^ p) | equal;
      let hp = m | ~(horizontal | p);
      let hm = p & horizontal;
      const shift = block === last ? lastBit : 31;
      const outPlus = (hp >>> shift) & 1;
      const outMinus = (hm >>> shift) & 1;
      hp = (hp << 1) | carryPlus;
      hm = (hm << 1) | carryMinus;
      plus[block] = hm | ~(vertical | hp);
      minus[block] = hp & vertical;
      carryPlus = outPlus;
      carryMinus = outMinus;
    }
    score += carryPlus - carryMinus;
    if (score !== distance) continue;
    const deviation = Math.abs(end - start - length);
    if (deviation <= bestDeviation) {
      bestDeviation = deviation;
      best = start;
    }
  }
  return best;
}

function ones(word: number): number {
  let x = word;
  x -= (x >>> 1) & 0x55555555;
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  x = (x + (x >>> 4)) & 0x0f0f0f0f;
  return Math.imul(x, 0x01010101) >>> 24;
}
