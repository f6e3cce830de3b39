import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/transaction/index.ts';
import type { JsonObject } from '../../src/transaction/index.ts';
import { accept, argsOf, edits, operations, reject } from './helpers.ts';
import { sha256 } from './reference.ts';

const TX1 = 'patchdiff-tx/1';
const TX2 = 'patchdiff-tx/2';
const TX3 = 'patchdiff-tx/3';

describe('an accepted transaction', () => {
  it('never reads replacement text as a pattern', () => {
    const hostile = '$$5 $& $1 $<n> \\1 %s {path}';
    expect(accept(TX1, edits({ match: 'SLOT', replace: hostile }), 'price: SLOT\n').content).toBe(`price: ${hostile}\n`);
    expect(accept(TX2, operations({ op: 'span', start: 0, end: 1, expected_text: 'k', replace: hostile }), 'k k').content).toBe(
      `${hostile} k`,
    );
    expect(accept(TX3, argsOf({ replacement: hostile }), 'k').content).toBe(hostile);
  });

  it('gives facts in code points and resolved starts in bytes of the buffer at each change', () => {
    const applied = accept(TX1, edits({ match: 'é', replace: '漢漢' }, { match: '😀', replace: '' }), 'é😀x');
    expect(applied).toEqual({
      ok: true,
      content: '漢漢x',
      afterHash: sha256('漢漢x'),
      changes: [
        {
          ordinal: 1,
          change_id: 'chg_001',
          operation: 'match',
          span_start: 0,
          span_end: 1,
          matched_chars: 1,
          replacement_chars: 2,
          matched_sha256: sha256('é'),
          replacement_sha256: sha256('漢漢'),
        },
        {
          ordinal: 2,
          change_id: 'chg_002',
          operation: 'match',
          span_start: 2,
          span_end: 3,
          matched_chars: 1,
          replacement_chars: 0,
          matched_sha256: sha256('😀'),
          replacement_sha256: sha256(''),
        },
      ],
      resolvedStarts: [0, 6],
      warnings: [],
    });
    expect(Object.keys(applied.changes[0] ?? {})).toEqual([
      'ordinal',
      'change_id',
      'operation',
      'span_start',
      'span_end',
      'matched_chars',
      'replacement_chars',
      'matched_sha256',
      'replacement_sha256',
    ]);
  });

  it('canonicalises content, match, replacement, anchors and expected texts', () => {
    expect(accept(TX1, edits({ match: 'a\r\nb', replace: 'c\rd', anchor_before: '\r' }), '\r\na\r\nb\rx').content).toBe('\nc\nd\nx');
    const span = { op: 'span', start: 1, end: 2, expected_text: '\r\n', expected_before: 'a', expected_after: 'b', replace: '\r\n\r' };
    expect(accept(TX2, operations(span), 'a\r\nb').content).toBe('a\n\nb');
  });

  it('inserts, empties and fills', () => {
    expect(accept(TX2, operations({ op: 'span', start: 0, end: 0, expected_text: '', replace: 'x' }), '').content).toBe('x');
    expect(accept(TX1, edits({ match: 'only\n', replace: '' }), 'only\n')).toMatchObject({ content: '', afterHash: sha256('') });
    expect(accept(TX3, argsOf({ replacement: '' }), 'all')).toMatchObject({
      content: '',
      changes: [{ operation: 'replace_all', span_start: 0, span_end: 3 }],
      resolvedStarts: [0],
    });
  });

  it('selects by index, by anchors and by both', () => {
    const text = '[x] a x (x) b x';
    const select = (more: JsonObject): number | undefined =>
      accept(TX1, edits({ match: 'x', replace: 'y', ...more }), text).changes[0]?.span_start;
    expect(select({ occurrence_index: 4 })).toBe(14);
    expect(select({ anchor_before: ') b' })).toBe(14);
    expect(select({ anchor_after: '] a' })).toBe(1);
    expect(select({ anchor_before: 'a', anchor_after: '(' })).toBe(6);
    expect(select({ anchor_before: 'a', occurrence_index: 3 })).toBe(9);
  });
});

