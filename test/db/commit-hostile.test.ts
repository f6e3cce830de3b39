import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitAttempt, type CommitAttempt, type CommitReceiptRow } from '../../src/db/calls/commit-attempt.ts';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/port.ts';
import { encodeCanonical, prepareSubmission, type JsonObject } from '../../src/transaction/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { sha256 } from './support/attacks.ts';

/** Far above what a sound procedure takes on a busy machine, far below what the attacks took. */
const LIMIT = '20s';
const TEXT = 'one two three';

const database = useDatabase();
let writer: Database;
let admin: pg.Client;

beforeAll(async () => {
  admin = await database.client('admin');
  await admin.query(`alter database ${database.name} set statement_timeout = '${LIMIT}'`);
  writer = openDatabase({ connectionString: database.url('writer'), max: 1 });
});
afterAll(() => writer.close());

async function create(content = TEXT): Promise<string> {
  const { rows } = await admin.query<{ id: string }>(`select target_file_id as id from patchdiff.create_target(null, 'doc', $1)`, [content]);
  return rows[0]?.id ?? '';
}

/** A submission that the caller did not evaluate, by its payload's text. */
function callOf(id: string, payload: string, changes: Partial<CommitAttempt> = {}): CommitAttempt {
  return {
    targetFileId: id,
    payload,
    clientRequestId: null,
    parent: null,
    attempt: null,
    source: null,
    actor: null,
    baseHash: null,
    verdict: 'none',
    resolvedStarts: null,
    afterHash: null,
    diagnostic: null,
    warnings: null,
    rawMetadata: null,
    ...changes,
  };
}

function payloadOf(id: string, members: JsonObject = {}): string {
  return encodeCanonical({
    edits: [{ match: 'two', replace: '2' }],
    expected_current_hash: null,
    expected_target_version: 0,
    format: 'patchdiff-tx/1',
    intent: 'i',
    target_file_id: id,
    ...members,
  });
}

test.each(['{"host":"\\u0000"}', '{"agent":"\\ud800"}', '{"\\udc00":1}', `["${'\\ud83d\\ude00'.repeat(20)}\\ud83d"]`])(
  'an actor that no view could read is misuse: %s',
  async (actor) => {
    const id = await create();
    await expect(commitAttempt(writer, callOf(id, payloadOf(id), { actor }))).rejects.toMatchObject({ sqlstate: 'PD100' });
  },
);

test('an actor with escapes that can be read is kept', async () => {
  const id = await create();
  const honest = { verdict: 'accepted', baseHash: sha256(TEXT), resolvedStarts: [4], afterHash: sha256('one 2 three') } as const;
  const actor = '{"host":"\\u0041","agent":"\\ud83d\\ude00","session":"\\\\u0000"}';
  expect(await commitAttempt(writer, callOf(id, payloadOf(id), { ...honest, actor }))).toMatchObject({ outcome: 'accepted' });
  const { rows } = await admin.query('select actor_host, actor_agent, actor_session from patchdiff_audit.attempts where target_file_id = $1', [id]);
  expect(rows).toEqual([{ actor_host: 'A', actor_agent: '😀', actor_session: '\\u0000' }]);
});

test('a row with an actor that cannot be read spoils no page of the audit views', async () => {
  const id = await create();
  const honest = { verdict: 'accepted', baseHash: sha256(TEXT), resolvedStarts: [4], afterHash: sha256('one 2 three') } as const;
  await commitAttempt(writer, callOf(id, payloadOf(id), honest));
  // Rows from before the refusal, or by another hand: the views must bear what is there.
  await admin.query(
    `create temporary table attempt as select * from patchdiff_store.append_only_pdcp_logs where target_file_id = '${id}';
     create temporary table change as select * from patchdiff_store.append_only_manifest_ledger where target_file_id = '${id}';
     update pg_temp.attempt set actor = '{"host":"\\u0000"}', pdcp_log_id = gen_random_uuid(), log_sequence = 2, chain_sequence = chain_sequence + 1;
     update pg_temp.change set log_sequence = 2, ledger_sequence = 2;
     insert into patchdiff_store.append_only_pdcp_logs select * from pg_temp.attempt;
     insert into patchdiff_store.append_only_manifest_ledger select * from pg_temp.change`,
  );
  for (const view of ['attempts', 'changes']) {
    const { rows } = await admin.query(`select actor_host from patchdiff_audit.${view} where target_file_id = $1`, [id]);
    expect(rows).toEqual([{ actor_host: null }, { actor_host: null }]);
  }
});

