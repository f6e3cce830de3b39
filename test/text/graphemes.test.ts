import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GRAPHEME_WALK, isGraphemeBoundary } from '../../src/text/index.ts';

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

function boundaries(text: string): Set<number> {
  return new Set([...[...segmenter.segment(text)].map(({ index }) => index), 0, text.length]);
}

/** Parts that the rules of UAX #29 join in every way they know; CR and LF stand apart in them, as canonical text has no CR. */
const PARTS = [
  ...['a', ' ', '\r', '\n', '\t', '\u00ad', '漢', 'カ', 'ж', '–', '\ufeff', '\u200b', '\u2028'],
  // Marks, joiners, variation selectors, keycaps, tags.
  ...['\u0301', '\u200d', '\u200c', '\ufe0e', '\ufe0f', '1', '#', '\u20e3', '\u{e0061}', '\u{e0067}', '\u{e007f}'],
  // Pictographs and what modifies them; regional indicators.
  ...['👩', '👍', '🏽', '🏿', '❤', '©', '🏴', '🇩', '🇪', '\u{1f1e6}'],
  // Jamo and syllables, old ones too.
  ...['ᄀ', '\u115f', 'ᅡ', '\u11a2', 'ᆨ', '가', '각', '\ua960', '\ud7b0', '\ud7cb'],
  // Conjuncts, spacing marks and prefixed signs of Indic scripts.
  ...[
    'क',
    'ष',
    'ক',
    'ക',
    '\u094d',
    '\u09cd',
    '\u0d4d',
    '\u093c',
    '\u0903',
    '\u0e33',
    '\u0600',
    '\u06dd',
    '\u0d4e',
    '\u{110bd}',
    '\u{111c2}',
  ],
];
const parts = fc.constantFrom(...PARTS);

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

  it('equal the segmenter on every pair and every triple of the parts', () => {
    const wrong: string[] = [];
    const hold = (text: string): void => {
      const wanted = boundaries(text);
      for (let unit = 0; unit <= text.length; unit += 1)
        if (isGraphemeBoundary(text, unit) !== wanted.has(unit)) wrong.push(`${text}@${unit}`);
    };
    for (const first of PARTS) for (const second of PARTS) hold(first + second);
    // What can join at all, in threes.
    const joining = PARTS.slice(13);
    for (const first of joining)
      for (const second of joining)
        for (const third of joining.filter((_, at) => at % 3 === first.length % 3)) hold(first + second + third);
    expect(wrong).toEqual([]);
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

  it('pair regional indicators from the start of their run', () => {
    for (const before of ['x', '', '漢', '\n', '\u0301']) {
      for (let count = 1; count <= 9; count += 1) {
        const text = before + '🇩'.repeat(count) + 'x';
        const wanted = boundaries(text);
        for (let unit = 0; unit <= text.length; unit += 1) expect(isGraphemeBoundary(text, unit)).toBe(wanted.has(unit));
      }
    }
  });
});

describe('beyond the walk, a text counts as if it began there', () => {
  const MARK = '\u0301';

  it('after 1,024 units, as the contract says', () => {
    expect(GRAPHEME_WALK).toBe(1024);
  });

  it('in a run of marks every place is inside a cluster, the end of the run is not', () => {
    const marks = `a${MARK.repeat(200_000)}b`;
    for (const unit of [2, GRAPHEME_WALK, GRAPHEME_WALK + 1, 150_000, marks.length - 2])
      expect(isGraphemeBoundary(marks, unit)).toBe(false);
    expect(isGraphemeBoundary(marks, marks.length - 1)).toBe(true);
  });

  it('regional indicators are paired from there, so a longer run of odd offset is told wrongly', () => {
    // Exact as long as the walk reaches the start of the run: 1,024 units are 512 of them.
    const reached = `x${'🇩'.repeat(2 * GRAPHEME_WALK)}`;
    const wanted = boundaries(reached.slice(0, 1 + GRAPHEME_WALK));
    for (let unit = 1; unit < GRAPHEME_WALK; unit += 2) expect(isGraphemeBoundary(reached, unit)).toBe(wanted.has(unit));
    expect(isGraphemeBoundary(reached, 1 + GRAPHEME_WALK + 4)).toBe(true);
    // In truth inside a pair, as the odd number before it says; documented in docs/spec/decoding.md.
    expect(isGraphemeBoundary(reached, 1 + GRAPHEME_WALK + 6)).toBe(true);
  });

  it('pictographs joined over more marks than that count as two clusters', () => {
    const joined = (count: number): string => `👩${MARK.repeat(count)}\u200d👩`;
    expect(isGraphemeBoundary(joined(GRAPHEME_WALK - 4), GRAPHEME_WALK - 1)).toBe(false);
    expect(isGraphemeBoundary(joined(GRAPHEME_WALK + 4), GRAPHEME_WALK + 7)).toBe(true);
  });

  it('consonants of one conjunct likewise', () => {
    const conjunct = (count: number): string => `क${'\u093c'.repeat(count)}\u094dष`;
    const isOne = boundaries('क\u094dष').size === 2;
    expect(isGraphemeBoundary(conjunct(100), 102)).toBe(!isOne);
    expect(isGraphemeBoundary(conjunct(GRAPHEME_WALK + 4), GRAPHEME_WALK + 6)).toBe(true);
  });
});
