import { describe, expect, it } from 'vitest';
import {
  applyBundle,
  bundleIdentityOf,
  bundleIdOf,
  decodeBundle,
  diagnosticOf,
  encodeCanonical,
  evaluateBundle,
  isSameRequest,
  prepareBundle,
  profileOf,
  runtimeVersionFor,
  scopeIdOf,
} from '../../src/transaction/index.ts';
import type { JsonObject, Observation } from '../../src/transaction/index.ts';
import { acceptBundle, BUNDLE, bundleArgs, group, idAt, match, observe, rejectBundle } from './bundle-helpers.ts';
import { brief, TARGET } from './helpers.ts';
import { sha256 } from './reference.ts';

const CONTENT = 'é one\n😀 two two\nthree\n';
const OBSERVED = observe(CONTENT, [
  [0, 6],
  [6, 16],
  [16, 22],
]);
const span = (start: number, end: number, expected_text: string, replace: string, more: JsonObject = {}): JsonObject => ({
  op: 'span',
  start,
  end,
  expected_text,
  replace,
  ...more,
});
const place = (at: number): JsonObject => {
  const { scope_id, qualified_path, start, end } = OBSERVED.scopes[at]!;
  return { scope_id, qualified_path, start, end };
};

describe('a bundle', () => {
  it('edits each scope in its own coordinates and states the facts in those of the document', () => {
    const args = bundleArgs(
      group(OBSERVED, 1, match('two', '$&\r\n$1', { occurrence_index: 2 }), span(0, 1, '😀', '')),
      group(OBSERVED, 2, match('three', 'three')),
      group(OBSERVED, 0, match('one', 'ONE!')),
    );
    const { applied, transaction } = acceptBundle(args, OBSERVED, CONTENT);
    expect(applied.content).toBe('é ONE!\n two $&\n$1\nthree\n');
    expect(applied.afterHash).toBe(sha256(applied.content));
    // Bytes of the slice's buffer, in submitted order.
    expect(applied.resolvedStarts).toEqual([9, 0, 0, 3]);
    const facts = applied.changes.map((fact) => [
      fact.apply_ordinal,
      fact.ordinal,
      fact.change_id,
      fact.span_start,
      fact.span_end,
      fact.scope_span_start,
      fact.scope_span_end,
    ]);
    expect(facts).toEqual([
      [1, 3, 'chg_003', 16, 21, 0, 5],
      [2, 1, 'chg_001', 12, 15, 6, 9],
      [3, 2, 'chg_002', 6, 7, 0, 1],
      [4, 4, 'chg_004', 2, 5, 2, 5],
    ]);
    expect(applied.changes.map(({ scope_id }) => scope_id)).toEqual([2, 1, 1, 0].map((at) => idAt(OBSERVED, at)));
    expect(Object.keys(applied.changes[0]!)).toEqual([
      'ordinal',
      'change_id',
      'operation',
      'span_start',
      'span_end',
      'matched_chars',
      'replacement_chars',
      'matched_sha256',
      'replacement_sha256',
      'apply_ordinal',
      'scope_id',
      'scope_span_start',
      'scope_span_end',
    ]);
    expect(transaction.changes.map(({ changeId }) => changeId)).toEqual(['chg_003', 'chg_001', 'chg_002', 'chg_004']);
    expect(applied.warnings).toEqual([{ code: 'no_op_change', change_id: 'chg_003' }]);
  });

  it('warns in the order of application, of the slices as they were, and of the whole document once', () => {
    const args = bundleArgs(
      group(OBSERVED, 0, match('é', 'x'), match('x', 'é')),
      group(OBSERVED, 1, span(0, 0, '', 'two '), match('two', 'two', { occurrence_index: 1 }), span(0, 4, 'two ', '')),
    );
    expect(acceptBundle(args, OBSERVED, CONTENT).applied.warnings).toEqual([
      { code: 'no_op_change', change_id: 'chg_004' },
      { code: 'occurrence_index_basis_shift', change_id: 'chg_004' },
      { code: 'no_op_transaction', change_id: null },
    ]);
    // A scope that comes back to itself is no no-op of the document.
    const one = bundleArgs(group(OBSERVED, 0, match('é', 'x')), group(OBSERVED, 1, match('😀', 'y'), match('y', '😀')));
    expect(acceptBundle(one, OBSERVED, CONTENT).applied.warnings).toEqual([]);
  });

  it('counts, guards and clusters within the slice alone', () => {
    // The e before the combining mark belongs to another scope.
    const observed = observe('ae\u0301b aa', [
      [2, 4],
      [5, 6],
    ]);
    const args = bundleArgs(group(observed, 0, span(0, 1, '\u0301', '-')), group(observed, 1, match('a', 'z')));
    expect(acceptBundle(args, observed, 'ae\u0301b aa').applied).toMatchObject({ content: 'ae-b za', warnings: [] });
    const guarded = bundleArgs(group(observed, 0, span(0, 1, '\u0301', '-', { expected_before: 'e' })));
    const { fault } = rejectBundle(guarded, observed, 'ae\u0301b aa');
    expect(brief(fault)).toBe('span_expected_text_mismatch groups[0].operations[0].expected_before chg_001 1');
    const after = bundleArgs(group(observed, 0, span(0, 1, '\u0301', '-', { expected_after: 'b' })));
    expect(acceptBundle(after, observed, 'ae\u0301b aa').applied.content).toBe('ae-b aa');
  });

  it('fails with the first scope in submitted order that is not what was observed, before any operation', () => {
    const moved = `new\n${CONTENT}`;
    const args = bundleArgs(group(OBSERVED, 2, match('none', '')), group(OBSERVED, 0, match('one', '1')));
    const result = rejectBundle(args, OBSERVED, moved);
    expect(result).toMatchObject({ buffer: moved, priorChanges: 0 });
    expect(result.fault).toMatchObject({
      code: 'scope_hash_mismatch',
      reason: 'target_hash_mismatch',
      stage: 'transaction_applicability',
      path: 'groups[0].scope_id',
      failedChangeId: null,
      detail: 'groups[0].scope_id: the scope no longer has the text that was observed; observe it again',
      cut: { kind: 'window', point: 16 },
    });
    const evidence = { observed_sha256: sha256('three\n'), actual_sha256: sha256('two\nth'), group_index: 0, scope: place(2) };
    expect(JSON.stringify(result.fault.evidence)).toBe(JSON.stringify(evidence));
    const context = { format: 'patchdiff-observed-batch/1', decidedBy: 'runtime', version: 1, hash: '', ...result } as const;
    const diagnostic = diagnosticOf(result.fault, context);
    expect(diagnostic).toMatchObject({
      retryable: true,
      path: 'groups[0].scope_id',
      failure_context: { kind: 'window', source: 'canonical_target' },
    });
    expect(Object.keys(diagnostic).slice(-4)).toEqual(['observed_sha256', 'actual_sha256', 'group_index', 'scope']);
    expect(rejectBundle(args, OBSERVED, 'short').fault.evidence['actual_sha256']).toBeNull();
  });

  it('is judged scope by scope: what is elsewhere in the document may have changed', () => {
    const grown = `${CONTENT}four\n`.replace('one', 'uno');
    expect(acceptBundle(bundleArgs(group(OBSERVED, 1, match('😀', ':)'))), OBSERVED, grown).applied.content).toBe(
      'é uno\n:) two two\nthree\nfour\n',
    );
  });

  it('shows candidates in document coordinates, the rest in those of the slice', () => {
    const args = bundleArgs(group(OBSERVED, 0, match('one', '1')), group(OBSERVED, 1, match('😀', ''), match('two', '2')));
    const { fault, buffer, priorChanges } = rejectBundle(args, OBSERVED, CONTENT);
    expect([brief(fault), fault.detail]).toEqual([
      'match_ambiguous - chg_003 3',
      'groups[1].operations[1].match: the text occurs 2 times; choose one with occurrence_index or anchors',
    ]);
    expect({ buffer, priorChanges, cut: fault.cut }).toEqual({ buffer: ' two two\n', priorChanges: 1, cut: { kind: 'window', point: 1 } });
    const evidence = {
      exact_candidates: [
        { occurrence_index: 1, start: 7, end: 10, scope_start: 1, scope_end: 4, line: 1, before: ' ', after: ' two\n' },
        { occurrence_index: 2, start: 11, end: 14, scope_start: 5, scope_end: 8, line: 1, before: ' two ', after: '\n' },
      ],
      candidate_count: 2,
      group_index: 1,
      operation_index: 1,
      scope: place(1),
    };
    expect(JSON.stringify(fault.evidence)).toBe(JSON.stringify(evidence));
  });

  it('knows of a consumed text only within its slice', () => {
    const same = observe('x x', [
      [0, 1],
      [2, 3],
    ]);
    const args = bundleArgs(group(same, 0, match('x', '')), group(same, 1, match('x', 'y'), match('x', 'z')));
    const { fault, priorChanges } = rejectBundle(args, same, 'x x');
    expect(brief(fault)).toBe('sequential_match_invalid - chg_003 3');
    expect(fault.evidence).toMatchObject({
      consumed_match: { change_id: 'chg_002', ordinal: 2, span_start: 0, span_end: 1 },
      operation_index: 1,
    });
    expect(priorChanges).toBe(1);
    // The slice of the second group is the observed one, whatever the first group did to its own.
    const first = rejectBundle(bundleArgs(group(same, 0, match('x', 'y')), group(same, 1, match('q', 'z'))), same, 'x x');
    expect([brief(first.fault), first.priorChanges, first.buffer]).toEqual(['match_absent - chg_002 2', 0, 'x']);
  });

  it('is measured as a whole', () => {
    const observed = observe('a--b', [
      [0, 1],
      [3, 4],
    ]);
    const apply = (...groups: JsonObject[]) => {
      const submission = prepareBundle(bundleArgs(...groups));
      const decoded = decodeBundle(submission, observed);
      if (!decoded.ok) expect.fail(decoded.fault.detail);
      return applyBundle('a--b', decoded.bundle, profileOf(submission.record), sha256, { resultBytes: 4 });
    };
    // Each slice may outgrow what the document must not.
    expect(apply(group(observed, 0, match('a', '')), group(observed, 1, match('b', 'é')))).toMatchObject({ ok: true, content: '--é' });
    const large = apply(group(observed, 0, match('a', 'é')), group(observed, 1, match('b', 'b')));
    expect(large).toMatchObject({
      ok: false,
      buffer: 'é--b',
      priorChanges: 2,
      scope: null,
      fault: { code: 'result_too_large', evidence: {} },
    });
  });
});

