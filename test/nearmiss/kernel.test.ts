import { afterEach, describe, expect, it, vi } from 'vitest';

import { distanceBound, search, searchWith } from '../../src/nearmiss/search.ts';
import { openTwin } from '../../src/nearmiss/twin.ts';
import { openKernel } from '../../src/nearmiss/wasm.ts';
import { ALPHABETS, mutate, periodicPoints, points, randomPoints, randomness, textOf } from './cases.ts';

const NO_CAP = Number.MAX_SAFE_INTEGER;
const host = (globalThis as unknown as { WebAssembly: object }).WebAssembly;

describe('the kernel and its twin agree', () => {
  it('on long texts and at any work cap, seed 41', () => {
    const below = randomness(41);
    for (let i = 0; i < 120; i++) {
      const letters = ALPHABETS[below(ALPHABETS.length)]!;
      const make = below(2) === 0 ? periodicPoints : randomPoints;
      const codes = make(below, 1000 + below(40_000), letters);
      const rows = 1 + below(256);
      const from = below(codes.length - rows);
      const query = mutate(below, codes.slice(from, from + rows), below(1 + Math.ceil(rows * 0.3)), letters).slice(0, 256);
      const text = textOf(codes);
      const bound = below(4) === 0 ? below(query.length) : distanceBound(query.length);
      const cap = below(3) === 0 ? NO_CAP : below(codes.length * 5);
      const kernel = searchWith(openKernel(text, query)!, bound, cap, 3);
      const twin = searchWith(openTwin(text, query), bound, cap, 3);
      if (JSON.stringify(kernel) !== JSON.stringify(twin)) expect({ i, kernel }).toEqual({ i, kernel: twin });
    }
  });

  it.each([1, 20, 64, 65, 200, 256])('that a cap means the first code points, for %i rows', (rows) => {
    const below = randomness(rows);
    const letters = points('ab😀');
    const codes = randomPoints(below, 3000, letters);
    const query = mutate(below, codes.slice(900, 900 + rows), Math.ceil(rows / 9), letters).slice(0, 256);
    const blocks = Math.ceil(query.length / 64);
    for (const cap of [0, 1, 63, 64, 640, 1777, 2 * blocks * 1000, blocks * 3000 - 1, blocks * 3000]) {
      const columns = Math.min(3000, Math.floor(cap / blocks));
      const { hits, ...rest } = search(textOf(codes), query, distanceBound(query.length), cap);
      expect(rest).toEqual({ length: 3000, scanned: columns, work: columns * blocks });
      expect(hits).toEqual(search(textOf(codes.slice(0, columns)), query, distanceBound(query.length), NO_CAP).hits);
    }
  });
});

describe('work on hostile texts', () => {
  const n = 200_000;
  const texts = [
    { name: 'one letter only', text: 'a'.repeat(n), query: 'a'.repeat(200) + 'b'.repeat(30) + 'a'.repeat(26) },
    { name: 'a period of two', text: 'ab'.repeat(n / 2), query: 'ab'.repeat(120) + 'cccccccccccccccc' },
    { name: 'a period as long as a block', text: ('a'.repeat(31) + 'b').repeat(n / 32), query: ('a'.repeat(31) + 'c').repeat(8) },
    { name: 'a letter that never occurs', text: 'a'.repeat(n), query: 'z'.repeat(256) },
  ];
  it.each(texts)('$name: at most columns × blocks, and the overlap of the chunks', ({ text, query }) => {
    const q = points(query);
    for (const [open, blocks] of [
      [openTwin, 8],
      [openKernel, 4],
    ] as const) {
      const engine = open(text, q)!;
      expect(engine.scan(n, 76).computed).toBeLessThanOrEqual((n + 1000) * blocks);
      engine.close();
    }
  });

  it('leaves out the blocks that no hit can reach', () => {
    for (const [open, blocks] of [
      [openTwin, 3],
      [openKernel, 2],
    ] as const) {
      const engine = open('a'.repeat(n), points('z'.repeat(256)))!;
      expect(engine.scan(n, 76).computed).toBeLessThanOrEqual((n + 1000) * blocks);
      engine.close();
    }
  });

  it('leaves out more of them once three near hits are certain', () => {
    const below = randomness(51);
    const query = randomPoints(below, 256, points('abcdefghijklmnop'));
    const filler = (): number[] => randomPoints(below, 2000, points('abcdefghijklmnop'));
    const codes = [
      ...filler(),
      ...query,
      ...filler(),
      ...query,
      ...filler(),
      ...query,
      ...filler(),
      ...Array.from({ length: 60 }, filler).flat(),
    ];
    const engine = openKernel(textOf(codes), query)!;
    expect(engine.scan(codes.length, 76).computed).toBeLessThanOrEqual(codes.length * 1.3);
    engine.close();
  });
});

