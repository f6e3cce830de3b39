import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { commitAttempt } from '../../src/db/calls/commit-attempt.ts';
import { prepareSubmission } from '../../src/transaction/index.ts';
import type { Format, JsonObject, JsonValue } from '../../src/transaction/index.ts';
import { Random } from '../helpers/random.ts';
import { newTarget, textOf, useService } from '../service/support/service.ts';
import { bareCall, findingsOf, logOf } from './support/attempts.ts';
import { canonicalJson, fullArguments, ordinaryFingerprint, recordOf, sound } from './support/invalid-text.ts';
import { importAttempt, rejectedCall } from './support/imports.ts';
import { appendLegacy } from './support/legacy.ts';

const context = useService();
const CONTENT = 'alpha beta\n';
const DIAGNOSTIC = '{ "old":"shape",\t"x":[1, 2.50] }';
const KEYS = ['k', 'a key with spaces', 'clé 漢字 😀', ' ', '\n', 'K'.repeat(400)];
const OUTCOME = ['transaction_applicability', 'match_absent', null] as const;
const RUNTIME = { 'patchdiff-tx/1': 'patchdiff-mvp-0.2.0', 'patchdiff-tx/2': 'patchdiff-mvp-0.3.0', 'patchdiff-tx/3': 'patchdiff-mvp-0.4.0' };
let admin: pg.Client;
let owner: pg.Client;

beforeAll(async () => {
  admin = await context.server.client('admin');
  owner = await context.server.client('owner');
});

interface Stored {
  id: string;
  format: Format;
  args: JsonObject;
  attempt: string;
}

/**
 * A target whose log holds these arguments as an older rule stored them: as plain canonical JSON. Brought in by its owner, who
 * has the fingerprint computed or leaves it out; a parent that no import can name is put there by hand, fingerprint included.
 */
async function storeLegacy(
  format: Format,
  argsOf: (id: string) => JsonObject,
  key: string,
  { isFingerprinted = true, parent = null }: { isFingerprinted?: boolean; parent?: string | null } = {},
): Promise<Stored> {
  const id = await newTarget(context.service, CONTENT);
  const args = argsOf(id);
  const payload = canonicalJson(recordOf(format, args));
  const fingerprint = ordinaryFingerprint(format, id, args, parent);
  const stored = { id, format, args: { ...args, client_request_id: key } };
  if (parent !== null) return { ...stored, attempt: await appendLegacy(admin, id, { payload, key, fingerprint, format, diagnostic: DIAGNOSTIC }) };
  const call = rejectedCall({ target: id, content: CONTENT, version: 0 }, [format, RUNTIME[format]], payload, OUTCOME, {
    client_request_id: key,
    is_fingerprinted: isFingerprinted,
    diagnostic: DIAGNOSTIC,
  });
  const row = await importAttempt(owner, call);
  expect(row.request_fingerprint).toBe(isFingerprinted ? fingerprint : null);
  return { ...stored, attempt: row.pdcp_log_id };
}

/** Both ways in say that the arguments stand for the stored attempt, preview says that they would, and nothing is written. */
async function expectRecovery({ id, format, attempt }: Stored, args: JsonObject): Promise<void> {
  const before = await logOf(admin, id);
  const said = JSON.stringify(args);
  const recovered = { deduplicated: true, pdcp_log_id: attempt };
  expect(await context.another().submit(format, args), said).toMatchObject({ ...recovered, status: 'rejected', diagnostic: JSON.parse(DIAGNOSTIC) as JsonObject });
  expect(await commitAttempt(context.database, bareCall(prepareSubmission(format, args), id)), said).toMatchObject({ ...recovered, outcome: 'rejected' });
  expect(await context.service.preview({ ...args, format }), said).toMatchObject({ status: 'would_recover' });
  expect(await logOf(admin, id)).toEqual(before);
  expect(before.find((row) => row['pdcp_log_id'] === attempt)?.diagnostic).toBe(DIAGNOSTIC);
}

