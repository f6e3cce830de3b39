import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GRAPHEME_WALK, isGraphemeBoundary } from '../../src/text/index.ts';

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

function boundaries(text: string): Set<number> {
  return new Set([...[...segmenter.segment(text)].map(({ index }) => index), 0, text.length]);
}

/** Parts that the rules of UAX #29 join in every way they know. */
const parts = fc.constantFrom(
  'a',
  ' ',
  '\r',
  '\n',
  '\t',
  '\u00ad',
  '©',
  '\u0301',
  '\u200d',
  '\u200b',
  '👩',
  '👍',
  '🏽',
  '🇩',
  '🇪',
  '❤',
  '\ufe0f',
  'ᄀ',
  'ᅡ',
  'ᆨ',
  '각',
  'क',
  '\u094d',
  'ष',
  '\u0903',
  '\u0600',
  '\u0e33',
  '漢',
  'カ',
  'ж',
  '–',
  '\u{e0061}',
  '\u{1f1e6}',
  '\u1100',
  '\ufeff',
);

describe('grapheme boundaries', () => {
  it('equal the segmenter on every pair and triple it might join', () => {
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 14 }), (list) => {
        const text = list.join('');
        const wanted = boundaries(text);
        for (let unit = 0; unit <= text.length; unit += 1)
          expect(isGraphemeBoundary(text, unit), `${JSON.stringify(text)} at ${unit}`).toBe(wanted.has(unit));
      }),
      { numRuns: 1_500 },
    );
  });

  it('equal the segmenter on arbitrary text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
        const wanted = boundaries(text);
        for (let unit = 0; unit <= text.length; unit += 1) expect(isGraphemeBoundary(text, unit)).toBe(wanted.has(unit));
      }),
      { numRuns: 1_500 },
    );
  });

  it('hold for every code point between plain neighbours', () => {
    const wrong: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += code < 0x3000 ? 1 : 101) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      for (const text of [`a${String.fromCodePoint(code)}`, `${String.fromCodePoint(code)}漢`]) {
        const unit = text.startsWith('a') ? 1 : text.length - 1;
        if (isGraphemeBoundary(text, unit) !== boundaries(text).has(unit)) wrong.push(text);
      }
    }
    for (const left of '漢カあ각👩👍жa𠀀')
      for (const right of '漢カあ각👩👍жa𠀀') if (!isGraphemeBoundary(left + right, left.length)) wrong.push(left + right);
    expect(wrong).toEqual([]);
  });

  it('pairs regional indicators from the start of their run', () => {
    const flags = `x${'🇩🇪'.repeat(20)}`;
    expect(isGraphemeBoundary(flags, 1 + 4 * 7)).toBe(true);
    expect(isGraphemeBoundary(flags, 1 + 4 * 7 + 2)).toBe(false);
  });

  it('decides beyond its walk as if the text began there, in bounded time', () => {
    const marks = `a${'\u0301'.repeat(200_000)}b`;
    const started = process.cpuUsage();
    expect(isGraphemeBoundary(marks, 150_000)).toBe(false);
    expect(isGraphemeBoundary(marks, marks.length - 1)).toBe(true);
    const flags = '🇩🇪'.repeat(GRAPHEME_WALK);
    expect(isGraphemeBoundary(flags, 2 * GRAPHEME_WALK)).toBe(true);
    expect(isGraphemeBoundary(flags, 2 * GRAPHEME_WALK + 2)).toBe(true);
    const joined = (count: number): string => `👩${'\u0301'.repeat(count)}\u200d👩`;
    expect(isGraphemeBoundary(joined(GRAPHEME_WALK - 4), GRAPHEME_WALK - 1)).toBe(false);
    expect(isGraphemeBoundary(joined(GRAPHEME_WALK + 4), GRAPHEME_WALK + 7)).toBe(true);
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });
});
