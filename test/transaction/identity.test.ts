import { describe, expect, it } from 'vitest';
import {
  encodeCanonical, identityOf, isRetryable, keyConflictFault, preconditionFault, prepareSubmission, PROFILES, profileFor, rawValuesOf, runtimeVersionFor, validityOf,
} from '../../src/transaction/index.ts';
import type { JsonObject, JsonValue } from '../../src/transaction/index.ts';
import { argsOf, edits, operations, TARGET } from './helpers.ts';
import { sha256 } from './reference.ts';

const TX1 = 'patchdiff-tx/1';
const TX2 = 'patchdiff-tx/2';
const TX3 = 'patchdiff-tx/3';
const edit = { match: 'a', replace: 'b' };

describe('the record', () => {
  it('keeps what was sent, fills the guards and leaves the invocation out', () => {
    const submission = prepareSubmission(TX1, { ...edits({ ...edit, risk: null, replace: 'x\r\ny' }), client_request_id: 'k', parent_pdcp_log_id: 'P', attempt: 3, source: 's', correlation_id: 'c' });
    expect(submission.payload).toBe(
      `{"edits":[{"match":"a","replace":"x\\r\\ny","risk":null}],"expected_current_hash":null,"expected_target_version":0,"format":"patchdiff-tx/1","intent":"test","target_file_id":"${TARGET}"}`,
    );
    expect(submission).toMatchObject({ targetFileId: TARGET, clientRequestId: 'k', parent: 'P', attempt: 3, source: 's', rawMetadata: null, encodable: true });
  });

  it('is as much longer than the arguments as the contract says', () => {
    const wire = JSON.stringify({ target_file_id: TARGET, intent: 'i', expected_target_version: 0, edits: [edit] });
    expect(prepareSubmission(TX1, JSON.parse(wire) as JsonObject).payload.length - wire.length).toBe(55);
    const replacement = JSON.stringify({ target_file_id: TARGET, intent: 'i'.repeat(86), expected_target_version: 0, expected_current_hash: null, replacement: 'abc' });
    expect(prepareSubmission(TX3, JSON.parse(replacement) as JsonObject).payload.length - replacement.length).toBe(58);
  });

  it('moves reserved names out of the way until a free one is found', () => {
    const names = (format: typeof TX1 | typeof TX3, args: JsonObject): string[] => Object.keys(prepareSubmission(format, args).record).sort();
    expect(names(TX1, { format: 1, argument_format: 2, argument_argument_format: 3 })).toEqual(['argument_argument_argument_format', 'argument_argument_format', 'argument_format', 'expected_current_hash', 'expected_target_version', 'format']);
    expect(names(TX3, { replacement: 'x', operations: 1 })).toEqual(['argument_operations', 'expected_current_hash', 'expected_target_version', 'format', 'operations']);
    expect(names(TX3, { replacement: 5, operations: 1 })).toEqual(['argument_operations', 'expected_current_hash', 'expected_target_version', 'format', 'replacement']);
    expect(names(TX3, {})).toEqual(['expected_current_hash', 'expected_target_version', 'format']);
  });

  it('takes values that fit no parameter as raw text', () => {
    const submission = prepareSubmission(TX1, { ...edits(edit), client_request_id: 5, parent_pdcp_log_id: 'a\ud800', attempt: 1.5, source: { é: null } });
    expect(submission).toMatchObject({
      clientRequestId: null, parent: null, attempt: null, source: null, encodable: false,
      rawMetadata: { client_request_id: '5', parent_pdcp_log_id: '"a\\ud800"', attempt: '1.5', source: '{"\\u00e9":null}' },
    });
    expect(prepareSubmission(TX1, { attempt: -2147483648, client_request_id: ' ', source: '' })).toMatchObject({ attempt: -2147483648, clientRequestId: ' ', source: '', rawMetadata: null });
    expect(prepareSubmission(TX1, { attempt: null, client_request_id: null })).toMatchObject({ attempt: null, clientRequestId: null, rawMetadata: null });
  });

  it('has no target when the id is none', () => {
    for (const id of [null, 5, '', 'x', `${TARGET}\n`, `{${TARGET}}`, TARGET.replaceAll('-', '')]) expect(prepareSubmission(TX1, { target_file_id: id }).targetFileId).toBeNull();
    expect(prepareSubmission(TX1, { target_file_id: TARGET.toUpperCase() }).targetFileId).toBe(TARGET);
  });
});

