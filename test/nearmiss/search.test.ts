import { describe, expect, it } from 'vitest';

import { distanceBound, search } from '../../src/nearmiss/search.ts';
import { oracle, randomness } from './oracle.ts';

const points = (text: string): number[] => Array.from(text, (c) => c.codePointAt(0)!);
const NO_CAP = Number.MAX_SAFE_INTEGER;

/** A text of `length` code points over a few letters, with repeats of its own pieces, so that ties are common. */
function randomText(below: (n: number) => number, length: number, letters: readonly string[]): string[] {
  const out: string[] = [];
  while (out.length < length) {
    if (out.length > 4 && below(3) === 0) {
      const from = below(out.length);
      out.push(...out.slice(from, from + 1 + below(40)));
    } else out.push(letters[below(letters.length)]!);
  }
  return out.slice(0, length);
}

function mutate(below: (n: number) => number, piece: readonly string[], edits: number, letters: readonly string[]): string[] {
  const out = [...piece];
  for (let i = 0; i < edits && out.length > 1; i++) {
    const at = below(out.length);
    const kind = below(3);
    if (kind === 0) out[at] = letters[below(letters.length)]!;
    else if (kind === 1) out.splice(at, 1);
    else out.splice(at, 0, letters[below(letters.length)]!);
  }
  return out;
}

describe('search against the brute-force definition', () => {
  const alphabets = [['a', 'b'], ['a', 'b', 'c', '\n'], ['a', '😀', 'é'], ['😀', '🎉', '\ud83d', 'x'], Array.from('abcdefghij ')];
  it.each([
    { name: 'short queries', cases: 2600, text: 60, query: 20, seed: 1 },
    { name: 'queries around the word size', cases: 500, text: 160, query: 70, seed: 2 },
    { name: 'long queries', cases: 120, text: 400, query: 256, seed: 3 },
    { name: 'wide distance bounds', cases: 600, text: 80, query: 40, seed: 4, wide: true },
  ])('$cases cases: $name', ({ cases, text: maxText, query: maxQuery, seed, wide }) => {
    const below = randomness(seed);
    let hits = 0;
    for (let i = 0; i < cases; i++) {
      const letters = alphabets[below(alphabets.length)]!;
      const text = randomText(below, below(maxText + 1), letters);
      const length = 1 + below(maxQuery);
      const from = below(text.length + 1);
      const taken = text.slice(from, from + length);
      const base = taken.length > 0 && below(5) > 0 ? taken : randomText(below, length, letters);
      const query = points(mutate(below, base, below(1 + Math.ceil(base.length * 0.35)), letters).join('')).slice(0, 256);
      const bound = wide === true ? below(query.length) : distanceBound(query.length);
      const whole = text.join('');
      const found = search(whole, query, bound, NO_CAP);
      const expected = oracle(whole, String.fromCodePoint(...query), bound);
      if (JSON.stringify(found.hits) !== JSON.stringify(expected)) {
        expect({ whole, query: String.fromCodePoint(...query), bound, hits: found.hits }).toEqual({ hits: expected });
      }
      hits += expected.length;
    }
    expect(hits).toBeGreaterThan(cases / 2);
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

describe('work on hostile texts', () => {
  const n = 200_000;
  it.each([
    { name: 'one letter only', text: 'a'.repeat(n), query: 'a'.repeat(200) + 'b'.repeat(30) + 'a'.repeat(26) },
    { name: 'a period of two', text: 'ab'.repeat(n / 2), query: 'ab'.repeat(120) + 'cccccccccccccccc' },
    { name: 'a period as long as a block', text: ('a'.repeat(31) + 'b').repeat(n / 32), query: ('a'.repeat(31) + 'c').repeat(8) },
    { name: 'a letter that never occurs', text: 'a'.repeat(n), query: 'z'.repeat(256) },
  ])('$name: at most columns × blocks', ({ text, query }) => {
    const q = points(query);
    const result = search(text, q, distanceBound(q.length), NO_CAP);
    expect(result.scanned).toBe(n);
    expect(result.work).toBeLessThanOrEqual(n * 8);
  });

  it('leaves out the blocks that no hit can reach', () => {
    const result = search('a'.repeat(n), points('z'.repeat(256)), 76, NO_CAP);
    expect(result.work).toBeLessThanOrEqual(n * 3);
    expect(result.hits).toEqual([]);
  });

  it('stops at the work cap, the same way every time', () => {
    const text = 'x'.repeat(1000) + 'needle in the hay' + 'x'.repeat(1000);
    const query = points('needle on the hay');
    const whole = search(text, query, 5, NO_CAP);
    expect(whole.hits[0]).toEqual({ start: 1000, end: 1017, distance: 1 });
    const short = search(text, query, 5, 640);
    expect(short).toMatchObject({ hits: [], length: 2017, scanned: 640 });
    expect(search(text, query, 5, 640)).toEqual(short);
  });
});
