import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyTransaction, decodeSubmission, prepareSubmission, profileOf } from '../../src/transaction/index.ts';
import type { JsonObject, Warning } from '../../src/transaction/index.ts';
import { operations } from './helpers.ts';
import { applyReference, sha256 } from './reference.ts';

/** One code point and where it came from: its place in the starting text, or a number of its own when a change typed it. */
interface Cell {
  char: string;
  origin: number;
}

const lf = (text: string): string => text.replace(/\r\n?/g, '\n');
const textOf = (cells: readonly Cell[]): string => cells.map(({ char }) => char).join('');
const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Whether this code point of a text begins no extended grapheme cluster: by segmenting all of it. */
function isInside(cells: readonly Cell[], point: number): boolean {
  const unit = textOf(cells.slice(0, point)).length;
  const text = textOf(cells);
  return unit < text.length && ![...segmenter.segment(text)].some(({ index }) => index === unit);
}

/** Starts of all occurrences, overlapping ones too, in code points. */
function occurrences(text: readonly string[], wanted: readonly string[]): number[] {
  return [...text.keys()].filter((start) => wanted.every((char, at) => text[start + at] === char));
}

/** The contract's table of warnings, read literally, cell by cell. `facts` say where each change struck. */
function expectedWarnings(start: string, list: readonly JsonObject[], facts: readonly Record<string, unknown>[]): Warning[] {
  const points = [...start];
  let cells: Cell[] = points.map((char, origin) => ({ char, origin }));
  let typed = points.length;
  const warnings: Warning[] = [];
  for (const [position, item] of list.entries()) {
    const change_id = `chg_${String(position + 1).padStart(3, '0')}`;
    const { span_start: from, span_end: to } = facts[position] as { span_start: number; span_end: number };
    const chosen = cells.slice(from, to);
    const replacement = lf(item['replace'] as string);
    if (textOf(chosen) === replacement) warnings.push({ code: 'no_op_change', change_id });
    const index = item['occurrence_index'] as number | undefined;
    if (index !== undefined) {
      const origin = occurrences(points, [...lf(item['match'] as string)])[index - 1];
      const isMapped = origin !== undefined && chosen.every((cell, at) => cell.origin === origin + at);
      if (!isMapped) warnings.push({ code: 'occurrence_index_basis_shift', change_id });
    }
    if (isInside(cells, from) || isInside(cells, to)) warnings.push({ code: 'grapheme_boundary_split', change_id });
    // A change that changes nothing types nothing.
    if (textOf(chosen) === replacement) continue;
    const added = [...replacement].map((char) => ({ char, origin: (typed += 1) }));
    cells = [...cells.slice(0, from), ...added, ...cells.slice(to)];
  }
  if (textOf(cells) === start) warnings.push({ code: 'no_op_transaction', change_id: null });
  return warnings;
}

const plan = fc.record({
  kind: fc.constantFrom('index', 'index', 'match', 'span'),
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  length: fc.integer({ min: 1, max: 5 }),
  /** Seldom another text: most of what is interesting goes away and comes back. */
  replace: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 5, arbitrary: fc.nat({ max: 8 }) }),
});
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

/** Operations that apply one after the other, each made for the text that the ones before leave. */
function realize(start: string, plans: readonly Plan[], pieces: readonly string[]): JsonObject[] {
  const list: JsonObject[] = [];
  let now = start;
  for (const { kind, at, length, replace } of plans) {
    const points = [...now];
    const from = Math.floor(at * points.length);
    const text = points.slice(from, from + length).join('');
    if (text === '' && kind !== 'span') continue;
    const found = occurrences(points, [...text]);
    const selector = kind === 'index' ? { occurrence_index: found.indexOf(from) + 1 } : {};
    if (kind === 'match' && found.length !== 1) continue;
    const replacement = replace === null ? text : (pieces[replace % pieces.length] ?? '');
    const end = Math.min(points.length, from + length);
    list.push(
      kind === 'span'
        ? { op: 'span', start: from, end, expected_text: text, replace: replacement }
        : { op: 'match', match: text.replaceAll('\n', '\r\n'), replace: replacement, ...selector },
    );
    now = [...points.slice(0, from), ...lf(replacement), ...points.slice(end)].join('');
  }
  return list;
}

function check(start: string, list: JsonObject[], indexedChanges: number): Warning[] {
  const submission = prepareSubmission('patchdiff-tx/2', operations(...list));
  const decoded = decodeSubmission(submission);
  if (!decoded.ok) expect.fail(decoded.fault.detail);
  const result = applyTransaction(start, decoded.transaction, profileOf(submission.record), sha256, { indexedChanges });
  const reference = applyReference(start, list as never);
  if (!result.ok || 'code' in reference) expect.fail('every operation was made to apply');
  expect(result.warnings).toEqual(expectedWarnings(start, list, reference.facts));
  return result.warnings;
}

