import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitAttempt, type CommitAttempt, type CommitReceiptRow } from '../../src/db/calls/commit-attempt.ts';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/port.ts';
import { encodeCanonical, type JsonObject } from '../../src/transaction/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { sha256 } from './support/attacks.ts';

const database = useDatabase();
let writer: Database;
let admin: pg.Client;

beforeAll(async () => {
  writer = openDatabase({ connectionString: database.url('writer'), max: 1 });
  admin = await database.client('admin');
});
afterAll(() => writer.close());

const TEXT = 'one two three';
const AFTER = sha256('one 2 three');

async function create(content = TEXT): Promise<string> {
  const { rows } = await admin.query<{ id: string }>(`select target_file_id as id from patchdiff.create_target(null, 'doc', $1)`, [content]);
  return rows[0]?.id ?? '';
}

/** A canonical tx/1 record that replaces `two`. */
function recordOf(id: string, members: JsonObject = {}): JsonObject {
  return {
    edits: [{ match: 'two', replace: '2' }],
    expected_current_hash: null,
    expected_target_version: 0,
    format: 'patchdiff-tx/1',
    intent: 'i',
    target_file_id: id,
    ...members,
  };
}

function callOf(id: string, changes: Partial<CommitAttempt> = {}): CommitAttempt {
  return {
    targetFileId: id,
    payload: encodeCanonical(recordOf(id)),
    clientRequestId: null,
    parent: null,
    attempt: null,
    source: null,
    actor: null,
    baseHash: sha256(TEXT),
    verdict: 'accepted',
    resolvedStarts: [4],
    afterHash: AFTER,
    diagnostic: null,
    warnings: null,
    rawMetadata: null,
    ...changes,
  };
}

async function rowsOf(id: string): Promise<number> {
  const { rows } = await admin.query<{ n: number }>(
    'select count(*)::integer as n from patchdiff_store.append_only_pdcp_logs where target_file_id = $1',
    [id],
  );
  return rows[0]?.n ?? -1;
}

const claimOf = (receipt: CommitReceiptRow): unknown => (receipt.diagnostic as { derived?: unknown }).derived;

test.each<[string, Partial<CommitAttempt>]>([
  ['no starts', { resolvedStarts: null }],
  ['an empty array', { resolvedStarts: [] }],
  ['too many starts', { resolvedStarts: [4, 4] }],
  ['a null start', { resolvedStarts: [null as unknown as number] }],
  ['a negative start', { resolvedStarts: [-1] }],
  ['the smallest start', { resolvedStarts: [-2147483648] }],
  ['the largest start', { resolvedStarts: [2147483647] }],
  ['a start beside the match', { resolvedStarts: [5] }],
  ['a nested array', { resolvedStarts: [[4]] as unknown as number[] }],
  ['no result', { afterHash: null }],
  ['an upper-case result', { afterHash: AFTER.toUpperCase() }],
  ['another result', { afterHash: sha256('one three') }],
  ['a false rejection', { verdict: 'rejected', diagnostic: '{"failure_reason":"match_absent"}' }],
])('%s is a wrong claim: recorded, nothing applied, the key is not burnt', async (_name, changes) => {
  const id = await create();
  const receipt = await commitAttempt(writer, callOf(id, { clientRequestId: 'key', ...changes }));
  expect(receipt).toMatchObject({ outcome: 'rejected', failure_code: 'claim_mismatch', validation_stage: 'commit_guard', decided_by: 'database' });
  expect(claimOf(receipt)).toEqual({ verdict: 'accepted', failure_reason: null, after_hash: AFTER });
  expect(await commitAttempt(writer, callOf(id, { clientRequestId: 'key' }))).toMatchObject({ outcome: 'accepted', deduplicated: false });
});