describe('identity', () => {
  const identify = (args: JsonObject, parent: string | null = null) => identityOf(prepareSubmission(TX1, args), TARGET, parent, sha256);

  it('is the hash of six canonical members', () => {
    const { content, contentHash, fingerprint, envelope } = identify(edits(edit), 'Parent');
    expect(envelope).toBeNull();
    expect(contentHash).toBe(sha256(content));
    expect(fingerprint).toBe(
      sha256(`{"expected_current_hash":null,"expected_target_version":0,"parent_pdcp_log_id":"Parent","pdcp_content_hash":"${contentHash}","protocol_version":"patchdiff-tx/1","target_file_id":"${TARGET}"}`),
    );
  });

  it('does not cover key, attempt, source and correlation id', () => {
    const plain = identify(edits(edit));
    expect(identify({ ...edits(edit), client_request_id: 'k', attempt: 5, source: 's', correlation_id: 'c' })).toEqual(plain);
    expect(identify({ ...edits(edit), intent: 'other' }).fingerprint).not.toBe(plain.fingerprint);
  });

  it('counts malformed guards as null', () => {
    const { content, fingerprint } = identify({ ...edits(edit), expected_target_version: '0' });
    expect(fingerprint).toBe(sha256(encodeCanonical({ protocol_version: TX1, target_file_id: TARGET, pdcp_content_hash: sha256(content), expected_target_version: null, expected_current_hash: null, parent_pdcp_log_id: null })));
  });

  it('wraps unencodable text so that it comes back exactly', () => {
    const text = 'a\ud800\0é\\ud800';
    const identity = identify({ ...edits({ ...edit, match: text }), parent_pdcp_log_id: 'p' });
    const envelope = JSON.parse(identity.content) as { inputs: string };
    expect(Object.keys(envelope)).toEqual(['evidence_format', 'inputs', 'protocol_version', 'runtime_version']);
    expect(identity.content).toMatch(/^[\x20-\x7e]*$/);
    const inputs = JSON.parse(envelope.inputs) as { parent_pdcp_log_id: string; record: { edits: { match: string }[] } };
    expect(inputs.parent_pdcp_log_id).toBe('p');
    expect(inputs.record.edits[0]?.match).toBe(text);
    expect(identity.fingerprint).toBe(sha256(`{"evidence_domain":"patchdiff-invalid-input/1","evidence_sha256":"${sha256(envelope.inputs)}","target_file_id":"${TARGET}"}`));
  });

  it('wraps oversized payloads by digest and prefix', () => {
    const args = edits({ ...edit, replace: '漢'.repeat(1_500_000) });
    const { payload } = prepareSubmission(TX1, args);
    const identity = identify(args);
    expect(identity.content).toBe(`{"bytes":${Buffer.byteLength(payload)},"evidence_format":"patchdiff-oversized-input/1","prefix":${JSON.stringify([...payload].slice(0, 256).join(''))},"sha256":"${sha256(payload)}"}`);
    expect(identity.envelope).toBe('patchdiff-oversized-input/1');
  });
});

