import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines } from '../../src/text/index.ts';
import type { LineChange, LineDiffLimits } from '../../src/text/index.ts';

const split = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** The new text as the changes say it, with every member of every change checked on the way. */
function rebuilt(before: string, after: string, changes: readonly LineChange[]): string {
  const [old, fresh] = [split(before), split(after)];
  const out: string[] = [];
  let at = 0;
  for (const [index, change] of changes.entries()) {
    const { oldLine, oldLines, oldFrom, oldTo, newLine, newLines, newFrom, newTo } = change;
    expect(oldLines + newLines).toBeGreaterThan(0);
    if (index > 0) expect(oldLine).toBeGreaterThan(at);
    out.push(...old.slice(at, oldLine));
    expect(out.length).toBe(newLine);
    expect([oldFrom, oldTo]).toEqual([oldLine, oldLine + oldLines].map((line) => old.slice(0, line).join('').length));
    expect(after.slice(newFrom, newTo)).toBe(fresh.slice(newLine, newLine + newLines).join(''));
    out.push(...fresh.slice(newLine, newLine + newLines));
    at = oldLine + oldLines;
  }
  return [...out, ...old.slice(at)].join('');
}

/** Lines in no longest common subsequence, by the textbook's table. */
function shortestScript(before: string, after: string): number {
  const [old, fresh] = [split(before), split(after)];
  let row = Array.from({ length: fresh.length + 1 }, () => 0);
  for (const line of old) {
    const next = [0];
    for (const [at, other] of fresh.entries()) next.push(line === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    row = next;
  }
  return old.length + fresh.length - 2 * (row.at(-1) ?? 0);
}

const editsOf = (changes: readonly LineChange[]): number => changes.reduce((sum, { oldLines, newLines }) => sum + oldLines + newLines, 0);
const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', '😀\n', 'é', 'a'), { maxLength: 24 }).map((parts) => parts.join(''));

describe('the lines in which two texts differ', () => {
  it('make the one text of the other, by the shortest script', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { changes, coarse } = diffLines(before, after);
        expect(rebuilt(before, after, changes)).toBe(after);
        expect(coarse).toBe(false);
        expect(editsOf(changes)).toBe(shortestScript(before, after));
      }),
      { numRuns: 4_000 },
    );
  });

  it('are right within whatever limits', () => {
    const limits = fc.record({ lines: fc.nat({ max: 30 }), edits: fc.nat({ max: 12 }), work: fc.nat({ max: 120 }) });
    fc.assert(
      fc.property(text, text, limits, (before, after, given) => {
        const { changes, coarse, work } = diffLines(before, after, given);
        expect(rebuilt(before, after, changes)).toBe(after);
        if (!coarse) expect(editsOf(changes)).toBe(shortestScript(before, after));
        // One run of equal lines may still be finished.
        expect(work).toBeLessThanOrEqual(given.work + 30);
      }),
      { numRuns: 4_000 },
    );
  });

  it('are found beyond the limit of edits between lines that occur once', () => {
    const lines = (mark: (line: number) => string): string =>
      Array.from({ length: 9_000 }, (_, line) => `${line % 3 === 0 ? mark(line) : `kept ${line}`}\n`).join('');
    const { changes, coarse } = diffLines(
      lines((line) => `old ${line}`),
      lines((line) => `new ${line}`),
    );
    expect(coarse).toBe(true);
    expect(changes).toHaveLength(3_000);
    expect(editsOf(changes)).toBe(6_000);
  });
});

describe('hostile texts cost a bounded number of comparisons', () => {
  const WORK = 1 << 24;
  const MIB = 1 << 20;
  const line = (number: number): string => `${number.toString(36)}\n`;
  const pseudo = (seed: number): ((at: number) => string) => {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 16) % 2 === 0 ? 'a\n' : 'b\n';
    };
  };
  const many = (count: number, at: (line: number) => string): string => Array.from({ length: count }, (_, each) => at(each)).join('');
  const blocks = (mark: string): string => many(500, (each) => `${'a\n'.repeat(400)}${mark}${each}\n`);
  it.each<[string, string, string, Partial<LineDiffLimits>]>([
    ['nothing in common', many(150_000, (at) => line(at)), many(150_000, (at) => line(at + 200_000)), {}],
    ['two letters at random', many(260_000, pseudo(1)), many(260_000, pseudo(2)), {}],
    ['blocks of equal lines between differing ones', blocks('x'), blocks('y'), {}],
    ['more lines than are looked at', `x${'\n'.repeat(MIB)}x`, `y${'\n\n'.repeat(MIB / 2 + 7)}y`, {}],
    ['one long line', 'x'.repeat(MIB), 'y'.repeat(MIB), {}],
    ['one line moved through equal ones', `m\n${'a\n'.repeat(250_000)}`, `${'a\n'.repeat(250_000)}m\n`, {}],
  ])('%s', (_, before, after, limits) => {
    const { changes, work } = diffLines(before, after, limits);
    expect(work).toBeLessThanOrEqual(WORK + Math.min(1 << 18, before.length));
    let at = 0;
    const out: string[] = [];
    for (const { oldFrom, oldTo, newFrom, newTo } of changes) {
      out.push(before.slice(at, oldFrom), after.slice(newFrom, newTo));
      at = oldTo;
    }
    out.push(before.slice(at));
    expect(out.join('') === after).toBe(true);
  });
});