async function expectConflict({ id, format, attempt }: Stored, args: JsonObject): Promise<void> {
  const said = JSON.stringify(args);
  expect(await context.service.preview({ ...args, format }), said).toMatchObject({ status: 'would_reject', failure_code: 'request_key_conflict' });
  expect(await context.service.submit(format, args), said).toMatchObject({
    deduplicated: false,
    failure_code: 'request_key_conflict',
    diagnostic: { existing_pdcp_log_id: attempt },
  });
  expect((await logOf(admin, id)).at(-1)).toMatchObject({ client_request_id: null });
}

/** Puts NUL into one text of the record, or into a name. */
function withNul(random: Random, args: JsonObject): JsonObject {
  const text = `${sound(random)}\0${sound(random)}`;
  return random.pick<JsonObject>([
    { ...args, intent: text },
    { ...args, [text]: 1 },
    { ...args, extra: [{ [text]: sound(random) }, text] },
    { ...args, expected_current_hash: text },
    { ...args, expected_target_version: text },
  ]);
}

describe('a key that an older rule stored for a record with NUL', () => {
  test.each(KEYS)('recovers that outcome, key %j', async (key) => {
    const random = new Random(key.length);
    for (let round = 0; round < 12; round += 1) {
      const stored = await storeLegacy(...legacyOf(random), key, { isFingerprinted: round % 3 > 0 });
      await expectRecovery(stored, stored.args);
      await expectConflict(stored, { ...stored.args, intent: `${sound(random)}another\0` });
      await expectConflict(stored, { ...stored.args, intent: `${sound(random)}\ud800` });
      expect(await textOf(context.service, stored.id)).toBe(CONTENT);
      expect(await findingsOf(admin, stored.id)).toEqual([]);
      expect(await context.service.replayTarget({ target_file_id: stored.id })).toMatchObject({ materialized_state_matches: true });
    }
  });

  function legacyOf(random: Random): [Format, (id: string) => JsonObject] {
    const { format, args } = fullArguments(random, '', 0);
    const spoilt = withNul(random, args);
    return [format, (id) => ({ ...spoilt, target_file_id: id })];
  }

  test('nor normalises it: keys that differ only in form, case or blanks are other keys', async () => {
    const stored = await storeLegacy('patchdiff-tx/1', (id) => ({ target_file_id: id, intent: '\0', expected_target_version: 0 }), 'Clé é');
    for (const key of ['clé é', 'Cle\u0301 e\u0301', 'Clé é ', 'Clé  é', 'Clé é\n']) {
      expect(await context.service.submit('patchdiff-tx/1', { ...stored.args, client_request_id: key })).toMatchObject({ deduplicated: false, failure_code: 'invalid_client_request_id' });
    }
  });
});

describe('a key that was stored for a sound record', () => {
  const plain = (id: string): JsonObject => ({ target_file_id: id, intent: 'i', expected_target_version: 0, edits: [{ match: 'gone\u{1f600}', replace: 'b' }] });

  test.each<[string, JsonObject]>([
    ['a source that is no text', { source: '\ud800' }],
    ['a source with NUL', { source: 's\0' }],
    ['an attempt of invalid text', { attempt: '\udc00' }],
    ['a correlation id of invalid text', { correlation_id: ['\0'] }],
    ['a parent that is no string', { parent_pdcp_log_id: ['\0'] }],
  ])('recovers although the retry comes with %s', async (_name, more) => {
    const stored = await storeLegacy('patchdiff-tx/1', plain, 'k');
    await expectRecovery(stored, { ...stored.args, ...more });
    await expectConflict(stored, { ...stored.args, ...more, intent: 'j' });
  });

  test('recovers with a parent as supplied, NUL and all; with no other', async () => {
    for (const parent of ['p\0é', '\0', '"\\u0000'.concat('\0')]) {
      const stored = await storeLegacy('patchdiff-tx/1', plain, 'k', { parent });
      await expectRecovery(stored, { ...stored.args, parent_pdcp_log_id: parent });
      for (const other of [`${parent} `, 'p\ud800', null, ['p\0é']] as JsonValue[]) await expectConflict(stored, { ...stored.args, parent_pdcp_log_id: other });
    }
  });

  test('a recovered outcome of today is one as well', async () => {
    const id = await newTarget(context.service, CONTENT);
    const args = { ...plain(id), edits: [{ match: 'alpha', replace: 'gamma' }], client_request_id: 'k' };
    const first = await context.service.submit('patchdiff-tx/1', args);
    expect(first).toMatchObject({ status: 'accepted' });
    expect(await context.service.submit('patchdiff-tx/1', { ...args, source: '\ud800' })).toMatchObject({ status: 'accepted', deduplicated: true, pdcp_log_id: first['pdcp_log_id'] });
    expect(await textOf(context.service, id)).toBe('gamma beta\n');
  });
});