describe('warnings equal a literal reading', () => {
  for (const indexedChanges of [0, 1_000]) {
    it(`of texts that repeat, are consumed and come back, ${indexedChanges === 0 ? 'through the index' : 'by reading'}`, () => {
      const pieces = ['', 'a', 'b', 'ab', 'aab', '\r\n', 'abab', 'c'];
      const alphabet = fc.constantFrom('a', 'b', 'ab', '\n', '😀');
      // Nine repeats make the texts long enough for the index.
      const content = fc.oneof(
        fc.array(alphabet, { maxLength: 14 }).map((parts) => parts.join('')),
        fc.array(alphabet, { maxLength: 6 }).map((parts) => parts.join('').repeat(9)),
      );
      const seen = new Map<string, number>();
      fc.assert(
        fc.property(content, fc.array(plan, { minLength: 1, maxLength: 8 }), fc.boolean(), (start, plans, isLong) => {
          const widened = isLong ? plans.map((each) => ({ ...each, length: each.length + 8 })) : plans;
          const list = realize(start, widened, pieces);
          if (list.length === 0) return;
          for (const { code } of check(start, list, indexedChanges)) seen.set(code, (seen.get(code) ?? 0) + 1);
        }),
        { numRuns: 2_000 },
      );
      for (const code of ['no_op_change', 'occurrence_index_basis_shift', 'no_op_transaction'])
        expect(seen.get(code) ?? 0, code).toBeGreaterThan(50);
    });
  }

  it('of clusters that every rule of UAX #29 makes', () => {
    const parts = ['👩', '\u200d', '🏽', '\ufe0f', '🇩', '🇪', '🇫', 'ᄀ', 'ᅡ', 'ᆨ', '가', '각', 'क', '\u094d', 'ष', '\u0301'];
    const more = ['\u0600', '\u{110bd}', '1', '\u20e3', '🏴', '\u{e0067}', '\u{e007f}', '\u0e33', '\u200c', 'a', '\n', '\u00ad', '漢'];
    const pieces = [...parts, ...more, ''];
    const content = fc.array(fc.constantFrom(...parts, ...more), { minLength: 1, maxLength: 20 }).map((list) => list.join(''));
    let splits = 0;
    fc.assert(
      fc.property(content, fc.array(plan, { minLength: 1, maxLength: 6 }), (start, plans) => {
        const list = realize(start, plans, pieces);
        if (list.length === 0) return;
        splits += check(start, list, 1_000).filter(({ code }) => code === 'grapheme_boundary_split').length;
      }),
      { numRuns: 2_000 },
    );
    expect(splits).toBeGreaterThan(500);
  });
});

describe('what an occurrence index counts', () => {
  const shifted = (start: string, ...list: JsonObject[]): boolean =>
    check(start, list, 1_000).some(({ code }) => code === 'occurrence_index_basis_shift');
  const match = (text: string, replace: string, index?: number): JsonObject => ({
    op: 'match',
    match: text,
    replace,
    ...(index === undefined ? {} : { occurrence_index: index }),
  });
  const span = (start: number, end: number, text: string, replace: string): JsonObject => ({
    op: 'span',
    start,
    end,
    expected_text: text,
    replace,
  });

  it.each<[string, boolean, string, JsonObject[]]>([
    ['nothing was changed before', false, 'ab ab', [match('ab', 'x', 2)]],
    ['text before it grew', false, 'ab ab', [span(0, 0, '', 'zz'), match('ab', 'x', 2)]],
    ['a match before it was removed', true, 'ab ab ab', [match('ab', 'x', 1), match('ab', 'y', 1)]],
    ['a match before it was made', true, 'ab', [span(0, 0, '', 'ab'), match('ab', 'x', 1)]],
    ['a match after it was removed', false, 'ab ab', [match('ab', 'x', 2), match('ab', 'y', 1)]],
    ['the count is beyond the starting text', true, 'ab', [span(2, 2, '', 'ab'), match('ab', 'x', 2)]],
    ['one was removed and one made: another is meant', true, 'ab ab', [match('ab', 'x', 1), span(0, 0, '', 'ab'), match('ab', 'y', 1)]],
    ['its first character was typed anew', true, 'ab', [span(0, 1, 'a', 'x'), span(0, 1, 'x', 'a'), match('ab', 'y', 1)]],
    ['its middle was typed anew', true, 'abc', [span(1, 2, 'b', 'x'), span(1, 2, 'x', 'b'), match('abc', 'y', 1)]],
    ['something came between and went away again', false, 'ab', [span(1, 1, '', 'x'), span(1, 2, 'x', ''), match('ab', 'y', 1)]],
    ['it was replaced by itself', false, 'ab', [match('ab', 'ab'), match('ab', 'y', 1)]],
  ])('%s: %s', (_, isShifted, start, list) => {
    expect(shifted(start, ...list)).toBe(isShifted);
  });
});