describe('the instances of the kernel', () => {
  it('two open engines do not share one', () => {
    const one = openKernel('the quick brown fox', points('quack'))!;
    const two = openKernel('jumps over the lazy dog', points('lozy'))!;
    expect(searchWith(one, 1, NO_CAP, 3).hits).toEqual([{ start: 4, end: 9, distance: 1 }]);
    expect(searchWith(two, 1, NO_CAP, 3).hits).toEqual([{ start: 15, end: 19, distance: 1 }]);
  });

  it('carries nothing from one search into the next', () => {
    const text = textOf([0x61, 0xd83d, 0x62, 0x1f600, 0x63, 0xde00, 0x64]);
    const distance = (query: number[], bound: number): (number | undefined)[] =>
      search(text, query, bound, NO_CAP).hits.map((hit) => hit.distance);
    for (let i = 0; i < 3; i++) {
      expect(distance([0x1f600, 0x63], 0)).toEqual([0]);
      expect(distance([0x61, 0xd83d, 0x62], 0)).toEqual([0]);
      expect(distance([0xde00, 0x64], 0)).toEqual([0]);
      expect(distance([0x1f601, 0x63], 0)).toEqual([]);
      expect(distance([0xde01, 0x64], 0)).toEqual([]);
    }
  });

  it('takes a text as long as a buffer may be, many times over, and keeps little', () => {
    const text = `${'x'.repeat((16 << 20) - 20)}needle in the hay 12`;
    for (let i = 0; i < 12; i++) {
      expect(search(text, points('needle on the hay'), 5, NO_CAP).hits[0]).toEqual({
        start: text.length - 20,
        end: text.length - 3,
        distance: 1,
      });
    }
    const small = openKernel('abc', [0x61])!;
    expect(small.distances(0, 3).buffer.byteLength).toBeLessThanOrEqual(8 << 20);
    small.close();
  });
});

describe('without WebAssembly SIMD', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  const sharing = (part: object): object => Object.assign(Object.create(host) as object, part);
  it.each([
    { name: 'no WebAssembly at all', stub: undefined },
    { name: 'no SIMD', stub: sharing({ validate: () => false }) },
    {
      name: 'no memory to be had',
      stub: sharing({
        Memory: function Memory() {
          throw new RangeError('could not allocate memory');
        },
      }),
    },
  ])('$name: the twin answers the same', async ({ stub }) => {
    const text = 'value = 10\nvalue = 11\nvalue = 12\nvalve = 99\n';
    const expected = search(text, points('value = 19'), 3, 40);
    vi.stubGlobal('WebAssembly', stub);
    vi.resetModules();
    const fresh = await import('../../src/nearmiss/search.ts');
    const { openKernel: freshKernel } = await import('../../src/nearmiss/wasm.ts');
    expect(freshKernel(text, points('value = 19'))).toBeNull();
    expect(fresh.search(text, points('value = 19'), 3, 40)).toEqual(expected);
    expect(expected).toMatchObject({ scanned: 40, length: 44, hits: [{ distance: 1 }, { distance: 1 }, { distance: 1 }] });
  });
});