test('unencodable text is wrapped although every private-use character occurs', async () => {
  const id = await create();
  const marks = Array.from({ length: 6400 }, (_, index) => String.fromCharCode(0xe000 + index)).join('');
  const submission = prepareSubmission('patchdiff-tx/1', {
    target_file_id: id,
    intent: 'i',
    expected_target_version: `${marks}\ud800\ue000`,
    edits: [{ match: 'two', replace: marks.repeat(70) }],
  });
  const receipt = await commitAttempt(writer, callOf(id, submission.payload));
  expect(receipt).toMatchObject({ outcome: 'rejected', failure_code: 'text_not_encodable' });
});

test('a malformed guard beside unencodable text is kept as it was written', async () => {
  const id = await create();
  const guard = '\ue000u\ue000e\\ud800\ud800\u0001\udfff😀\\\0';
  const submission = prepareSubmission('patchdiff-tx/1', { target_file_id: id, intent: 'i', expected_target_version: guard, edits: [] });
  const receipt = await commitAttempt(writer, callOf(id, submission.payload));
  const raw = (receipt.diagnostic as { raw_expected_target_version: string }).raw_expected_target_version;
  expect(JSON.parse(raw)).toBe(guard);
});

const HUGE = '1e131071';
const HUGES = Array<string>(300_000).fill(HUGE).join();
test.each<[string, (id: string) => string, string]>([
  ['in place of texts', (id) => payloadOf(id).replace(/"edits":\[.*\],/, () => `"edits":[${Array(1999).fill(`{"match":${HUGE},"replace":${HUGE},"rationale":${HUGE}}`).join()}],`), 'field_type'],
  ['in too many items', (id) => payloadOf(id).replace(/"edits":\[.*\],/, () => `"edits":[${Array(90_000).fill(`{"match":${HUGE},"replace":${HUGE}}`).join()}],`), 'too_many_operations'],
  ['inside a text field', (id) => payloadOf(id).replace('"two"', () => `[${HUGES}]`), 'field_type'],
  ['inside the intent', (id) => payloadOf(id).replace('"i"', () => `[${HUGES}]`), 'intent_invalid'],
  ['inside the version guard', (id) => payloadOf(id).replace('version":0', () => `version":[${HUGES}]`), 'guard_malformed'],
  ['inside the hash guard', (id) => payloadOf(id).replace('hash":null', () => `hash":[${HUGES}]`), 'guard_malformed'],
  ['inside the target id', (id) => payloadOf(id).replace(`"${id}"`, () => `[${HUGES}]`), 'target_mismatch'],
  ['inside the format', (id) => payloadOf(id).replace('"patchdiff-tx/1"', () => `[${HUGES}]`), 'unknown_format'],
  ['inside the whole text', (id) => payloadOf(id).replace(/"edits":.*tx\/1"/, () => `"expected_target_version":0,"format":"patchdiff-tx/3","operations":[{"op":"replace_all","replace":[${HUGES}]}]`), 'field_type'],
  ['under an unknown name', (id) => payloadOf(id).replace('"replace":', () => `"aa":[${HUGES}],"replace":`), 'unknown_field'],
])('long numbers %s cost what their bytes cost', async (_name, payload, code) => {
  const id = await create();
  const receipt = await commitAttempt(writer, callOf(id, payload(id)));
  expect(receipt).toMatchObject({ outcome: 'rejected', failure_code: code });
});

test.each<[string, Partial<CommitAttempt>]>([
  ['key', { clientRequestId: 'é'.repeat(4097) }],
  ['parent', { parent: 'x'.repeat(8193) }],
  ['source', { source: 'x'.repeat(8193) }],
])('a %s over 8,192 bytes is misuse', async (_name, changes) => {
  const id = await create();
  await expect(commitAttempt(writer, callOf(id, payloadOf(id), changes))).rejects.toMatchObject({ sqlstate: 'PD100' });
});

test.each<[string, JsonObject, string, string]>([
  ['key', { client_request_id: 'é'.repeat(20_000_000) }, 'invalid_client_request_id', 'raw_client_request_id'],
  ['parent', { parent_pdcp_log_id: 'x'.repeat(20_000_000) }, 'parent_malformed', 'raw_parent_pdcp_log_id'],
  ['source', { source: 'x'.repeat(20_000_000) }, 'source_malformed', 'raw_source'],
  ['source of 257 code points', { source: '𝒳'.repeat(257) }, 'source_malformed', 'raw_source'],
])('a long %s is recorded as malformed, cut', async (_name, args, code, raw) => {
  const id = await create();
  const all = { target_file_id: id, intent: 'i', expected_target_version: 0, edits: [{ match: 'two', replace: '2' }], ...args };
  const submission = prepareSubmission('patchdiff-tx/1', all);
  const receipt = await commitAttempt(writer, {
    ...callOf(id, submission.payload),
    source: submission.source,
    rawMetadata: submission.rawMetadata === null ? null : JSON.stringify(submission.rawMetadata),
  });
  expect(receipt).toMatchObject({ outcome: 'rejected', failure_code: code });
  expect((receipt.diagnostic as Record<string, string>)[raw]).toHaveLength(1024);
  const { rows } = await admin.query('select submission_source from patchdiff_store.append_only_pdcp_logs where target_file_id = $1', [id]);
  expect(rows).toEqual([{ submission_source: code === 'source_malformed' ? null : 'model_response' }]);
});

test.each([
  '{"attempt":" 5"}',
  '{"attempt":"2000000000"}',
  '{"attempt":"5.0"}',
  '{"attempt":"-1"}',
  '{"attempt":" null"}',
  '{"source":" null"}',
  '{"source":" \\"x\\""}',
  '{"source":"\\"\\\\u0041\\""}',
  '{"client_request_id":"nul"}',
])('raw metadata that would fit its parameter is misuse: %s', async (rawMetadata) => {
  const id = await create();
  await expect(commitAttempt(writer, callOf(id, payloadOf(id), { rawMetadata }))).rejects.toMatchObject({ sqlstate: 'PD100' });
});

test.each(['{"attempt":"2147483648"}', '{"attempt":"0.5"}', '{"attempt":"1e400000"}', `{"attempt":"${'['.repeat(90_000)}${']'.repeat(90_000)}"}`])(
  'raw metadata that does not fit is recorded: %.40s',
  async (rawMetadata) => {
    const id = await create();
    expect(await commitAttempt(writer, callOf(id, payloadOf(id), { rawMetadata }))).toMatchObject({ failure_code: 'attempt_malformed' });
  },
);

test.each([
  ['intent', { intent: '𝒳'.repeat(4097) }, 'intent_too_long', 'intent: at most 4096 code points'],
  ['rationale', { edits: [{ match: 'two', replace: '2', rationale: 'x'.repeat(4097) }] }, 'rationale_too_long', 'edits[0].rationale: at most 4096 code points'],
])('a long %s is refused in words', async (_name, members: JsonObject, code, words) => {
  const id = await create();
  expect(await commitAttempt(writer, callOf(id, payloadOf(id, members)))).toMatchObject({ failure_code: code, failure_detail: words });
});

test('strict checks of PL/pgSQL that a caller turns on change nothing', async () => {
  const client = await database.client('writer');
  await client.query(`set plpgsql.extra_errors = 'all'`);
  const id = await create();
  const { rows } = await client.query<CommitReceiptRow>(
    `select * from patchdiff.commit_attempt($1, $2, 'key', null, null, null, null, $3, 'accepted', array[4], $4, null, null)`,
    [id, payloadOf(id), sha256(TEXT), sha256('one 2 three')],
  );
  expect(rows[0]).toMatchObject({ outcome: 'accepted', decided_by: 'runtime' });
  const spans = payloadOf(id, { expected_target_version: 1, edits: [{ match: 'e', replace: 'x' }], source: 5 });
  const other = await client.query<CommitReceiptRow>(
    `select * from patchdiff.commit_attempt($1, $2, 'key', null, null, null, null, $3, 'accepted', array[4], $4, null, null)`,
    [id, spans, sha256('one 2 three'), sha256('x')],
  );
  expect(other.rows[0]).toMatchObject({ failure_code: 'request_key_conflict' });
  const ambiguous = await client.query<CommitReceiptRow>(
    `select * from patchdiff.commit_attempt($1, $2, null, null, null, null, null, $3, 'rejected', null, null, '{"failure_reason":"match_ambiguous"}', null)`,
    [id, payloadOf(id, { expected_target_version: 1, edits: [{ match: 'e', replace: 'x' }] }), sha256('one 2 three')],
  );
  expect(ambiguous.rows[0]).toMatchObject({ failure_code: 'match_ambiguous', decided_by: 'runtime' });
});

test('a stack that the caller used up is not blamed on the payload', async () => {
  const client = await database.client('admin');
  const id = await create();
  await client.query(`create function pg_temp.below(p_depth integer, p_id uuid, p_payload text) returns text language plpgsql as $$
    begin
      if p_depth > 0 then return pg_temp.below(p_depth - 1, p_id, p_payload); end if;
      return (patchdiff.commit_attempt(p_id, p_payload, null, null, null, null, null, null, 'none', null, null, null, null)).outcome;
    end $$`);
  await client.query(`set max_stack_depth = '200kB'`);
  const seen = new Set<string>();
  for (let depth = 0; depth < 80; depth += 1) {
    const query = client.query<{ outcome: string }>('select pg_temp.below($1, $2, $3) as outcome', [depth, id, payloadOf(id)]);
    seen.add(await query.then(({ rows }) => rows[0]?.outcome ?? '', (error: unknown) => (error as { code: string }).code));
  }
  expect([...seen].sort()).toEqual(['54001', 'stale_base']);
});
