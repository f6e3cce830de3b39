import type { Engine, Scan } from './engine.ts';

/**
 * The search in plain TypeScript, where the host has no WebAssembly SIMD, and what the kernel is tested against: bit-parallel
 * semi-global Levenshtein distance (Myers 1999), blocked after Hyyrö (2003), with Ukkonen's cut-off by block, on 32-bit words.
 *
 * The query stands vertically in blocks of 32 rows. Rows that pad it to whole blocks lie *above* it and match
 * everything, so that the last row of the last block is always the query's last code point.
 */
export function openTwin(text: string, query: readonly number[]): Engine {
  const pattern = preparePattern(query);
  const mapped = mapText(text, pattern);
  return {
    length: mapped.length,
    rows: query.length,
    scan: (columns, bound) => scan(mapped.subarray(0, columns), pattern, bound),
    distances: (from, to) => distances(mapped.subarray(from, to), pattern),
    start: (end, distance, low) => findStart(mapped, pattern, end, distance, low),
    close: () => undefined,
  };
}

/** A query made ready: `peq[c + block]` holds the rows of that block equal to the code point whose class offset is `c`. */
interface Pattern {
  length: number;
  blocks: number;
  pad: number;
  /** Class offset (class × blocks) by code point; a code point outside the query has offset 0. */
  classes: Map<number, number>;
  peq: Int32Array;
  /** The same for the reversed query, padded below instead of above. */
  reversed: Int32Array;
}

const WINDOW = 64;
const FAR = 65535;

function preparePattern(query: readonly number[]): Pattern {
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
function mapText(text: string, pattern: Pattern): Uint16Array {
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
 * Blocks whose rows all exceed the bound are left out (Ukkonen's cut-off): a distance of at most `bound` never
 * passes through them, and a block is taken in again in the very column in which the one above comes to the bound.
 */
function scan(text: Uint16Array, pattern: Pattern, bound: number): Scan {
  const { blocks, pad } = pattern;
  const last = blocks - 1;
  const windows: number[] = [];
  let active = 0;
  while (active < last && (active + 1) * 32 - pad <= bound) active++;
  const state = initialState(pattern);
  const { plus, minus } = state;
  let score = (active + 1) * 32 - pad;
  let computed = 0;
  for (let from = 0; from < text.length; from += WINDOW) {
    const to = Math.min(from + WINDOW, text.length);
    let column = from;
    let fullFrom = -1;
    let least = FAR;
    for (; column < to; column++) {
      score += nextColumn(state, pattern, text[column]!, active);
      computed += active + 1;
      if (active === last) {
        if (fullFrom < 0) fullFrom = column;
        if (score < least) least = score;
      } else if (score <= bound) {
        active++;
        plus[active] = -1;
        minus[active] = 0;
        score += 32;
      }
    }
    if (least <= bound) windows.push(fullFrom, to - fullFrom, least);
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
  return { windows: Int32Array.from(windows), computed };
}

/** The distances of the columns of a piece of text, of texts that begin in it. */
function distances(piece: Uint16Array, pattern: Pattern): Uint16Array {
  const state = initialState(pattern);
  let score = pattern.length;
  return piece.map((base) => (score += nextColumn(state, pattern, base, pattern.blocks - 1)));
}

/** The vertical deltas of a column: rows that rise and rows that fall, by block. */
interface State {
  plus: Int32Array;
  minus: Int32Array;
}

function initialState({ blocks, pad }: Pattern): State {
  const plus = new Int32Array(blocks).fill(-1);
  plus[0] = -1 << pad;
  return { plus, minus: new Int32Array(blocks) };
}

/** Computes the blocks up to `bottom` of the next column; returns the change of their last row. */
function nextColumn({ plus, minus }: State, { peq }: Pattern, base: number, bottom: number): number {
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
  return carryPlus - carryMinus;
}

/**
 * Start of the hit that ends before column `end` at exactly `distance`: the one whose length is nearest the query's,
 * the longer one of two equally near. Nothing before `low` is used.
 */
function findStart(text: Uint16Array, pattern: Pattern, end: number, distance: number, low: number): number {
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
