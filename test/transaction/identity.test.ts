import { describe, expect, it } from 'vitest';
import { encodeCanonical, identityOf, prepareSubmission } from '../../src/transaction/index.ts';
import type { JsonObject } from '../../src/transaction/index.ts';
import { edits, TARGET } from './helpers.ts';
import { sha256 } from './reference.ts';

const TX1 = 'patchdiff-tx/1';
const TX3 = 'patchdiff-tx/3';
const edit = { match: 'a', replace: 'b' };

describe('the record', () => {
  it('keeps what was sent, fills the guards and leaves the invocation out', () => {
    const submission = prepareSubmission(TX1, {
      ...edits({ ...edit, risk: null, replace: 'x\r\ny' }),
      client_request_id: 'k',
      parent_pdcp_log_id: 'P',
      attempt: 3,
      source: 's',
      correlation_id: 'c',
    });
    expect(submission.payload).toBe(
      `{"edits":[{"match":"a","replace":"x\\r\\ny","risk":null}],"expected_current_hash":null,"expected_target_version":0,"format":"patchdiff-tx/1","intent":"test","target_file_id":"${TARGET}"}`,
    );
    expect(submission).toMatchObject({
      targetFileId: TARGET,
      clientRequestId: 'k',
      parent: 'P',
      attempt: 3,
      source: 's',
      rawMetadata: null,
      encodable: true,
    });
  });

  it('is as much longer than the arguments as the contract says', () => {
    const wire = JSON.stringify({ target_file_id: TARGET, intent: 'i', expected_target_version: 0, edits: [edit] });
    expect(prepareSubmission(TX1, JSON.parse(wire) as JsonObject).payload.length - wire.length).toBe(55);
    const replacement = JSON.stringify({
      target_file_id: TARGET,
      intent: 'i'.repeat(86),
      expected_target_version: 0,
      expected_current_hash: null,
      replacement: 'abc',
    });
    expect(prepareSubmission(TX3, JSON.parse(replacement) as JsonObject).payload.length - replacement.length).toBe(58);
  });

  it('moves reserved names out of the way until a free one is found', () => {
    const names = (format: typeof TX1 | typeof TX3, args: JsonObject): string[] =>
      Object.keys(prepareSubmission(format, args).record).sort();
    expect(names(TX1, { format: 1, argument_format: 2, argument_argument_format: 3 })).toEqual([
      'argument_argument_argument_format',
      'argument_argument_format',
      'argument_format',
      'expected_current_hash',
      'expected_target_version',
      'format',
    ]);
    expect(names(TX3, { replacement: 'x', operations: 1 })).toEqual([
      'argument_operations',
      'expected_current_hash',
      'expected_target_version',
      'format',
      'operations',
    ]);
    expect(names(TX3, { replacement: 5, operations: 1 })).toEqual([
      'argument_operations',
      'expected_current_hash',
      'expected_target_version',
      'format',
      'replacement',
    ]);
    expect(names(TX3, {})).toEqual(['expected_current_hash', 'expected_target_version', 'format']);
  });

  it('takes values that fit no parameter as raw text', () => {
    const submission = prepareSubmission(TX1, {
      ...edits(edit),
      client_request_id: 5,
      parent_pdcp_log_id: 'a\ud800',
      attempt: 1.5,
      source: { é: null },
    });
    expect(submission).toMatchObject({
      clientRequestId: null,
      parent: null,
      attempt: null,
      source: null,
      encodable: false,
      rawMetadata: { client_request_id: '5', parent_pdcp_log_id: '"a\\ud800"', attempt: '1.5', source: '{"\\u00e9":null}' },
    });
    expect(prepareSubmission(TX1, { attempt: -2147483648, client_request_id: ' ', source: '' })).toMatchObject({
      attempt: -2147483648,
      clientRequestId: ' ',
      source: '',
      rawMetadata: null,
    });
    expect(prepareSubmission(TX1, { attempt: null, client_request_id: null })).toMatchObject({
      attempt: null,
      clientRequestId: null,
      rawMetadata: null,
    });
  });

  it('has no target when the id is none', () => {
    for (const id of [null, 5, '', 'x', `${TARGET}\n`, `{${TARGET}}`, TARGET.replaceAll('-', '')])
      expect(prepareSubmission(TX1, { target_file_id: id }).targetFileId).toBeNull();
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
      sha256(
        `{"expected_current_hash":null,"expected_target_version":0,"parent_pdcp_log_id":"Parent","pdcp_content_hash":"${contentHash}","protocol_version":"patchdiff-tx/1","target_file_id":"${TARGET}"}`,
      ),
    );
  });

  it('does not cover key, attempt, source and correlation id', () => {
    const plain = identify(edits(edit));
    expect(identify({ ...edits(edit), client_request_id: 'k', attempt: 5, source: 's', correlation_id: 'c' })).toEqual(plain);
    expect(identify({ ...edits(edit), intent: 'other' }).fingerprint).not.toBe(plain.fingerprint);
  });

  it('counts malformed guards as null', () => {
    const { content, fingerprint } = identify({ ...edits(edit), expected_target_version: '0' });
    expect(fingerprint).toBe(
      sha256(
        encodeCanonical({
          protocol_version: TX1,
          target_file_id: TARGET,
          pdcp_content_hash: sha256(content),
          expected_target_version: null,
          expected_current_hash: null,
          parent_pdcp_log_id: null,
        }),
      ),
    );
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
    expect(identity.fingerprint).toBe(
      sha256(`{"evidence_domain":"patchdiff-invalid-input/1","evidence_sha256":"${sha256(envelope.inputs)}","target_file_id":"${TARGET}"}`),
    );
  });

  it('wraps oversized payloads by digest and prefix', () => {
    const args = edits({ ...edit, replace: '漢'.repeat(1_500_000) });
    const { payload } = prepareSubmission(TX1, args);
    const identity = identify(args);
    expect(identity.content).toBe(
      `{"bytes":${Buffer.byteLength(payload)},"evidence_format":"patchdiff-oversized-input/1","prefix":${JSON.stringify([...payload].slice(0, 256).join(''))},"sha256":"${sha256(payload)}"}`,
    );
    expect(identity.envelope).toBe('patchdiff-oversized-input/1');
  });
});
