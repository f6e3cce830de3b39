// What observing and bundles may cost whoever calls and whoever audits, and what is refused before it costs anything.
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitAttempt } from '../../src/db/calls/commit-attempt.ts';
import type { CommitReceiptRow } from '../../src/db/calls/commit-attempt.ts';
import { observeScopes } from '../../src/db/calls/observe-scopes.ts';
import { readObservation } from '../../src/db/calls/read-observation.ts';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/port.ts';
import { bundleIdentityOf, evaluateBundle, prepareBundle } from '../../src/transaction/index.ts';
import type { JsonObject, Observation } from '../../src/transaction/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { sha256 } from './support/attacks.ts';

const database = useDatabase();
const GRAMMAR = '{"name":"g","version":"1","sha256":null}';
const TEXT = 'one 1\ntwo 2\n';
let writer: Database;
let admin: pg.Pool;

beforeAll(() => {
  writer = openDatabase({ connectionString: database.url('writer'), max: 2 });
  admin = database.pool('admin', { max: 2 });
});
afterAll(() => writer.close());

async function created(content: string): Promise<string> {
  const { rows } = await admin.query<{ id: string }>(`select target_file_id as id from patchdiff.create_target(null, 'doc', $1)`, [content]);
  return rows[0]?.id ?? '';
}

async function observed(id: string, version: number, content: string, scope: JsonObject, actor: string | null = null): Promise<Observation> {
  const row = await observeScopes(writer, {
    targetFileId: id,
    expectedVersion: version,
    expectedHash: sha256(content),
    language: null,
    grammar: GRAMMAR,
    hasErrors: false,
    scopes: JSON.stringify([{ kind: 'region', name: 'a', qualified_path: 'a', ...scope }]),
    actor,
  });
  const observation = await readObservation(writer, id, row.bundle_id ?? '');
  if (observation === null) throw new Error(`not observed: ${row.outcome}`);
  return observation;
}

/** Sends a payload as it is, with the claim that it is refused for this reason. */
function refused(id: string, payload: string, reason: string, clientRequestId: string | null = null): Promise<CommitReceiptRow> {
  return commitAttempt(writer, {
    targetFileId: id,
    payload,
    clientRequestId,
    parent: null,
    attempt: null,
    source: null,
    actor: null,
    baseHash: sha256(TEXT),
    verdict: 'rejected',
    resolvedStarts: null,
    afterHash: null,
    diagnostic: JSON.stringify({ failure_reason: reason }),
    warnings: null,
    rawMetadata: null,
  });
}

const EDIT = { op: 'match', match: '1', replace: '2' };

function argumentsOf(id: string, observation: Observation, more: JsonObject = {}): JsonObject {
  const groups = [{ scope_id: observation.scopes[0]?.scope_id ?? '', operations: [EDIT] }];
  return { target_file_id: id, bundle_id: observation.bundle_id, expected_target_version: 0, intent: 'i', groups, ...more };
}

test('a bundle that names one scope two thousand times keeps its evidence twice, and is recovered by its key', async () => {
  const id = await created(TEXT);
  const path = '\u{1f600}'.repeat(4096);
  const observation = await observed(id, 0, TEXT, { qualified_path: path, start: 0, end: 5 });
  const group = { scope_id: observation.scopes[0]?.scope_id ?? '', operations: [EDIT] };
  const submission = prepareBundle(argumentsOf(id, observation, { groups: Array.from({ length: 2000 }, () => group) }));
  const outcome = evaluateBundle(submission, observation, TEXT, sha256);
  expect(outcome).toMatchObject({ verdict: 'rejected', fault: { code: 'scopes_overlap', path: 'groups[1].scope_id' } });
  const first = await refused(id, submission.payload, 'manifest_invalid', 'repeated');
  expect(first).toMatchObject({ outcome: 'rejected', failure_code: 'scopes_overlap', decided_by: 'runtime' });
  const { content, fingerprint } = bundleIdentityOf(submission, observation, id, null, sha256);
  const { rows } = await admin.query<{ pdcp_content: string }>(
    'select pdcp_content from patchdiff_store.append_only_pdcp_logs where pdcp_log_id = $1',
    [first.pdcp_log_id],
  );
  expect(rows[0]?.pdcp_content).toBe(content);
  expect(content.split(path)).toHaveLength(3);
  expect(first.request_fingerprint).toBe(fingerprint);
  expect(await refused(id, submission.payload, 'manifest_invalid', 'repeated')).toMatchObject({ deduplicated: true, pdcp_log_id: first.pdcp_log_id });
});

