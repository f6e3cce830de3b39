import { describe, expect, it } from 'vitest';
import { CodePointIndex } from '../../src/text/index.ts';
import { explainMiss } from '../../src/nearmiss/explain.ts';
import { Places } from '../../src/nearmiss/place.ts';
import type { Explanation, NearMissOptions } from '../../src/nearmiss/index.ts';

/** The largest document, in units. */
const N = 1 << 24;
/** What all looks of one explanation may fold and compare together: 20 Mi and 0.5 Mi units, and the last comparison to its end. */
const MOST = (20 << 20) + (1 << 20);

const explain = (buffer: string, query: string, options: NearMissOptions = {}): Explanation | null =>
  explainMiss({ index: new CodePointIndex(buffer), query, hits: [], options });

function workOf(buffer: string, query: string): number {
  const places = new Places(buffer);
  places.narrowest([query], [{ start: 0, end: buffer.length }]);
  return places.work;
}

describe('the work of an explanation is bounded whatever the texts hold', () => {
  const blanks = ' '.repeat(N);
  const letters = 'a'.repeat(N);
  const marks = `e${'\u0301\u0323'.repeat((1 << 23) - 1)}`;
  const gaps = `a${' '.repeat(4000)}b`.repeat(Math.floor(N / 4002));
  const spelled = '\\n&lt;'.repeat(Math.floor(N / 6));
  const ligatures = '\uFDFA'.repeat(N);
  const emoji = '😀'.repeat(N / 2);

  it.each([
    { name: 'only blanks', buffer: blanks, query: 'a b' },
    { name: 'one letter, a query that nearly ends right', buffer: letters, query: `${'a'.repeat(65_535)}b` },
    { name: 'one letter, in another case', buffer: letters, query: 'A'.repeat(65_536) },
    { name: 'marks out of order', buffer: marks, query: `e${'\u0323\u0301'.repeat(32_000)}` },
    { name: 'wide gaps', buffer: gaps, query: 'a b' },
    { name: 'wide gaps around a long query', buffer: gaps, query: 'a b '.repeat(16_000) },
    { name: 'ligatures of many letters', buffer: ligatures, query: '\uFDFA'.repeat(3000).normalize('NFKD') },
    { name: 'astral code points', buffer: emoji, query: '😀 '.repeat(32_768) },
  ])('$name', ({ buffer, query }) => {
    expect(workOf(buffer, query)).toBeLessThanOrEqual(MOST);
  });

  it('and what is found within the bound is still right', () => {
    expect(explain(blanks, 'a b')).toBeNull();
    expect(explain(letters, `12| ${'a'.repeat(60_000)}b`)).toBeNull();
    expect(explain(letters, 'A'.repeat(65_536))).toMatchObject({ kind: 'case', start: 0, end: 65_536, line: 1 });
    expect(explain(spelled, '\n<\n>')).toBeNull();
    expect(explain(gaps, 'a b')).toMatchObject({ kind: 'whitespace', start: 0, end: 4002 });
  });

  it('also where spans and replacements are looked for in periodic text', () => {
    const text = `${'a'.repeat(65_535)}b`;
    const span = { start: 5, end: 6, text, before: '', after: '', differs: 'text' } as const;
    expect(explain(letters, text, { span, replacement: `${'a'.repeat(65_535)}c` })).toBeNull();
    const few = { ...span, text: 'aa' };
    expect(explain(letters, 'aa', { span: few })).toMatchObject({ kind: 'elsewhere', shift: 0, end: 7, occurrence_count: 1000 });
  });

  it('a run of marks that would cost its square to order is not ordered', () => {
    const buffer = `x${'\u0301\u0323'.repeat(30_000)}y`;
    const query = `x${'\u0323\u0301'.repeat(30_000)}y`;
    expect(query.length).toBeLessThan(65_536);
    expect(explain(buffer, query)).toBeNull();
  });

  it('and the sentence stays short however much differs', () => {
    const runs = ' \t'.repeat(5000);
    const found = explain(`a${runs}b c\n`, 'a b\tc')!;
    expect(found.kind).toBe('whitespace');
    const quotes = Array.from({ length: 300 }, (_, i) => String.fromCodePoint(0xff21 + (i % 26))).join('');
    const wide = explain(quotes.normalize('NFKC'), quotes)!;
    expect(wide.kind).toBe('unicode_compatibility');
    for (const { message, expected, actual } of [found, wide]) {
      expect(message.length).toBeLessThan(400);
      expect(expected.length).toBeLessThanOrEqual(518);
      expect(actual.length).toBeLessThanOrEqual(518);
    }
  });
});
