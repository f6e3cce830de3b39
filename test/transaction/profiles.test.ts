import { describe, expect, it } from 'vitest';
import { isRetryable, prepareSubmission, PROFILES, profileFor, runtimeVersionFor, validityOf } from '../../src/transaction/index.ts';
import type { JsonObject } from '../../src/transaction/index.ts';
import { argsOf, edits, operations } from './helpers.ts';

const TX1 = 'patchdiff-tx/1';
const TX2 = 'patchdiff-tx/2';
const TX3 = 'patchdiff-tx/3';
const edit = { match: 'a', replace: 'b' };

describe('profiles', () => {
  it('are the eight of the contract with their legal pairs', () => {
    const pairs = PROFILES.map(({ name, protocols }) => [
      name.replace('patchdiff-', ''),
      protocols.map((protocol) => protocol.replace('patchdiff-', '')).join(' '),
    ]);
    expect(pairs).toEqual([
      ['mvp-0.1.0', 'tx/1'],
      ['mvp-0.2.0', 'tx/1'],
      ['mvp-0.2.1', 'tx/1'],
      ['mvp-0.2.2', 'tx/1'],
      ['mvp-0.3.0', 'tx/2'],
      ['mvp-0.4.0', 'tx/2 tx/3'],
      ['mvp-0.5.0', 'tx/2'],
      ['observed-batch-r1', 'observed-batch/1'],
    ]);
    expect(profileFor(TX1, 'patchdiff-mvp-0.3.0')).toBeNull();
    expect(profileFor(TX3, 'patchdiff-mvp-0.5.0')).toBeNull();
    expect(profileFor('__proto__', 'constructor')).toBeNull();
  });

  it('cannot be changed', () => {
    expect(() => Object.assign(PROFILES[0] as object, { overlappingMatches: true })).toThrow(TypeError);
    expect(() => (PROFILES as unknown[]).push(1)).toThrow(TypeError);
    expect(() => (PROFILES[0]?.operations as string[]).push('span')).toThrow(TypeError);
  });

  it('are chosen by what a record holds', () => {
    const span = (more: JsonObject): JsonObject => operations({ op: 'span', start: 0, end: 0, expected_text: '', replace: '', ...more });
    const runtime = (format: typeof TX1 | typeof TX2 | typeof TX3, args: JsonObject): string =>
      runtimeVersionFor(prepareSubmission(format, args).record);
    expect(runtime(TX1, edits(edit))).toBe('patchdiff-mvp-0.2.2');
    expect(runtime(TX2, span({}))).toBe('patchdiff-mvp-0.3.0');
    expect(runtime(TX2, span({ expected_before: null }))).toBe('patchdiff-mvp-0.3.0');
    expect(runtime(TX2, span({ expected_after: 'x' }))).toBe('patchdiff-mvp-0.5.0');
    expect(runtime(TX2, operations({ op: 'match', expected_after: 'x' }, 5, null))).toBe('patchdiff-mvp-0.3.0');
    expect(runtime(TX3, argsOf({ replacement: 'x' }))).toBe('patchdiff-mvp-0.4.0');
  });
});

describe('validity', () => {
  it('keeps the four levels apart', () => {
    const levels = (['precondition_guard', 'protocol_validation', 'transaction_applicability', 'commit_guard', 'accepted'] as const).map(
      (stage) => {
        const { protocol_valid, transaction_valid, task_correct, semantic } = validityOf(stage);
        expect([task_correct, semantic]).toEqual(['not_evaluated', 'not_evaluated']);
        return [protocol_valid, transaction_valid];
      },
    );
    expect(levels).toEqual([
      [null, null],
      [false, null],
      [true, false],
      [true, true],
      [true, true],
    ]);
  });

  it('retries a selector that excluded all, not a malformed one', () => {
    expect(isRetryable('disambiguation_invalid', 'transaction_applicability')).toBe(true);
    expect(isRetryable('disambiguation_invalid', 'protocol_validation')).toBe(false);
    expect(isRetryable('target_version_mismatch', 'precondition_guard')).toBe(true);
    expect(isRetryable('context_invalid', 'commit_guard')).toBe(false);
  });
});