test.each<[string, (payload: string) => string]>([
  ['a duplicate key', (payload) => payload.replace('"intent":"i"', '"intent":"h","intent":"i"')],
  ['a space', (payload) => payload.replace('":', '": ')],
  ['an escaped letter', (payload) => payload.replace('"2"', '"\\u0032"')],
  ['minus zero', (payload) => payload.replace('version":0', 'version":-0')],
  ['an exponent', (payload) => payload.replace('version":0', 'version":0e0')],
  ['a missing guard key', (payload) => payload.replace('"expected_current_hash":null,', '')],
])('a payload with %s is not canonical, so it is never accepted', async (_name, change) => {
  const id = await create();
  const call = callOf(id);
  const receipt = await commitAttempt(writer, { ...call, payload: change(call.payload) });
  expect(receipt).toMatchObject({ outcome: 'rejected', failure_code: 'claim_mismatch', current_version: 0 });
});

test.each<[string, (payload: string) => string, string]>([
  ['0.0 for an integer', (payload) => payload.replace('version":0', 'version":0.0'), 'context_invalid'],
  ['nesting in place of a number', (payload) => payload.replace('version":0', () => `version":${'['.repeat(70)}${']'.repeat(70)}`), 'manifest_invalid'],
  ['nesting beyond the stack', (payload) => payload.replace('"i"', () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`), 'manifest_invalid'],
  ['five megabytes', (payload) => payload.replace('"2"', () => `"${'x'.repeat(5_000_000)}"`), 'manifest_invalid'],
  ['true for a number', (payload) => payload.replace('version":0', 'version":true'), 'context_invalid'],
])('%s is a protocol fault, whatever was claimed', async (_name, change, reason) => {
  const id = await create();
  const call = callOf(id);
  const payload = change(call.payload);
  const claimed = await commitAttempt(writer, { ...call, payload });
  expect(claimed).toMatchObject({ outcome: 'rejected', failure_code: 'claim_mismatch' });
  expect(claimOf(claimed)).toEqual({ verdict: 'rejected', failure_reason: reason, after_hash: null });
  const honest = await commitAttempt(writer, { ...call, payload, verdict: 'none', baseHash: null });
  expect(honest).toMatchObject({ outcome: 'rejected', failure_reason: reason, decided_by: 'database', validation_stage: 'protocol_validation' });
});

test.each<[string, Partial<CommitAttempt>, string]>([
  ['no verdict', { verdict: null as unknown as 'none' }, 'PD100'],
  ['an unknown verdict', { verdict: 'derive' as 'none' }, 'PD100'],
  ['a rejection without a reason', { verdict: 'rejected' }, 'PD100'],
  ['a rejection with an unreadable reason', { verdict: 'rejected', diagnostic: '{"failure_reason":"\\u0000"}' }, 'PD100'],
  ['a large actor', { actor: JSON.stringify('x'.repeat(9000)) }, 'PD100'],
  ['warnings that are no array', { warnings: '{}' }, 'PD100'],
  ['warnings without a code', { warnings: '[{}]' }, 'PD100'],
  ['raw metadata that fits', { rawMetadata: '{"source":"\\"x\\""}' }, 'PD100'],
  ['raw metadata given twice', { source: 'x', rawMetadata: '{"source":"5"}' }, 'PD100'],
  ['raw metadata that is no JSON', { rawMetadata: '{"source":"{"}' }, 'PD100'],
  ['a payload that is no JSON', { payload: '{"a":' }, 'PD101'],
  ['a payload that is no object', { payload: '[1]' }, 'PD101'],
])('%s is misuse: raised, no row', async (_name, changes, sqlstate) => {
  const id = await create();
  await expect(commitAttempt(writer, callOf(id, changes))).rejects.toMatchObject({ sqlstate });
  expect(await rowsOf(id)).toBe(0);
});

test('a number that nothing can represent is misuse', async () => {
  const id = await create();
  const payload = callOf(id).payload.replace('version":0', 'version":1e400000');
  await expect(commitAttempt(writer, callOf(id, { payload }))).rejects.toMatchObject({ sqlstate: 'PD102' });
});

test.each(['content', 'hash', 'head'])('a target whose %s was damaged is found diverged, whatever is claimed', async (what) => {
  const id = await create();
  const other = 'one two thrEE';
  // The guard against DDL does not watch data, and the target's row is no append-only one.
  if (what === 'head') await admin.query('update patchdiff_store.target_heads set accepted_version = 3 where target_file_id = $1', [id]);
  else {
    await admin.query('update patchdiff_store.cloud_target_files set current_content = $2 where target_file_id = $1', [id, other]);
    if (what === 'hash') await admin.query('update patchdiff_store.cloud_target_files set current_hash = $2 where target_file_id = $1', [id, sha256(other)]);
  }
  for (const baseHash of [sha256(TEXT), sha256(other)]) {
    for (const changes of [{}, { verdict: 'none' as const }, { verdict: 'rejected' as const, diagnostic: '{"failure_reason":"match_absent"}' }]) {
      const receipt = await commitAttempt(writer, callOf(id, { baseHash, ...changes }));
      expect(receipt).toMatchObject({ outcome: 'rejected', failure_reason: 'target_diverged', validation_stage: 'commit_guard', decided_by: 'database' });
    }
  }
});

test('a parent must be a rejected attempt of this target, in any case of its hyphenated form', async () => {
  const id = await create();
  const rejected = await commitAttempt(writer, callOf(id, { resolvedStarts: [0] }));
  const foreign = await commitAttempt(writer, callOf(await create(), { resolvedStarts: [0] }));
  const accepted = await commitAttempt(writer, callOf(id, { parent: rejected.pdcp_log_id?.toUpperCase() ?? '' }));
  expect(accepted.outcome).toBe('accepted');
  for (const parent of [foreign.pdcp_log_id, accepted.pdcp_log_id, randomUUID(), `{${rejected.pdcp_log_id ?? ''}}`, 'x']) {
    const receipt = await commitAttempt(writer, callOf(id, { parent }));
    expect(receipt).toMatchObject({ failure_code: 'parent_invalid', diagnostic: { raw_parent_pdcp_log_id: JSON.stringify(parent) } });
  }
});

test('no setting of the caller chooses how a submission is read', async () => {
  const client = await database.client('writer');
  await client.query(`set standard_conforming_strings = off; set plan_cache_mode = force_custom_plan; set client_min_messages = error;
    set extra_float_digits = 0; set bytea_output = escape; set datestyle = 'german'; set timezone = 'Asia/Tokyo'`);
  const id = await create();
  const payload = encodeCanonical(recordOf(id, { expected_current_hash: sha256(TEXT), edits: [{ match: 'two', replace: '\\u0000 2', change_id: 'a.b' }] }));
  const { rows } = await client.query<CommitReceiptRow>(
    `select * from patchdiff.commit_attempt($1, $2, 'key-1', null, null, null, null, $3, 'accepted', array[4], $4, null, null)`,
    [id, payload, sha256(TEXT), sha256('one \\u0000 2 three')],
  );
  expect(rows[0]).toMatchObject({ outcome: 'accepted', decided_by: 'runtime' });
  const bad = await client.query<CommitReceiptRow>(
    `select * from patchdiff.commit_attempt($1, $2, 'a key', null, null, null, null, $3, 'accepted', array[4], $4, null, null)`,
    [id, payload, sha256(TEXT), sha256('x')],
  );
  expect(bad.rows[0]).toMatchObject({ failure_code: 'invalid_client_request_id' });
  const findings = await admin.query('select * from patchdiff_audit.verify_target($1)', [id]);
  expect(findings.rows).toEqual([]);
});

test('the caller can advise two warnings and no verdict', async () => {
  const id = await create();
  const warnings = JSON.stringify([
    { code: 'grapheme_boundary_split', change_id: 'chg_001' },
    { code: 'grapheme_boundary_split', change_id: 'chg_002' },
    { code: 'no_op_transaction', change_id: null },
    { code: 'nonsense', change_id: 'chg_001' },
  ]);
  const receipt = await commitAttempt(writer, callOf(id, { warnings }));
  expect(receipt).toMatchObject({ outcome: 'accepted', warnings: [{ code: 'grapheme_boundary_split', change_id: 'chg_001' }] });
});
