import { describe, expect, it } from 'vitest';
import { applyTransaction, decodeRecord, diagnosticOf, profileFor, recordOf } from '../../src/transaction/index.ts';
import type { Format, JsonObject } from '../../src/transaction/index.ts';
import { accept, argsOf, edits, operations, reject, TARGET } from './helpers.ts';
import { sha256 } from './reference.ts';

const TX1 = 'patchdiff-tx/1';
const TX2 = 'patchdiff-tx/2';
const TX3 = 'patchdiff-tx/3';

describe('warnings', () => {
  const codes = (args: JsonObject, content: string, format: Format = TX1): string[] =>
    accept(format, args, content).warnings.map(({ code, change_id }) => `${code} ${change_id ?? '-'}`);

  it('tell changes that change nothing', () => {
    expect(codes(edits({ match: 'a\r\nb', replace: 'a\nb' }), 'a\nb')).toEqual(['no_op_change chg_001', 'no_op_transaction -']);
    expect(codes(edits({ match: 'a', replace: 'b' }, { match: 'b', replace: 'a' }), 'a')).toEqual(['no_op_transaction -']);
    expect(codes(argsOf({ replacement: 'same' }), 'same', TX3)).toEqual(['no_op_change chg_001', 'no_op_transaction -']);
  });

  it('tell an occurrence index that earlier changes moved', () => {
    const second = { match: 'x', replace: '!', occurrence_index: 2 };
    expect(codes(edits({ match: '(x)', replace: '' }, second), 'x (x) x x')).toEqual(['occurrence_index_basis_shift chg_002']);
    expect(codes(edits({ match: '(', replace: 'x' }, second), 'x ( x')).toEqual(['occurrence_index_basis_shift chg_002']);
    expect(codes(edits({ match: '-', replace: 'x' }, { ...second, occurrence_index: 3 }), 'x x -')).toEqual([
      'occurrence_index_basis_shift chg_002',
    ]);
    expect(codes(edits({ match: '(', replace: 'longer' }, second), 'x ( x')).toEqual([]);
    expect(codes(edits({ match: 'x', replace: 'x', occurrence_index: 1 }, second), 'x x')).toEqual(['no_op_change chg_001']);
  });

  it('tell the basis shift through the index as by reading', () => {
    const record = recordOf(
      TX1,
      edits({ match: '(long text x)', replace: '' }, { match: 'long text x', replace: '!', occurrence_index: 2 }),
    );
    const decoded = decodeRecord(record, TARGET, profileFor(TX1, 'patchdiff-mvp-0.2.2') as never);
    if (!decoded.ok) expect.fail(decoded.fault.detail);
    for (const indexedChanges of [0, 99]) {
      const applied = applyTransaction(
        'long text x (long text x) long text x',
        decoded.transaction,
        profileFor(TX1, 'patchdiff-mvp-0.2.2') as never,
        sha256,
        { indexedChanges },
      );
      expect(applied.ok && applied.warnings).toEqual([{ code: 'occurrence_index_basis_shift', change_id: 'chg_002' }]);
    }
  });

  it('tell a splice inside a grapheme cluster', () => {
    expect(codes(edits({ match: 'e', replace: 'a' }), 'cafe\u0301')).toEqual(['grapheme_boundary_split chg_001']);
    expect(codes(edits({ match: '👧', replace: 'a' }), '👩\u200d👩\u200d👧 x')).toEqual(['grapheme_boundary_split chg_001']);
    expect(codes(edits({ match: '👩\u200d👩\u200d👧', replace: 'a' }), '👩\u200d👩\u200d👧 x')).toEqual([]);
    expect(codes(edits({ match: 'e\u0301', replace: 'e' }), 'cafe\u0301')).toEqual([]);
    expect(codes(operations({ op: 'span', start: 1, end: 1, expected_text: '', replace: 'x' }), '🇩🇪', TX2)).toEqual([
      'grapheme_boundary_split chg_001',
    ]);
  });
});

describe('stored evidence', () => {
  it('has its members in the order of the contract', () => {
    const { fault, buffer, priorChanges } = reject(
      TX1,
      edits({ match: 'b', replace: 'b' }, { match: 'x', replace: '' }),
      `b${'x'.repeat(400)}`,
    );
    const context = {
      format: TX1,
      decidedBy: 'runtime',
      version: 7,
      hash: 'h',
      buffer,
      priorChanges,
      rawValues: { raw_attempt: '0' },
    } as const;
    const diagnostic = diagnosticOf(fault, context);
    expect(Object.keys(diagnostic)).toEqual([
      'failure_code',
      'format',
      'validation_stage',
      'retryable',
      'requires_new_submission',
      'decided_by',
      'ordinal',
      'failure_context',
      'exact_candidates',
      'candidate_count',
      'raw_attempt',
    ]);
    expect(diagnostic['failure_context']).toEqual({
      source: 'intermediate_buffer',
      prior_changes: 1,
      version: 7,
      hash: 'h',
      kind: 'window',
      start: 0,
      end: 256,
      total_chars: 401,
      text: `b${'x'.repeat(255)}`,
    });
    expect(Object.keys(diagnostic['failure_context'] as JsonObject)).toEqual([
      'source',
      'prior_changes',
      'version',
      'hash',
      'kind',
      'start',
      'end',
      'total_chars',
      'text',
    ]);
  });

  it('cuts windows in code points', () => {
    const text = '😀'.repeat(1_000);
    const at = (point: number): JsonObject =>
      diagnosticOf(
        { ...reject(TX1, edits({ match: 'x', replace: '' })).fault, cut: { kind: 'window', point } },
        { format: TX1, decidedBy: 'runtime', version: 0, hash: '', buffer: text, priorChanges: 0 },
      )['failure_context'] as JsonObject;
    expect(at(500)).toMatchObject({ source: 'canonical_target', start: 372, end: 628, text: '😀'.repeat(256) });
    expect(at(1_000)).toMatchObject({ start: 744, end: 1_000 });
    expect(at(3)).toMatchObject({ start: 0, end: 256 });
  });
});