describe('a rejected transaction', () => {
  it('says what is absent', () => {
    const { fault } = reject(TX1, edits({ match: 'é'.repeat(300), replace: '' }));
    expect(fault).toMatchObject({
      code: 'match_absent',
      reason: 'match_absent',
      stage: 'transaction_applicability',
      failedChangeId: 'chg_001',
      ordinal: 1,
      cut: { kind: 'prefix' },
      detail: 'edits[0].match: the text does not occur',
      evidence: { near_miss_query: 'é'.repeat(256) },
    });
    expect(fault).not.toHaveProperty('path');
  });

  it('says which change consumed a text, also when another came and went between', () => {
    const args = edits(
      { match: 'a', replace: 'b' },
      { match: 'b', replace: 'a' },
      { match: 'a', replace: 'c', change_id: 'eater' },
      { match: 'a', replace: 'd' },
    );
    const { fault, buffer, priorChanges } = reject(TX1, args, 'xay');
    expect(fault).toMatchObject({
      code: 'sequential_match_invalid',
      detail: 'edits[3].match: the text was consumed by change chg_001 of this submission',
      cut: { kind: 'window', point: 1 },
      evidence: { consumed_match: { change_id: 'chg_001', ordinal: 1, span_start: 1, span_end: 2 }, near_miss_query: 'a' },
    });
    expect({ buffer, priorChanges }).toEqual({ buffer: 'xcy', priorChanges: 3 });
  });

  it('calls a text that an earlier change created and removed absent', () => {
    expect(reject(TX1, edits({ match: 'a', replace: 'q' }, { match: 'q', replace: '' }, { match: 'q', replace: '' }), 'a').fault.code).toBe(
      'match_absent',
    );
  });

  it('shows the candidates of an ambiguous match', () => {
    const { fault } = reject(TX1, edits({ match: 'aa', replace: '' }), `${'😀'.repeat(50)}\naaa\n${'é'.repeat(50)}`);
    expect(fault.detail).toBe('edits[0].match: the text occurs 2 times; choose one with occurrence_index or anchors');
    expect(fault.cut).toEqual({ kind: 'window', point: 51 });
    expect(fault.evidence).toEqual({
      exact_candidates: [
        { occurrence_index: 1, start: 51, end: 53, line: 2, before: `${'😀'.repeat(39)}\n`, after: `a\n${'é'.repeat(38)}` },
        { occurrence_index: 2, start: 52, end: 54, line: 2, before: `${'😀'.repeat(38)}\na`, after: `\n${'é'.repeat(39)}` },
      ],
      candidate_count: 2,
    });
  });

  it('counts remaining candidates by their place among all', () => {
    const { fault } = reject(TX1, edits({ match: 'x', replace: '', anchor_before: 'a' }), 'x x a x x x');
    expect(fault.evidence).toMatchObject({
      candidate_count: 3,
      exact_candidates: [{ occurrence_index: 3, start: 6 }, { occurrence_index: 4 }, { occurrence_index: 5 }],
    });
  });

  it('says when selectors leave nothing, even of a single match', () => {
    for (const more of [
      { occurrence_index: 2 },
      { anchor_before: 'z' },
      { anchor_before: 'c' },
      { anchor_after: 'a' },
      { occurrence_index: 1, anchor_after: 'zz' },
    ]) {
      const { fault } = reject(TX1, edits({ match: 'b', replace: '', ...more }));
      expect(fault).toMatchObject({
        code: 'selector_excludes_all',
        reason: 'disambiguation_invalid',
        stage: 'transaction_applicability',
        evidence: { candidate_count: 1 },
      });
    }
  });

  it('stops counting at a thousand', () => {
    const { fault } = reject(TX1, edits({ match: 'a', replace: '' }), 'a'.repeat(1_000));
    expect(fault.detail).toContain('occurs at least 1000 times');
    expect(fault.evidence).toMatchObject({ candidate_count: 1_000, candidate_count_capped: true });
    expect(reject(TX1, edits({ match: 'a', replace: '' }), 'a'.repeat(999)).fault.evidence).toMatchObject({ candidate_count: 999 });
    expect(reject(TX1, edits({ match: 'a', replace: '', occurrence_index: 5_000 }), 'a'.repeat(4_000)).fault.evidence).toMatchObject({
      candidate_count: 1_000,
    });
    expect(accept(TX1, edits({ match: 'a', replace: '', occurrence_index: 3_000 }), 'a'.repeat(4_000)).resolvedStarts).toEqual([2_999]);
  });

  it('judges spans: bounds, then text, then neighbours', () => {
    const span = (more: JsonObject): JsonObject => operations({ op: 'span', start: 1, end: 2, expected_text: 'b', replace: '', ...more });
    expect(reject(TX2, span({ start: 2, end: 1 })).fault).toMatchObject({
      code: 'span_out_of_bounds',
      cut: { kind: 'window', point: 2 },
      detail: 'operations[0]: the span 2..1 is not inside the buffer of 3 code points',
    });
    expect(reject(TX2, span({ start: 9007199254740991, end: 9007199254740991 })).fault).toMatchObject({
      code: 'span_out_of_bounds',
      cut: { kind: 'window', point: 3 },
    });
    expect(reject(TX2, span({ expected_text: 'x' })).fault).toMatchObject({
      code: 'span_expected_text_mismatch',
      path: 'operations[0].expected_text',
      evidence: { near_miss_query: 'x', actual_text: 'b' },
    });
    expect(reject(TX2, span({ expected_before: '-a' })).fault).toMatchObject({
      path: 'operations[0].expected_before',
      evidence: { near_miss_query: '-a', actual_text: 'a' },
    });
    expect(reject(TX2, span({ expected_before: 'x', expected_after: 'y' })).fault.path).toBe('operations[0].expected_before');
    expect(reject(TX2, span({ expected_after: 'cd' })).fault).toMatchObject({
      path: 'operations[0].expected_after',
      evidence: { near_miss_query: 'cd', actual_text: 'c' },
    });
  });

  it('applies nothing that would be larger than 16 MiB', () => {
    const { fault, priorChanges } = reject(
      TX2,
      operations({ op: 'span', start: 0, end: 0, expected_text: '', replace: 'x' }),
      'a'.repeat(LIMITS.resultBytes),
    );
    expect(fault).toMatchObject({
      code: 'result_too_large',
      reason: 'manifest_invalid',
      stage: 'transaction_applicability',
      failedChangeId: null,
      detail: 'the result would be larger than 16777216 bytes',
    });
    expect(fault.ordinal).toBeUndefined();
    expect(priorChanges).toBe(1);
  });
});
