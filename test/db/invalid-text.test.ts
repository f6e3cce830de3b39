import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { commitAttempt } from '../../src/db/calls/commit-attempt.ts';
import { encodeAscii, prepareSubmission } from '../../src/transaction/index.ts';
import type { Format, JsonObject, JsonValue } from '../../src/transaction/index.ts';
import { Random } from '../helpers/random.ts';
import { newTarget, textOf, useService } from '../service/support/service.ts';
import { bareCall, findingsOf, logOf } from './support/attempts.ts';
import { canonicalJson, fullArguments, holdsInvalid, INVALID, invalid, originalsOf, recordOf, sha256, sound, spoil } from './support/invalid-text.ts';

const context = useService();
const CONTENT = 'alpha beta\n';
const KEY = /^[\x21-\x7e]{1,128}$/;
let admin: pg.Client;

beforeAll(async () => {
  admin = await context.server.client('admin');
});

/** Invalid text somewhere in the arguments: in the record, beside it, or both. */
function spoiltArguments(random: Random, id: string, key: string): { format: Format; args: JsonObject } {
  const { format, args } = fullArguments(random, id, 0);
  const whole: JsonObject = { ...args, client_request_id: key };
  if (random.chance(0.3)) whole['parent_pdcp_log_id'] = random.pick([sound(random), 'x'.repeat(9_000), id.toUpperCase()]);
  if (random.chance(0.3)) whole['source'] = `s${sound(random)}`;
  if (random.chance(0.3)) whole['attempt'] = 1 + random.below(9);
  const places = random.pick([['record'], ['parent_pdcp_log_id'], ['source'], ['client_request_id'], ['attempt'], ['correlation_id'], ['record', 'record'], ['record', 'client_request_id']]);
  const spoilt = places.reduce<JsonObject>((before, place) => {
    if (place === 'record') return spoil(random, before) as JsonObject;
    return { ...before, [place]: random.pick<JsonValue>([invalid(random), [invalid(random)], { [invalid(random)]: 1 }]) };
  }, whole);
  return holdsInvalid(spoilt) ? { format, args: spoilt } : spoiltArguments(random, id, key);
}

