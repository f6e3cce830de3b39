import { describe, expect, it } from 'vitest';

import type { Engine } from '../../src/nearmiss/engine.ts';
import { distanceBound, search, searchWith } from '../../src/nearmiss/search.ts';
import { openTwin } from '../../src/nearmiss/twin.ts';
import { openKernel } from '../../src/nearmiss/wasm.ts';
import { ALPHABETS, mutate, periodicPoints, points, randomPoints, randomness, textOf } from './cases.ts';
import type { Below } from './cases.ts';
import { oracle } from './oracle.ts';

const NO_CAP = Number.MAX_SAFE_INTEGER;
const ENGINES: Record<string, (text: string, query: readonly number[]) => Engine> = {
  kernel: (text, query) => openKernel(text, query)!,
  twin: openTwin,
};

/** Compares both engines with the definition; returns how many hits there are. */
function agree(text: string, query: readonly number[], bound: number): number {
  const expected = oracle(points(text), query, bound);
  for (const [name, open] of Object.entries(ENGINES)) {
    const { hits } = searchWith(open(text, query), bound, NO_CAP, 3);
    if (JSON.stringify(hits) !== JSON.stringify(expected)) expect({ name, text, query, bound, hits }).toEqual({ hits: expected });
  }
  return expected.length;
}

/** A text and a query, mostly a damaged piece of it. */
function randomCase(below: Below, text: number, length: number): { text: string; query: number[] } {
  const letters = ALPHABETS[below(ALPHABETS.length)]!;
  const make = below(3) === 0 ? periodicPoints : randomPoints;
  const whole = points(textOf(make(below, text, letters)));
  const from = below(whole.length + 1);
  const taken = whole.slice(from, from + length);
  const base = taken.length === length && below(5) > 0 ? taken : randomPoints(below, length, letters);
  const edited = mutate(below, base, below(1 + Math.ceil(length * 0.35)), letters);
  while (edited.length < length) edited.push(letters[below(letters.length)]!);
  return { text: textOf(whole), query: edited.slice(0, length) };
}

describe('the kernel and its twin give what the definition gives', () => {
  it.each([
    { name: 'short queries', cases: 7000, seed: 1, text: (b: Below) => b(90), query: (b: Below) => 1 + b(24) },
    { name: 'one code point', cases: 300, seed: 2, text: (b: Below) => b(40), query: () => 1 },
    { name: 'a query longer than the text', cases: 500, seed: 3, text: (b: Below) => b(30), query: (b: Below) => 20 + b(60) },
    { name: 'around 32 rows', cases: 1200, seed: 4, text: (b: Below) => b(420), query: (b: Below) => 31 + b(3) },
    { name: 'around 64 rows', cases: 800, seed: 5, text: (b: Below) => b(500), query: (b: Below) => 63 + b(3) },
    { name: 'around 128 rows', cases: 240, seed: 6, text: (b: Below) => b(800), query: (b: Below) => 127 + b(3) },
    { name: 'around 192 rows', cases: 100, seed: 7, text: (b: Below) => b(900), query: (b: Below) => 191 + b(3) },
    { name: 'the longest', cases: 160, seed: 8, text: (b: Below) => b(1400), query: (b: Below) => 255 + b(2) },
    { name: 'any length', cases: 400, seed: 9, text: (b: Below) => b(700), query: (b: Below) => 1 + b(256) },
  ])('$name: $cases cases, seed $seed', ({ cases, seed, text, query }) => {
    const below = randomness(seed);
    for (let i = 0; i < cases; i++) {
      const made = randomCase(below, text(below), query(below));
      // The product's bound, and now and then one as wide as a search takes.
      agree(made.text, made.query, below(5) === 0 ? below(made.query.length) : distanceBound(made.query.length));
    }
  });

  // A scan in chunks could miss or misplace what lies across their border, wherever that is.
  it.each([
    { rows: 12, length: 330, seed: 21 },
    { rows: 32, length: 400, seed: 22 },
    { rows: 40, length: 300, seed: 23 },
    { rows: 90, length: 520, seed: 24 },
  ])('a hit of $rows code points at every place, seed $seed', ({ rows, length, seed }) => {
    const below = randomness(seed);
    const query = randomPoints(below, rows, points('abcdefgh'));
    for (let at = 0; at + rows <= length; at += rows > 64 ? 3 : 1) {
      const filler = randomPoints(below, length, points('abcdefghxyz,.- '));
      const piece = mutate(below, query, below(3), points('abcdefgh'));
      const text = textOf([...filler.slice(0, at), ...piece, ...filler.slice(at + rows)]);
      expect(agree(text, query, distanceBound(rows))).toBeGreaterThan(0);
    }
  });

  // Three equally good hits lower the bound of the scan; none of the choices may change by that.
  it.each([
    { rows: 20, seed: 31 },
    { rows: 70, seed: 32 },
    { rows: 140, seed: 33 },
  ])('many near copies of $rows code points, seed $seed', ({ rows, seed }) => {
    const below = randomness(seed);
    const letters = points('abcdef');
    for (let i = 0; i < 60; i++) {
      const query = randomPoints(below, rows, letters);
      const text: number[] = [];
      while (text.length < 14 * rows) {
        const worst = Math.floor((rows * (1 + below(4))) / 12);
        text.push(...mutate(below, query, below(1 + worst), letters), ...randomPoints(below, below(rows), letters));
      }
      agree(textOf(text), query, distanceBound(rows));
    }
  });

  it('an empty text has no hits', () => {
    expect(agree('', [0x61], 0)).toBe(0);
    expect(search('', points('abcd'), 1, NO_CAP)).toEqual({ hits: [], length: 0, scanned: 0, work: 0 });
  });
});

describe('the choice of the hits', () => {
  it.each([
    {
      name: 'the nearer one first, wherever it stands',
      text: 'abXde abcde',
      query: 'abcde',
      hits: [
        [6, 11, 0],
        [0, 5, 1],
      ],
    },
    {
      name: 'of two equally near, the one that ends first',
      text: 'abXde abYde',
      query: 'abcde',
      hits: [
        [0, 5, 1],
        [6, 11, 1],
      ],
    },
    { name: 'of two starts, the one of the nearer length', text: 'aXbcde', query: 'abcde', hits: [[1, 6, 1]] },
    {
      name: 'what is taken is not used again',
      text: 'aaaaaaa',
      query: 'aaaa',
      hits: [
        [0, 4, 0],
        [4, 7, 1],
      ],
    },
  ])('$name', ({ text, query, hits }) => {
    const found = search(text, points(query), distanceBound(query.length), NO_CAP).hits;
    expect(found.map(({ start, end, distance }) => [start, end, distance])).toEqual(hits);
  });

  it('refuses a query, a bound or a number of hits out of range', () => {
    const query = points('abcdefghij');
    for (const wrong of [[], Array.from({ length: 257 }, () => 0x61)]) expect(() => search('a', wrong, 0, 1)).toThrow(RangeError);
    for (const bound of [-1, 10]) expect(() => search('a', query, bound, 1)).toThrow(RangeError);
    for (const top of [0, 4]) expect(() => search('a', query, 3, 1, top)).toThrow(RangeError);
  });
});

describe('the distance bound', () => {
  it.each([
    [1, 0],
    [3, 0],
    [4, 1],
    [7, 2],
    [9, 2],
    [10, 3],
    [20, 6],
    [256, 76],
  ])('of %i code points is %i', (length, bound) => {
    expect(distanceBound(length)).toBe(bound);
  });
});
