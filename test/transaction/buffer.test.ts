import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PieceBuffer } from '../../src/transaction/buffer.ts';
import { NeedleIndex } from '../../src/transaction/needles.ts';
import { countOccurrences, eachOccurrence, firstOccurrence, lastOccurrence } from '../../src/text/index.ts';

const text = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom('a', 'b', 'é', '😀', '\n'), { maxLength }).map((parts) => parts.join(''));
const splice = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat({ max: 8 }),
  replacement: text(9),
  look: fc.double({ min: 0, max: 1, noNaN: true }),
});

/** Unit of the code-point boundary at this share of the text. */
function boundary(now: string, share: number): number {
  return [...now].slice(0, Math.round(share * [...now].length)).join('').length;
}

function starts(now: string, wanted: string): number[] {
  const found: number[] = [];
  for (let at = now.indexOf(wanted); at >= 0; at = now.indexOf(wanted, at + 1)) found.push(at);
  return found;
}

describe('a buffer in pieces', () => {
  it('is the text that plain splices make, in all three units', () => {
    fc.assert(
      fc.property(text(40), fc.array(splice, { maxLength: 25 }), (start, plans) => {
        const buffer = new PieceBuffer(start);
        let now = start;
        for (const { at, length, replacement, look } of plans) {
          const from = boundary(now, at);
          const to = from + [...now.slice(from)].slice(0, length).join('').length;
          buffer.splice(from, to, replacement);
          now = now.slice(0, from) + replacement + now.slice(to);
          const unit = boundary(now, look);
          const place = { unit, point: [...now.slice(0, unit)].length, byte: Buffer.byteLength(now.slice(0, unit)) };
          expect(buffer.atUnit(unit)).toEqual(place);
          expect(buffer.atPoint(place.point)).toEqual(place);
          expect(buffer.slice(unit - 5, unit + 7)).toBe(now.slice(Math.max(0, unit - 5), unit + 7));
          if (unit < now.length) expect(buffer.unitsOf([buffer.addressOf(unit)])).toEqual([unit]);
        }
        expect({ text: buffer.text(), units: buffer.units, points: buffer.points, bytes: buffer.bytes }).toEqual({
          text: now,
          units: now.length,
          points: [...now].length,
          bytes: Buffer.byteLength(now),
        });
      }),
      { numRuns: 400 },
    );
  });

  it('forgets the addresses of what is gone', () => {
    const buffer = new PieceBuffer('abcdef');
    buffer.splice(1, 3, 'XY');
    buffer.splice(2, 3, '');
    expect(buffer.text()).toBe('aXdef');
    expect([0, 1, 2, 3, 4, 5, 6, 7].map((address) => buffer.unitsOf([address])[0])).toEqual([
      0,
      undefined,
      undefined,
      2,
      3,
      4,
      1,
      undefined,
    ]);
    expect(() => buffer.atUnit(6)).toThrow(RangeError);
    expect(() => buffer.atPoint(-1)).toThrow(RangeError);
  });
});

describe('the index of texts', () => {
  it('finds after every splice what reading finds', () => {
    const needle = fc.array(fc.constantFrom('a', 'b', 'ab'), { minLength: 6, maxLength: 9 }).map((parts) => parts.join(''));
    const periodic = fc.tuple(needle, fc.nat({ max: 6 })).map(([period, times]) => period.repeat(times));
    const words = fc.array(fc.oneof(needle, text(3), periodic), { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        words,
        fc.array(needle, { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(splice, words), { maxLength: 12 }),
        (start, needles, plans) => {
          const buffer = new PieceBuffer(start);
          const index = new NeedleIndex(buffer, needles);
          let now = start;
          for (const [{ at, length }, replacement] of plans) {
            const from = boundary(now, at);
            const to = from + [...now.slice(from)].slice(0, length).join('').length;
            buffer.splice(from, to, replacement);
            index.noteSplice(from, replacement.length);
            now = now.slice(0, from) + replacement + now.slice(to);
            for (const wanted of needles) expect(index.find(wanted)).toEqual(wanted.length < 8 ? null : starts(now, wanted));
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('finds a place once, where a splice puts the same text behind the same unit again', () => {
    const period = 'a😀\na😀\n';
    const buffer = new PieceBuffer(period.repeat(4));
    const index = new NeedleIndex(buffer, [period]);
    for (let left = 3; left > 0; left -= 1) {
      buffer.splice(period.length, 2 * period.length, '');
      index.noteSplice(period.length, 0);
      expect(index.find(period)).toEqual(starts(period.repeat(left), period));
    }
  });

  it('leaves texts to reading that it would find in too many places', () => {
    expect(new NeedleIndex(new PieceBuffer('a'.repeat(1_000)), ['aaaaaaaaaa']).find('aaaaaaaaaa')).toBeNull();
    expect(new NeedleIndex(new PieceBuffer('unknown'), ['short']).find('short')).toBeNull();
  });
});

describe('plain search', () => {
  it('finds all occurrences, short, long and periodic ones', () => {
    const part = fc.tuple(fc.constantFrom('a', 'ab', 'aab', 'a😀'), fc.integer({ min: 1, max: 30 }), fc.constantFrom('', 'b', 'a'));
    const periodic = fc
      .array(part, { maxLength: 5 })
      .map((parts) => parts.map(([word, count, tail]) => word.repeat(count) + tail).join(''));
    fc.assert(
      fc.property(periodic, part, fc.nat({ max: 20 }), (now, [word, count, tail], repeats) => {
        const wanted = tail + word.repeat(count + repeats);
        const long = now.repeat(repeats + 1);
        const overlapping = starts(long, wanted);
        const apart = overlapping.reduce<number[]>(
          (kept, at) => (at >= (kept.at(-1) ?? -wanted.length) + wanted.length ? [...kept, at] : kept),
          [],
        );
        for (const [mode, expected] of [
          [true, overlapping],
          [false, apart],
        ] as const) {
          const found: number[] = [];
          eachOccurrence(long, wanted, mode, (unit) => found.push(unit) > 0);
          expect(found).toEqual(expected);
        }
        expect(countOccurrences(long, wanted)).toBe(overlapping.length);
        expect(firstOccurrence(long, wanted)).toBe(overlapping[0] ?? null);
        expect(lastOccurrence(long, wanted)).toBe(overlapping.at(-1) ?? null);
      }),
      { numRuns: 600 },
    );
  });

  it('goes on past the budget of comparisons without a difference', () => {
    const now = `${'a'.repeat(20_000)}b${'a'.repeat(3_000)}`;
    for (const mode of [true, false]) {
      const found: number[] = [];
      eachOccurrence(now, 'a'.repeat(2_500), mode, (unit) => found.push(unit) > 0);
      expect(found).toEqual(mode ? starts(now, 'a'.repeat(2_500)) : [0, 2_500, 5_000, 7_500, 10_000, 12_500, 15_000, 17_500, 20_001]);
    }
    expect(() => countOccurrences('a', '')).toThrow(RangeError);
  });
});