describe('invalid text anywhere in a submission', () => {
  test.each([1, 2, 3])('is one rejected row that gives it back exactly (seed %i)', async (seed) => {
    const random = new Random(seed);
    const id = await newTarget(context.service, CONTENT);
    for (let round = 0; round < 120; round += 1) {
      const { format, args } = spoiltArguments(random, id, `k${round}`);
      const receipt = await context.service.submit(format, args);
      const row = (await logOf(admin, id)).at(-1)!;
      const said = { seed, round, args };
      expect(receipt, JSON.stringify(said)).toMatchObject({
        status: 'rejected',
        deduplicated: false,
        pdcp_log_id: row['pdcp_log_id'],
        failure_reason: 'target_encoding_invalid',
        failure_code: 'text_not_encodable',
        validity: { protocol_valid: false, transaction_valid: null },
        diagnostic: { validation_stage: 'protocol_validation', decided_by: 'database', retryable: false },
      });

      const { parent, record, inputs } = originalsOf(row.pdcp_content);
      expect(record).toEqual(recordOf(format, args));
      expect(parent).toEqual(args['parent_pdcp_log_id'] ?? null);
      expect(inputs).toBe(canonicalJson({ parent_pdcp_log_id: args['parent_pdcp_log_id'] ?? null, record: recordOf(format, args) }, true));
      expect(row.pdcp_content).toMatch(/^[\x20-\x7f]*$/);
      expect(Object.keys(JSON.parse(row.pdcp_content) as object)).toEqual(['evidence_format', 'inputs', 'protocol_version', 'runtime_version']);
      expect(JSON.parse(row.pdcp_content)).toMatchObject({ evidence_format: 'patchdiff-invalid-input/1', protocol_version: format });
      expect(row.request_fingerprint).toBe(
        sha256(canonicalJson({ evidence_domain: 'patchdiff-invalid-input/1', evidence_sha256: sha256(inputs), target_file_id: id })),
      );

      const key = args['client_request_id'];
      const diagnostic = JSON.parse(row.diagnostic!) as JsonObject;
      expect(row.client_request_id).toBe(typeof key === 'string' && KEY.test(key) ? key : null);
      if (row.client_request_id === null) expect(JSON.parse(diagnostic['raw_client_request_id'] as string)).toEqual(key);
      else expect(diagnostic).not.toHaveProperty('raw_client_request_id');
      const source = args['source'] ?? 'model_response';
      expect(row['submission_source'] ?? JSON.parse(diagnostic['raw_source'] as string)).toEqual(source);
      expect(JSON.stringify(row), 'a correlation id is kept nowhere').not.toContain('correlation_id');

      const again = await context.another().submit(format, args);
      expect(again['deduplicated']).toBe(row.client_request_id !== null);
      if (row.client_request_id !== null) expect(again['diagnostic']).toEqual(receipt['diagnostic']);
    }
    expect(await textOf(context.service, id)).toBe(CONTENT);
    expect(await context.service.replayTarget({ target_file_id: id })).toMatchObject({ status: 'success', materialized_state_matches: true });
    expect(await findingsOf(admin, id)).toEqual([]);
  });

  test.each(INVALID.map((text) => [encodeAscii(text), text]))('%s in the target id that the payload names', async (_name, text) => {
    const id = await newTarget(context.service, CONTENT);
    const submission = prepareSubmission('patchdiff-tx/1', { target_file_id: id + text, intent: 'i', expected_target_version: 0, edits: [] });
    const receipt = await commitAttempt(context.database, bareCall(submission, id));
    expect(receipt).toMatchObject({ outcome: 'rejected', failure_code: 'text_not_encodable', before_version: 0 });
    expect(originalsOf((await logOf(admin, id))[0]!.pdcp_content).record['target_file_id']).toBe(id + text);
  });

  test('a pair split over two fields is two halves; a whole pair is text', async () => {
    const id = await newTarget(context.service, 'a😀b');
    const edit = { match: 'a\ud83d', replace: '\ude00b' };
    const args = { target_file_id: id, intent: 'i', expected_target_version: 0 };
    expect(await context.service.submit('patchdiff-tx/1', { ...args, edits: [edit] })).toMatchObject({ failure_code: 'text_not_encodable' });
    expect(originalsOf((await logOf(admin, id))[0]!.pdcp_content).record['edits']).toEqual([edit]);
    expect(await context.service.submit('patchdiff-tx/1', { ...args, edits: [{ match: '\ud83d\ude00', replace: '' }] })).toMatchObject({ status: 'accepted' });
  });

  test('escapes of another writer are kept as they were sent, upper case and spaces included', async () => {
    const id = await newTarget(context.service, CONTENT);
    const payload = `{ "format":"patchdiff-tx/1", "intent":"\\uD83D \\uD83D\\uDE00 \\\\uD800 é😀", "target_file_id":"${id}"}`;
    const call = { ...bareCall(prepareSubmission('patchdiff-tx/1', {}), id), payload, clientRequestId: 'k' };
    expect(await commitAttempt(context.database, call)).toMatchObject({ failure_code: 'text_not_encodable' });
    const { record, inputs } = originalsOf((await logOf(admin, id))[0]!.pdcp_content);
    expect(record['intent']).toBe('\ud83d 😀 \\uD800 é😀');
    expect(inputs).toBe(`{"parent_pdcp_log_id":null,"record":${payload.replace('é😀', () => '\\u00e9\\ud83d\\ude00')}}`);
    expect(await commitAttempt(context.database, call)).toMatchObject({ deduplicated: true });
  });
});

