import { describe, expect, it } from 'vitest';
import { applyTransaction, decodeRecord, encodeCanonical, profileFor, recordOf, replay } from '../../src/transaction/index.ts';
import type { AcceptedAttempt, Format, JsonObject } from '../../src/transaction/index.ts';
import { argsOf, edits, operations, TARGET } from './helpers.ts';
import { sha256 } from './reference.ts';

const OTHER = '0190a000-0000-7000-8000-00000000000b';

function initialOf(content: string) {
  return { target_file_id: TARGET, content, content_hash: sha256(content) };
}

function row(version: number, before: string, after: string, format: Format, runtime: string, args: JsonObject): AcceptedAttempt {
  const payload = encodeCanonical(recordOf(format, args));
  return {
    target_file_id: TARGET,
    pdcp_log_id: `id ${version}`,
    log_sequence: 10 + version,
    before_version: version,
    after_version: version + 1,
    before_hash: sha256(before),
    after_hash: sha256(after),
    pdcp_content: payload,
    pdcp_content_hash: sha256(payload),
    protocol_version: format,
    runtime_version: runtime,
  };
}

const HISTORY = [
  row(0, 'abc', 'abd', 'patchdiff-tx/1', 'patchdiff-mvp-0.2.2', edits({ match: 'c', replace: 'd' })),
  row(
    1,
    'abd',
    '!abd',
    'patchdiff-tx/2',
    'patchdiff-mvp-0.3.0',
    operations({ op: 'span', start: 0, end: 0, expected_text: '', replace: '!' }),
  ),
  row(2, '!abd', 'x\n', 'patchdiff-tx/3', 'patchdiff-mvp-0.4.0', argsOf({ replacement: 'x\r\n' })),
];
const END = { content: 'x\n', hash: sha256('x\n'), version: 3 };
const run = (rows: AcceptedAttempt[], state: typeof END | null = END) => replay(initialOf('abc'), rows, state, TARGET, sha256);
const changed = (at: number, more: Partial<AcceptedAttempt>): AcceptedAttempt[] =>
  HISTORY.map((attempt, position) => (position === at ? { ...attempt, ...more } : attempt));
const withPayload = (attempt: AcceptedAttempt, payload: string): AcceptedAttempt => ({
  ...attempt,
  pdcp_content: payload,
  pdcp_content_hash: sha256(payload),
});

describe('replay', () => {
  it('arrives at the stored row', () => {
    expect(run(HISTORY)).toEqual({
      status: 'success',
      reconstructed_content: 'x\n',
      reconstructed_hash: sha256('x\n'),
      reconstructed_version: 3,
      steps: 3,
      materialized_state_checks: { content_matches: true, stored_hash_matches: true, recomputed_hash_matches: true, version_matches: true },
      materialized_state_matches: true,
      first_failing_step: null,
    });
  });

  it('compares with nothing when it stops before the end', () => {
    expect(run(HISTORY.slice(0, 1), null)).toMatchObject({
      status: 'success',
      reconstructed_content: 'abd',
      materialized_state_matches: null,
      materialized_state_checks: { content_matches: null, version_matches: null },
    });
  });

  it('succeeds over a damaged row and says which check fails', () => {
    const checks = (state: Partial<typeof END>) => {
      const result = run(HISTORY, { ...END, ...state });
      expect(result.status).toBe('success');
      expect(result.materialized_state_matches).toBe(false);
      return Object.entries(result.materialized_state_checks).flatMap(([name, held]) => (held === true ? [] : [name]));
    };
    expect(checks({ content: 'x\r\n' })).toEqual(['content_matches']);
    expect(checks({ content: 'y\n' })).toEqual(['content_matches', 'recomputed_hash_matches']);
    expect(checks({ hash: sha256('y') })).toEqual(['stored_hash_matches']);
    expect(checks({ version: 4 })).toEqual(['version_matches']);
  });

  it.each<[string, string, AcceptedAttempt[]]>([
    ['owner', 'replay_integrity_failed', changed(1, { target_file_id: OTHER })],
    ['protocol', 'replay_protocol_invalid', changed(1, { runtime_version: 'patchdiff-mvp-0.2.2' })],
    ['protocol', 'replay_protocol_invalid', changed(1, { protocol_version: 'patchdiff-tx/3' })],
    ['before_version', 'replay_integrity_failed', [HISTORY[0] as AcceptedAttempt, HISTORY[2] as AcceptedAttempt]],
    ['after_version', 'replay_integrity_failed', changed(1, { after_version: 3 })],
    ['before_hash', 'replay_integrity_failed', changed(1, { before_hash: sha256('abc') })],
    ['payload_hash', 'replay_integrity_failed', changed(1, { pdcp_content: '{}' })],
    ['decode', 'replay_protocol_invalid', changed(1, withPayload(HISTORY[1] as AcceptedAttempt, '[]'))],
    ['decode', 'replay_protocol_invalid', changed(1, withPayload(HISTORY[1] as AcceptedAttempt, '{"__proto__":'))],
    [
      'decode',
      'replay_protocol_invalid',
      changed(1, withPayload(HISTORY[1] as AcceptedAttempt, (HISTORY[1] as AcceptedAttempt).pdcp_content.replace('"!"', '"\\u0000"'))),
    ],
    [
      'decode',
      'replay_protocol_invalid',
      changed(1, withPayload(HISTORY[1] as AcceptedAttempt, (HISTORY[1] as AcceptedAttempt).pdcp_content.replace(TARGET, OTHER))),
    ],
    [
      'decode',
      'replay_protocol_invalid',
      changed(1, {
        ...withPayload(HISTORY[1] as AcceptedAttempt, (HISTORY[2] as AcceptedAttempt).pdcp_content),
        runtime_version: 'patchdiff-mvp-0.4.0',
      }),
    ],
    [
      'decode',
      'replay_protocol_invalid',
      changed(
        1,
        withPayload(
          HISTORY[1] as AcceptedAttempt,
          (HISTORY[1] as AcceptedAttempt).pdcp_content.replace('"op":', '"expected_after":"a","op":'),
        ),
      ),
    ],
    [
      'apply',
      'replay_apply_failed',
      changed(
        1,
        withPayload(
          HISTORY[1] as AcceptedAttempt,
          (HISTORY[1] as AcceptedAttempt).pdcp_content.replace('"expected_text":""', '"expected_text":"z"'),
        ),
      ),
    ],
    ['after_hash', 'replay_integrity_failed', changed(1, { after_hash: sha256('?') })],
  ])('stops at a step whose %s does not hold', (check, reason, rows) => {
    const result = run(rows);
    expect(result).toMatchObject({
      status: 'failed',
      reconstructed_content: 'abd',
      reconstructed_version: 1,
      steps: 1,
      materialized_state_matches: null,
    });
    expect(result.first_failing_step).toMatchObject({ check, reason });
    expect(result.first_failing_step?.log_sequence).toBe(check === 'before_version' ? 12 : 11);
  });

  it('stops at an initial snapshot that is missing, foreign or damaged', () => {
    expect(replay(null, HISTORY, END, TARGET, sha256)).toMatchObject({
      status: 'failed',
      steps: 0,
      materialized_state_matches: null,
      first_failing_step: { check: 'initial_snapshot', reason: 'replay_integrity_failed', pdcp_log_id: null },
    });
    expect(replay({ ...initialOf('abc'), target_file_id: OTHER }, HISTORY, END, TARGET, sha256).first_failing_step).toMatchObject({
      check: 'initial_owner',
      pdcp_log_id: null,
    });
    expect(replay({ ...initialOf('abc'), content: 'abd' }, HISTORY, END, TARGET, sha256).first_failing_step).toMatchObject({
      check: 'initial_hash',
    });
  });

  it('never applies admission limits', () => {
    const long = 'm'.repeat(70_000);
    const large = '漢'.repeat(600_000);
    const rows = [
      row(0, long, large, 'patchdiff-tx/3', 'patchdiff-mvp-0.4.0', argsOf({ replacement: large })),
      row(1, large, long, 'patchdiff-tx/3', 'patchdiff-mvp-0.4.0', argsOf({ replacement: long })),
      row(2, long, 'm', 'patchdiff-tx/1', 'patchdiff-mvp-0.2.2', edits({ match: long, replace: 'm' })),
    ];
    expect(replay(initialOf(long), rows, null, TARGET, sha256)).toMatchObject({ status: 'success', reconstructed_content: 'm' });
  });
});

