import { describe, expect, it } from 'vitest';
import { countOccurrences, lastOccurrence } from '../../src/text/index.ts';
import { applyTransaction, decodeSubmission, evaluate, prepareSubmission, profileOf } from '../../src/transaction/index.ts';
import type { JsonObject } from '../../src/transaction/index.ts';
import { edits, operations } from './helpers.ts';
import { sha256 } from './reference.ts';

/** Processor time, so that a loaded machine counts as any other; the bounds are far below what a quadratic path takes. */
function within<T>(milliseconds: number, work: () => T): T {
  const started = process.cpuUsage();
  const result = work();
  const { user } = process.cpuUsage(started);
  expect(user / 1_000).toBeLessThan(milliseconds);
  return result;
}

const LINES = 20_000;
const lineOf = (at: number, letter: string): string => `line ${String(at).padStart(6, '0')}: ${letter} quick brown fox jumps over it\n`;
const document = (letter: string): string => Array.from({ length: LINES }, (_, at) => lineOf(at, letter)).join('');

function apply(content: string, args: JsonObject, indexedChanges?: number) {
  const submission = prepareSubmission('patchdiff-tx/2', args);
  const decoded = decodeSubmission(submission);
  if (!decoded.ok) expect.fail(decoded.fault.detail);
  return applyTransaction(
    content,
    decoded.transaction,
    profileOf(submission.record),
    sha256,
    indexedChanges === undefined ? {} : { indexedChanges },
  );
}

describe('cost', () => {
  for (const letter of ['a', '漢', '😀']) {
    const content = document(letter);
    const matches = Array.from({ length: 2_000 }, (_, at) => ({
      op: 'match',
      match: lineOf(at * 10, letter),
      replace: `replaced ${at} ${letter}\n`,
    }));

    it(`2,000 matches in a text of 1 MB with ${letter}, and the index finds what reading finds`, () => {
      const indexed = within(1_500, () => apply(content, operations(...matches)));
      const few = operations(...matches.filter((_, at) => at % 40 === 0));
      expect(apply(content, few, 0)).toEqual(apply(content, few, Infinity));
      expect(indexed.ok && indexed.changes.length).toBe(2_000);
    });

    it(`2,000 spans in a text of 1 MB with ${letter}`, () => {
      const length = [...lineOf(0, letter)].length;
      const spans = Array.from({ length: 2_000 }, (_, at) => {
        const line = (1_999 - at) * 10;
        return { op: 'span', start: line * length, end: (line + 1) * length, expected_text: lineOf(line, letter), replace: 'x' };
      });
      expect(within(1_500, () => apply(content, operations(...spans))).ok).toBe(true);
    });
  }

  it('a text consumed by one of 2,000 changes', () => {
    const content = document('a');
    const list = Array.from({ length: 1_999 }, (_, at) => ({ match: lineOf(at * 10, 'a'), replace: `replaced ${at}\n` }));
    const submission = prepareSubmission('patchdiff-tx/1', edits(...list, { match: 'line 019500: a', replace: '' }));
    const evaluation = within(2_000, () => evaluate(submission, content, sha256));
    expect(evaluation.verdict === 'rejected' && evaluation.fault.evidence['consumed_match']).toMatchObject({ ordinal: 1_951 });
  });

  it('counting in periodic text', () => {
    const text = 'a'.repeat(1_000_000);
    const half = 'a'.repeat(32_768);
    for (const wanted of [`${half}b`, `b${half}`, `${half}b${half}`, `${'a'.repeat(31)}b`, 'ab'.repeat(20_000)]) {
      expect(within(1_000, () => countOccurrences(text, wanted))).toBe(0);
      expect(within(1_000, () => lastOccurrence(text, wanted))).toBeNull();
    }
    expect(within(1_000, () => countOccurrences(text, half))).toBe(1_000_000 - 32_768 + 1);
    expect(within(1_000, () => lastOccurrence(text, half))).toBe(1_000_000 - 32_768);
    expect(within(1_500, () => countOccurrences(text, 'a'))).toBe(1_000_000);
    expect(within(1_000, () => countOccurrences('ab'.repeat(500_000), 'ab'.repeat(30_000)))).toBe(470_001);
  });

  it('an ambiguous match in periodic text', () => {
    const submission = prepareSubmission('patchdiff-tx/1', edits({ match: 'a'.repeat(65_536), replace: '' }));
    const evaluation = within(1_000, () => evaluate(submission, 'a'.repeat(4_000_000), sha256));
    expect(evaluation.verdict === 'rejected' && evaluation.fault.evidence).toMatchObject({
      candidate_count: 1_000,
      candidate_count_capped: true,
    });
  });

  it('a submission nested a million levels deep', () => {
    const args = JSON.parse(`{"edits":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)},"expected_target_version":0}`) as JsonObject;
    const evaluation = within(4_000, () => evaluate(prepareSubmission('patchdiff-tx/1', args), '', sha256));
    expect(evaluation.verdict === 'rejected' && evaluation.fault.code).toBe('payload_too_deep');
  });
});