test('checking a target applies each attempt a fixed number of times, however many of its versions were observed', async () => {
  const applied = async (observe: boolean): Promise<number> => {
    let content = TEXT;
    const id = await created(content);
    for (let version = 0; version < 24; version += 1) {
      if (observe) await observed(id, version, content, { start: 0, end: 3 });
      await admin.query(`select patchdiff.commit_match($1, 'two', 'two more', 'grow', $2)`, [id, version]);
      content = content.replace('two', 'two more');
    }
    if (observe) await observed(id, 24, content, { start: 0, end: 3 });
    const client = await admin.connect();
    // Counts stay with the connection until they are published: what was there before is no part of this.
    const calls = async (): Promise<number> => {
      const { rows } = await client.query<{ calls: number }>(
        `select coalesce(sum(calls), 0)::int as calls from pg_stat_xact_user_functions
         where schemaname = 'patchdiff_store' and funcname = 'apply_attempt'`,
      );
      return rows[0]?.calls ?? 0;
    };
    try {
      await client.query('begin');
      await client.query(`set local track_functions = 'all'`);
      const before = await calls();
      expect((await client.query('select * from patchdiff_audit.verify_target($1)', [id])).rows).toEqual([]);
      return (await calls()) - before;
    } finally {
      await client.query('rollback');
      client.release();
    }
  };
  const without = await applied(false);
  expect(without).toBeGreaterThanOrEqual(24);
  expect(await applied(true)).toBe(without + 24);
});

test("a payload's own observation is an unknown field: it is refused in its turn, and never read", async () => {
  const id = await created(TEXT);
  const observation = await observed(id, 0, TEXT, { start: 0, end: 5 });
  const record = JSON.parse(prepareBundle(argumentsOf(id, observation)).payload) as JsonObject;
  const forged = { ...record, observation: { scopes: [{ ...observation.scopes[0], start: 6, end: 11 }] } };
  const cases: [JsonObject, string, string][] = [
    [forged, 'manifest_invalid', 'unknown_field'],
    [{ ...forged, expected_target_version: null }, 'context_missing', 'guard_missing'],
    [{ ...forged, target_file_id: null }, 'manifest_invalid', 'target_mismatch'],
    [{ ...forged, groups: [] }, 'manifest_missing', 'manifest_missing'],
    [{ ...forged, abc: 1 }, 'manifest_invalid', 'unknown_field'],
  ];
  for (const [sent, reason, code] of cases) {
    const receipt = await refused(id, JSON.stringify(sent), reason);
    expect(receipt).toMatchObject({ outcome: 'rejected', failure_reason: reason, failure_code: code, decided_by: 'runtime' });
  }
  const last = await refused(id, JSON.stringify({ ...forged, abc: 1 }), 'manifest_invalid');
  expect(last.failure_detail).toContain('abc');
});

test('a scope that is called Infinity does not become a number beside a number that is not finite', async () => {
  const id = await created(TEXT);
  const observation = await observed(id, 0, TEXT, { name: 'Infinity', qualified_path: '-Infinity', start: 0, end: 5 });
  const span = { op: 'span', start: Infinity, end: 5, expected_text: '1', replace: '2' };
  const groups = [{ scope_id: observation.scopes[0]?.scope_id ?? '', operations: [span] }];
  const submission = prepareBundle(argumentsOf(id, observation, { groups }));
  const outcome = evaluateBundle(submission, observation, TEXT, sha256);
  if (outcome.verdict !== 'rejected') throw new Error('a span without a start was accepted');
  const receipt = await refused(id, submission.payload, outcome.fault.reason);
  expect(receipt).toMatchObject({ failure_code: outcome.fault.code, failure_detail: outcome.fault.detail, decided_by: 'runtime' });
  expect(receipt.diagnostic).toMatchObject({ scope: { qualified_path: '-Infinity' } });
});

test.each([
  ['levels', `${'['.repeat(65)}${']'.repeat(65)}`, 'JSON of at most 64 levels'],
  ['size', JSON.stringify('x'.repeat(8191)), 'JSON of at most 8192 bytes'],
  ['NUL', String.raw`"\u0000"`, String.raw`JSON without \u0000 and lone surrogates`],
])('an actor beyond its bounds is refused before anything is read (%s)', async (_, actor, rule) => {
  const id = await created(TEXT);
  await expect(observed(id, 0, TEXT, { start: 0, end: 5 }, actor)).rejects.toMatchObject({
    code: 'bad_call',
    detail: { argument: 'p_actor', rule },
  });
  const { rows } = await admin.query('select from patchdiff_audit.observations where target_file_id = $1', [id]);
  expect(rows).toEqual([]);
});