describe('the request key of invalid text', () => {
  const args = (id: string, more: JsonObject): JsonObject => ({ target_file_id: id, intent: 'i', expected_target_version: 0, edits: [{ match: 'alpha', replace: 'b' }], ...more });

  test('valid: it recovers the first rejection, and another text under it is a conflict of its own', async () => {
    const id = await newTarget(context.service, CONTENT);
    const bad = args(id, { intent: 'i\ud800', client_request_id: 'k' });
    const first = await context.service.submit('patchdiff-tx/1', bad);
    await context.service.submit('patchdiff-tx/1', args(id, {}));
    expect(await context.another().submit('patchdiff-tx/1', bad)).toMatchObject({
      deduplicated: true,
      pdcp_log_id: first['pdcp_log_id'],
      diagnostic: first['diagnostic'],
      current_version: 1,
    });
    for (const other of [{ intent: 'i\ud801' }, { intent: 'i\0' }, { intent: 'i' }, { intent: 'i\ud800', parent_pdcp_log_id: 'p\0' }]) {
      expect(await context.service.submit('patchdiff-tx/1', { ...bad, ...other }), JSON.stringify(other)).toMatchObject({
        deduplicated: false,
        failure_code: 'request_key_conflict',
        diagnostic: { existing_pdcp_log_id: first['pdcp_log_id'], submitted_client_request_id: 'k', submitted_client_request_id_truncated: false },
      });
    }
    const rows = await logOf(admin, id);
    expect(rows.map((row) => row.client_request_id)).toEqual(['k', null, null, null, null, null]);
    expect(new Set(rows.map((row) => row.request_fingerprint)).size, 'the plain text stands in rows 2 and 5').toBe(5);
    expect(originalsOf(rows[2]!.pdcp_content).record['intent']).toBe('i\ud801');
    expect(await findingsOf(admin, id)).toEqual([]);
  });

  test('that a valid submission holds: the invalid one is a conflict and its text is kept', async () => {
    const id = await newTarget(context.service, CONTENT);
    const sent = await context.service.submit('patchdiff-tx/1', args(id, { client_request_id: 'k' }));
    expect(await context.service.submit('patchdiff-tx/1', args(id, { client_request_id: 'k', intent: '\udfff' }))).toMatchObject({
      failure_code: 'request_key_conflict',
      diagnostic: { existing_pdcp_log_id: sent['pdcp_log_id'] },
    });
    expect(originalsOf((await logOf(admin, id))[1]!.pdcp_content).record['intent']).toBe('\udfff');
  });

  test.each<[string, JsonValue]>([
    ['a lone half', '\ud800'],
    ['NUL among spaces', ' \0 '],
    ['too long as well', '\0'.repeat(9_000)],
    ['inside an array', ['k', '\udc00']],
    ['a key of an object', { 'k\0': 1 }],
  ])('unencodable itself (%s): the encoding wins over key syntax', async (_name, key) => {
    const id = await newTarget(context.service, CONTENT);
    expect(await context.service.submit('patchdiff-tx/1', args(id, { client_request_id: key }))).toMatchObject({
      failure_reason: 'target_encoding_invalid',
      diagnostic: { raw_client_request_id: encodeAscii(key).slice(0, 1_024) },
    });
    const [row] = await logOf(admin, id);
    expect(row).toMatchObject({ client_request_id: null });
    expect(row!.pdcp_content).not.toContain('client_request_id');
    const keys = await admin.query('select from patchdiff_store.request_keys where target_file_id = $1', [id]);
    expect(keys.rowCount).toBe(0);
  });

  test('of bad syntax only, beside invalid text: key syntax comes before the encoding', async () => {
    const id = await newTarget(context.service, CONTENT);
    for (const key of ['a b', '', 'é', 5, ['\\ud800']] as JsonValue[]) {
      expect(await context.service.submit('patchdiff-tx/1', args(id, { client_request_id: key, intent: '\ud800' }))).toMatchObject({
        failure_code: 'invalid_client_request_id',
        diagnostic: { raw_client_request_id: encodeAscii(key), validation_stage: 'precondition_guard' },
      });
      expect(originalsOf((await logOf(admin, id)).at(-1)!.pdcp_content).record['intent']).toBe('\ud800');
    }
  });
});