describe('what is stored of a bundle', () => {
  const args = bundleArgs(group(OBSERVED, 1, match('😀', 'é')), 5, { scope_id: 'none' }, group(OBSERVED, 0, match('one', '1')));
  const stored = (more: JsonObject = {}, observation: Observation | null = OBSERVED, parent: string | null = null) =>
    bundleIdentityOf(prepareBundle({ ...args, ...more }), observation, TARGET, parent, sha256);

  it('is the record with the evidence of every group, in canonical form', () => {
    const { payload } = prepareBundle(args);
    expect(payload).not.toContain('"observation"');
    const evidence = (at: number): string => {
      const { start, end, scope_id, sha256: digest } = OBSERVED.scopes[at]!;
      return `{"end":${end},"kind":"part","name":"p${at}","qualified_path":"part p${at}","scope_id":"${scope_id}","sha256":"${digest}","start":${start}}`;
    };
    const observation = `{"bundle_id":"${BUNDLE}","content_hash":"${sha256(CONTENT)}","editing_cycle":1,"grammar":{"name":"letters","sha256":null,"version":"1"},"language":"letters","scopes":[${evidence(1)},null,null,${evidence(0)}],"version":0}`;
    const identity = stored();
    expect(identity.content).toBe(payload.replace('"target_file_id"', () => `"observation":${observation},"target_file_id"`));
    expect(identity).toMatchObject({
      contentHash: sha256(identity.content),
      protocolVersion: 'patchdiff-observed-batch/1',
      runtimeVersion: 'patchdiff-observed-batch-r1',
      envelope: null,
      earlierFingerprint: null,
      fingerprint: sha256(
        encodeCanonical({
          protocol_version: 'patchdiff-observed-batch/1',
          target_file_id: TARGET,
          pdcp_content_hash: identity.contentHash,
          expected_target_version: 0,
          expected_current_hash: null,
          parent_pdcp_log_id: null,
        }),
      ),
    });
  });

  it('is null where nothing was observed, and has no scopes where no groups were sent', () => {
    expect(stored({}, null).content).toContain('"observation":null');
    expect(stored({ groups: 'none' }).content).toContain('"scopes":[]');
    expect(stored({ observation: 1 }).content).toContain('"argument_observation":1');
  });

  it('identifies the same request, whatever else a reading of the observation tells', () => {
    const read = { ...OBSERVED, created_at: 'now', scopes: OBSERVED.scopes.map((scope) => ({ ...scope, text: 'x', first_line: 1 })) };
    expect(isSameRequest(stored({ attempt: 2, correlation_id: 'x' }, read), stored().fingerprint)).toBe(true);
    for (const other of [
      stored({ intent: 'other' }),
      stored({}, null),
      stored({}, OBSERVED, BUNDLE),
      stored({}, { ...OBSERVED, editing_cycle: 2 }),
    ]) {
      expect(isSameRequest(other, stored().fingerprint)).toBe(false);
    }
  });

  it('is the envelope of the record alone when that cannot be stored', () => {
    const nul = stored({ intent: '\0' });
    expect(nul.envelope).toBe('patchdiff-invalid-input/1');
    expect(nul.content).not.toContain('observation');
    expect(JSON.parse(nul.content)).toMatchObject({
      protocol_version: 'patchdiff-observed-batch/1',
      runtime_version: 'patchdiff-observed-batch-r1',
    });
    expect(evaluateBundle(prepareBundle({ ...args, intent: '\0' }), OBSERVED, CONTENT, sha256)).toMatchObject({
      fault: { code: 'text_not_encodable' },
    });
    const large = stored({ groups: Array.from({ length: 2_001 }, () => 5) });
    expect(large.envelope).toBe('patchdiff-oversized-input/1');
    expect(large).toEqual(stored({ groups: Array.from({ length: 2_001 }, () => 5) }, null));
  });

  it('names its observation by a canonical id', () => {
    expect(bundleIdOf(prepareBundle({ bundle_id: BUNDLE.toUpperCase() }))).toBe(BUNDLE);
    for (const bundle_id of [undefined, null, 5, 'x', `${BUNDLE}\n`]) {
      expect(bundleIdOf(prepareBundle(bundle_id === undefined ? {} : { bundle_id }))).toBeNull();
    }
    expect(runtimeVersionFor(prepareBundle({}).record)).toBe('patchdiff-observed-batch-r1');
  });

  it('names a scope by the digest of where and what it is', () => {
    const origin = { targetFileId: TARGET, contentHash: 'a'.repeat(64), grammar: { name: 'ts', version: '1.2' } };
    const text = `{"content_hash":"${'a'.repeat(64)}","end":9,"grammar":"ts@1.2","kind":"méthode","start":3,"target_file_id":"${TARGET}"}`;
    expect(scopeIdOf(origin, { kind: 'méthode', start: 3, end: 9 }, sha256)).toBe(sha256(text).slice(0, 32));
  });
});
