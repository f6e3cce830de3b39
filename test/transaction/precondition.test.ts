import { describe, expect, it } from 'vitest';
import { keyConflictFault, preconditionFault, prepareSubmission, rawValuesOf } from '../../src/transaction/index.ts';
import type { JsonObject, JsonValue } from '../../src/transaction/index.ts';
import { argsOf } from './helpers.ts';

const TX1 = 'patchdiff-tx/1';

describe('what comes before protocol', () => {
  const row = { version: 3, hash: 'a'.repeat(64) };
  const fault = (args: JsonObject, resolved = false) => preconditionFault(prepareSubmission(TX1, args), row, resolved);
  const guarded = (more: JsonObject): JsonObject => argsOf({ expected_target_version: 3, ...more });

  it('is judged in the one order', () => {
    const worst: JsonObject = {
      client_request_id: 'a b',
      parent_pdcp_log_id: 'p',
      intent: '\ud800',
      expected_target_version: 2,
      expected_current_hash: 'b'.repeat(64),
    };
    const order: [string, JsonObject][] = [
      ['invalid_client_request_id', { client_request_id: 'ok' }],
      ['text_not_encodable', { intent: 'i' }],
      ['parent_invalid', { parent_pdcp_log_id: null }],
      ['target_version_mismatch', { expected_target_version: 3 }],
      ['target_hash_mismatch', { expected_current_hash: 'a'.repeat(64) }],
    ];
    let args = argsOf(worst);
    for (const [code, cure] of order) {
      expect(fault(args)?.code).toBe(code);
      args = { ...args, ...cure };
    }
    expect(fault(args)).toBeNull();
  });

  it('takes 1 to 128 visible ASCII characters as a key', () => {
    for (const good of ['x', '~'.repeat(128), '!"']) expect(fault(guarded({ client_request_id: good }))).toBeNull();
    for (const bad of ['', 'a b', 'é', 'x'.repeat(129), 'a\n', 5, {}, false] as JsonValue[])
      expect(fault(guarded({ client_request_id: bad }))?.code).toBe('invalid_client_request_id');
    for (const unencodable of ['\ud800', 'a b\0', ['\udfff']] as JsonValue[])
      expect(fault(guarded({ client_request_id: unencodable }))?.code).toBe('text_not_encodable');
    expect(fault(guarded({ client_request_id: ['\\ud800'], intent: '\0' }))?.code).toBe('invalid_client_request_id');
  });

  it('leaves malformed guards and parents to protocol', () => {
    expect(fault(argsOf({ expected_target_version: '2', expected_current_hash: 'B'.repeat(64), parent_pdcp_log_id: ' ' }))).toBeNull();
    expect(fault(guarded({ parent_pdcp_log_id: 5 }))).toBeNull();
    expect(fault(guarded({ parent_pdcp_log_id: 'p' }), true)).toBeNull();
  });

  it('says what was expected and what is', () => {
    expect(fault(argsOf({ expected_target_version: 2 }))).toMatchObject({
      detail: 'the target is at version 3, not 2; read it again',
      evidence: { expected: 2, actual: 3 },
    });
    expect(fault(argsOf({ expected_target_version: null, expected_current_hash: 'b'.repeat(64) }))).toMatchObject({
      evidence: { expected: 'b'.repeat(64), actual: 'a'.repeat(64) },
    });
  });

  it('shows a conflicting key cut to 256 code points', () => {
    expect(keyConflictFault('k', 'log').evidence).toEqual({
      existing_pdcp_log_id: 'log',
      submitted_client_request_id: 'k',
      submitted_client_request_id_truncated: false,
    });
    expect(keyConflictFault('😀'.repeat(300), null).evidence).toEqual({
      existing_pdcp_log_id: null,
      submitted_client_request_id: '😀'.repeat(256),
      submitted_client_request_id_truncated: true,
    });
  });

  it('sends text over 8,192 bytes as raw metadata, cut', () => {
    const submission = prepareSubmission(TX1, {
      client_request_id: 'é'.repeat(4_096),
      parent_pdcp_log_id: 'é'.repeat(4_097),
      source: 'x'.repeat(100_000),
    });
    expect(submission).toMatchObject({ clientRequestId: 'é'.repeat(4_096), parent: null, source: null, encodable: true });
    expect(submission.rawMetadata).toEqual({
      parent_pdcp_log_id: `"${'\\u00e9'.repeat(4_097)}"`,
      source: `"${'x'.repeat(8_193)}"`,
    });
  });

  it('keeps values that fit no column', () => {
    const submission = prepareSubmission(TX1, {
      client_request_id: 'a b',
      parent_pdcp_log_id: 'x'.repeat(2_000),
      attempt: 0,
      source: ' ',
      expected_target_version: 1.5,
      expected_current_hash: 'é',
    });
    expect(rawValuesOf(submission, false)).toEqual({
      raw_client_request_id: '"a b"',
      raw_parent_pdcp_log_id: `"${'x'.repeat(1_023)}`,
      raw_attempt: '0',
      raw_source: '" "',
      raw_expected_target_version: '1.5',
      raw_expected_current_hash: '"\\u00e9"',
    });
    expect(
      rawValuesOf(prepareSubmission(TX1, guarded({ parent_pdcp_log_id: 'p', client_request_id: 'k', attempt: 1, source: 's' })), true),
    ).toEqual({});
  });
});