describe('what comes before protocol', () => {
  const row = { version: 3, hash: 'a'.repeat(64) };
  const fault = (args: JsonObject, resolved = false) => preconditionFault(prepareSubmission(TX1, args), row, resolved);
  const guarded = (more: JsonObject): JsonObject => argsOf({ expected_target_version: 3, ...more });

  it('is judged in the one order', () => {
    const worst: JsonObject = { client_request_id: 'a b', parent_pdcp_log_id: 'p', intent: '\ud800', expected_target_version: 2, expected_current_hash: 'b'.repeat(64) };
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
    for (const bad of ['', 'a b', 'é', 'x'.repeat(129), 'a\n', 5, {}, false] as JsonValue[]) expect(fault(guarded({ client_request_id: bad }))?.code).toBe('invalid_client_request_id');
    for (const unencodable of ['\ud800', 'a b\0', ['\udfff']] as JsonValue[]) expect(fault(guarded({ client_request_id: unencodable }))?.code).toBe('text_not_encodable');
    expect(fault(guarded({ client_request_id: ['\\ud800'], intent: '\0' }))?.code).toBe('invalid_client_request_id');
  });

  it('leaves malformed guards and parents to protocol', () => {
    expect(fault(argsOf({ expected_target_version: '2', expected_current_hash: 'B'.repeat(64), parent_pdcp_log_id: ' ' }))).toBeNull();
    expect(fault(guarded({ parent_pdcp_log_id: 5 }))).toBeNull();
    expect(fault(guarded({ parent_pdcp_log_id: 'p' }), true)).toBeNull();
  });

  it('says what was expected and what is', () => {
    expect(fault(argsOf({ expected_target_version: 2 }))).toMatchObject({ detail: 'the target is at version 3, not 2; read it again', evidence: { expected: 2, actual: 3 } });
    expect(fault(argsOf({ expected_target_version: null, expected_current_hash: 'b'.repeat(64) }))).toMatchObject({ evidence: { expected: 'b'.repeat(64), actual: 'a'.repeat(64) } });
  });

  it('shows a conflicting key cut to 256 code points', () => {
    expect(keyConflictFault('k', 'log').evidence).toEqual({ existing_pdcp_log_id: 'log', submitted_client_request_id: 'k', submitted_client_request_id_truncated: false });
    expect(keyConflictFault('😀'.repeat(300), null).evidence).toEqual({ existing_pdcp_log_id: null, submitted_client_request_id: '😀'.repeat(256), submitted_client_request_id_truncated: true });
  });

  it('keeps values that fit no column', () => {
    const submission = prepareSubmission(TX1, { client_request_id: 'a b', parent_pdcp_log_id: 'x'.repeat(2_000), attempt: 0, source: ' ', expected_target_version: 1.5, expected_current_hash: 'é' });
    expect(rawValuesOf(submission, false)).toEqual({
      raw_client_request_id: '"a b"', raw_parent_pdcp_log_id: `"${'x'.repeat(1_023)}`, raw_attempt: '0', raw_source: '" "', raw_expected_target_version: '1.5', raw_expected_current_hash: '"\\u00e9"',
    });
    expect(rawValuesOf(prepareSubmission(TX1, guarded({ parent_pdcp_log_id: 'p', client_request_id: 'k', attempt: 1, source: 's' })), true)).toEqual({});
  });
});

describe('profiles', () => {
  it('are the eight of the contract with their legal pairs', () => {
    const pairs = PROFILES.map(({ name, protocols }) => [name.replace('patchdiff-', ''), protocols.map((protocol) => protocol.replace('patchdiff-', '')).join(' ')]);
    expect(pairs).toEqual([
      ['mvp-0.1.0', 'tx/1'], ['mvp-0.2.0', 'tx/1'], ['mvp-0.2.1', 'tx/1'], ['mvp-0.2.2', 'tx/1'], ['mvp-0.3.0', 'tx/2'], ['mvp-0.4.0', 'tx/2 tx/3'], ['mvp-0.5.0', 'tx/2'], ['observed-batch-r1', 'observed-batch/1'],
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
    const runtime = (format: typeof TX1 | typeof TX2 | typeof TX3, args: JsonObject): string => runtimeVersionFor(prepareSubmission(format, args).record);
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
    const levels = (['precondition_guard', 'protocol_validation', 'transaction_applicability', 'commit_guard', 'accepted'] as const).map((stage) => {
      const { protocol_valid, transaction_valid, task_correct, semantic } = validityOf(stage);
      expect([task_correct, semantic]).toEqual(['not_evaluated', 'not_evaluated']);
      return [protocol_valid, transaction_valid];
    });
    expect(levels).toEqual([[null, null], [false, null], [true, false], [true, true], [true, true]]);
  });

  it('retries a selector that excluded all, not a malformed one', () => {
    expect(isRetryable('disambiguation_invalid', 'transaction_applicability')).toBe(true);
    expect(isRetryable('disambiguation_invalid', 'protocol_validation')).toBe(false);
    expect(isRetryable('target_version_mismatch', 'precondition_guard')).toBe(true);
    expect(isRetryable('context_invalid', 'commit_guard')).toBe(false);
  });
});