describe('frozen semantics', () => {
  const apply = (runtime: string, content: string, edit: JsonObject): string => {
    const profile = profileFor('patchdiff-tx/1', runtime);
    if (profile === null) expect.fail(runtime);
    const decoded = decodeRecord(recordOf('patchdiff-tx/1', edits(edit)), TARGET, profile, false);
    if (!decoded.ok) return decoded.fault.code;
    const applied = applyTransaction(content, decoded.transaction, profile, sha256);
    return applied.ok ? `${applied.content} ${applied.changes[0]?.change_id ?? ''}` : applied.fault.code;
  };

  it('0.1.0 counts without overlap, later runtimes with', () => {
    const edit = { match: 'aa', replace: 'x' };
    expect(apply('patchdiff-mvp-0.1.0', 'aaa', edit)).toBe('xa chg_001');
    expect(apply('patchdiff-mvp-0.2.0', 'aaa', edit)).toBe('match_ambiguous');
    expect(apply('patchdiff-mvp-0.1.0', 'aaaaa', { ...edit, occurrence_index: 2 })).toBe('aaxa chg_001');
    expect(apply('patchdiff-mvp-0.2.0', 'aaaaa', { ...edit, occurrence_index: 2 })).toBe('axaa chg_001');
  });

  it('selectors bind a single match from 0.2.2 on', () => {
    for (const selector of [{ occurrence_index: 2 }, { anchor_before: 'z' }]) {
      const edit = { match: 'b', replace: 'x', ...selector };
      for (const runtime of ['0.1.0', '0.2.0', '0.2.1']) expect(apply(`patchdiff-mvp-${runtime}`, 'abc', edit)).toBe('axc chg_001');
      expect(apply('patchdiff-mvp-0.2.2', 'abc', edit)).toBe('selector_excludes_all');
      for (const runtime of ['0.1.0', '0.2.0', '0.2.1'])
        expect(apply(`patchdiff-mvp-${runtime}`, 'abcb', { ...edit, occurrence_index: 3 })).toBe('selector_excludes_all');
    }
  });

  it('change ids are any text before 0.2.1', () => {
    const edit = { match: 'b', replace: 'x', change_id: ' old id \r\n' };
    expect(apply('patchdiff-mvp-0.1.0', 'abc', edit)).toBe('axc  old id \r\n');
    expect(apply('patchdiff-mvp-0.2.0', 'abc', edit)).toBe('axc  old id \r\n');
    expect(apply('patchdiff-mvp-0.2.1', 'abc', edit)).toBe('change_id_invalid');
  });
});