test('a key that was stored before there were limits recovers for a record that is too long, too deep or too large', async () => {
  let deep: JsonValue = 1;
  for (let level = 0; level < 70; level += 1) deep = [deep];
  for (const more of [{ edits: Array.from({ length: 2_001 }, () => ({ match: 'é', replace: '' })) }, { deep }, { intent: '漢'.repeat(1_400_000) }] as JsonObject[]) {
    const stored = await storeLegacy('patchdiff-tx/1', (id) => ({ target_file_id: id, intent: 'i', expected_target_version: 0, ...more }), 'k');
    await expectRecovery(stored, stored.args);
    await expectConflict(stored, { ...stored.args, more: 1 });
  }
});

test.each<[string, JsonObject]>([
  ['a sound record', { intent: 'i é😀' }],
  ['a sound record of a hash guard', { expected_target_version: null, expected_current_hash: 'a'.repeat(64) }],
  ['a record that only the import could tell from another', { intent: 'i\\u0000' }],
])('a key without a fingerprint is compared by the record that is stored: %s', async (_name, more) => {
  const args = (id: string): JsonObject => ({ target_file_id: id, intent: 'i', expected_target_version: 0, edits: [{ match: 'gone', replace: '' }], ...more });
  const stored = await storeLegacy('patchdiff-tx/1', args, 'a key', { isFingerprinted: false });
  await expectRecovery(stored, stored.args);
  await expectConflict(stored, { ...stored.args, expected_target_version: 0, expected_current_hash: null, intent: 'other' });
});

test('an envelope without a fingerprint is a request of its own: nothing tells what it would be compared by', async () => {
  const id = await newTarget(context.service, CONTENT);
  const inputs = '{"parent_pdcp_log_id":null,"record":{}}';
  const payload = canonicalJson({ evidence_format: 'patchdiff-invalid-input/1', inputs, protocol_version: 'unknown', runtime_version: 'patchdiff-mvp-0.2.2' });
  const outcome = ['protocol_validation', 'target_encoding_invalid', null] as const;
  const call = rejectedCall({ target: id, content: CONTENT, version: 0 }, ['unknown', 'patchdiff-mvp-0.2.2'], payload, outcome, { client_request_id: 'k', is_fingerprinted: false });
  const { pdcp_log_id: attempt } = await importAttempt(owner, call);
  await expectConflict({ id, format: 'patchdiff-tx/1', args: {}, attempt }, { target_file_id: id, intent: '\0', client_request_id: 'k' });
});

test('an invalid text that took the key first keeps it against what an older rule would have meant', async () => {
  const id = await newTarget(context.service, CONTENT);
  const args = { target_file_id: id, intent: 'i\0', expected_target_version: 0, client_request_id: 'k' };
  const first = await context.service.submit('patchdiff-tx/1', args);
  expect(first).toMatchObject({ failure_code: 'text_not_encodable' });
  expect(await context.service.submit('patchdiff-tx/1', args)).toMatchObject({ deduplicated: true, pdcp_log_id: first['pdcp_log_id'] });
});
