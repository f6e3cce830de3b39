import { applyPatch, parsePatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planUnifiedDiff } from '../../src/service/submission/unified-diff.ts';

const ALL = 1e9;
const inside = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;
const whole = (before: string, after: string): string => planUnifiedDiff(before, after).cut(ALL).text;

test.each([
  ['a\nb\nc\n', 'a\nB\nc\n'],
  ['a\nb\nc', 'a\nb\nc\n'],
  ['a\nb\nc\n', 'a\nb\nc'],
  ['', 'a\n'],
  ['', 'a'],
  ['a\n', ''],
  ['a', ''],
  ['a', 'b'],
  ['x\n'.repeat(50), `${'x\n'.repeat(20)}y\n${'x\n'.repeat(30)}`],
  ['\n\n', '\n'],
  ['\u2028\n\u0085\n', '\u2028\n\v\n'],
])('applies to the one text and gives the other: %j', (before, after) => {
  const plan = planUnifiedDiff(before, after);
  const { text, omitted } = plan.cut(ALL);
  expect({ omitted, coarse: plan.coarse }).toEqual({ omitted: null, coarse: false });
  expect(applyPatch(before, text)).toBe(after);
});

test('beyond the search bound it is coarse, never wrong', () => {
  const lines = (prefix: string): string => Array.from({ length: 3000 }, (_, i) => `${prefix}${i}`).join('\n');
  const before = `head\n${lines('a')}\ntail\n`;
  for (const after of [`head\n${lines('b')}\ntail\n`, `head\n${lines('b')}\ntail`, lines('c'), `${lines('d')}\nhead\n`]) {
    const plan = planUnifiedDiff(before, after);
    expect(plan.coarse).toBe(true);
    expect(applyPatch(before, plan.cut(ALL).text)).toBe(after);
  }
});

test('equal texts have no diff', () => {
  expect(planUnifiedDiff('a', 'a').cut(ALL)).toEqual({ text: '', omitted: null });
});

describe('a budget', () => {
  const line = fc.constantFrom('a', 'b', 'b', '"\\"', '\u0001', '😀😀', 'é', '', 'x'.repeat(40));
  const text = fc
    .tuple(fc.array(line, { maxLength: 60 }), fc.boolean())
    .map(([lines, ended]) => lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''));

  test('is kept at every size; what is shown applies, and what is not is counted', () => {
    fc.assert(
      fc.property(text, text, fc.nat({ max: 1200 }), (before, after, budget) => {
        const full = whole(before, after);
        const plan = planUnifiedDiff(before, after);
        const { text: shown, omitted } = plan.cut(budget);
        expect(inside(shown)).toBeLessThanOrEqual(budget);
        expect(applyPatch(before, full)).toBe(after);
        expect(plan.total).toEqual({
          hunks: parsePatch(full)[0]?.hunks.length ?? 0,
          lines: full.split('\n').length - 1,
          bytes: Buffer.byteLength(full),
        });
        expect(omitted === null).toBe(shown === full);
        if (omitted === null) return;
        expect(inside(full)).toBeGreaterThan(budget);
        // Whoever takes the shown part for the whole gets its changes and no error.
        expect(applyPatch(before, shown)).not.toBe(false);
        const shownLines = shown.split('\n').slice(0, -1);
        const fullLines = full.split('\n').slice(0, -1);
        const kept = shownLines.length === 0 ? 0 : fullLines.length - omitted.lines;
        expect(shownLines.length).toBe(kept);
        const unlike = shownLines.filter((each, at) => each !== fullLines[at]);
        // Only the header of a hunk that was cut differs from the whole diff.
        expect(unlike.length).toBeLessThanOrEqual(1);
        for (const each of unlike) expect(each.startsWith('@@ ')).toBe(true);
        expect(omitted.bytes).toBe(
          Buffer.byteLength(
            fullLines
              .slice(kept)
              .map((each) => `${each}\n`)
              .join(''),
          ),
        );
        const wholeHunks = parsePatch(shown)[0]?.hunks.length ?? 0;
        expect([wholeHunks, wholeHunks - 1]).toContain(plan.total.hunks - omitted.hunks);
      }),
      { numRuns: 3_000 },
    );
  });

  test('of exactly the whole diff leaves nothing out, and one byte less does', () => {
    const before = Array.from({ length: 100 }, (_, i) => `line ${i}\n`).join('');
    const after = before.replaceAll('line', 'zéro "\\"');
    const full = whole(before, after);
    expect(planUnifiedDiff(before, after).cut(inside(full))).toEqual({ text: full, omitted: null });
    const cut = planUnifiedDiff(before, after).cut(inside(full) - 1);
    expect(cut.omitted).toEqual({ hunks: 1, lines: 1, bytes: Buffer.byteLength('+zéro "\\" 99\n') });
  });

  test('too small for the first changed line shows nothing and counts everything', () => {
    const plan = planUnifiedDiff(`a\n${'x'.repeat(5000)}\n`, `a\n${'y'.repeat(5000)}\n`);
    expect(plan.cut(4000)).toEqual({ text: '', omitted: plan.total });
    expect(plan.total).toMatchObject({ hunks: 1, lines: 6 });
  });
});
