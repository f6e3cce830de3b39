import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CommitAttempt } from '../../src/db/calls/commit-attempt.ts';
import { prepareBundle } from '../../src/transaction/index.ts';
import type { JsonObject, Observation } from '../../src/transaction/index.ts';
import { connectNew } from '../mcp/support/hosts.ts';
import type { Host } from '../mcp/support/hosts.ts';
import { newTarget, textOf, useService } from '../service/support/service.ts';
import { bareCall, findingsOf, logOf } from './support/attempts.ts';
import { honestBundle, observed, scopeOf } from './support/bundle-calls.ts';

const context = useService();
let writer: pg.Client;
let admin: pg.Client;
/** A server process of its own. */
let host: Host;

beforeAll(async () => {
  writer = await context.server.client('writer');
  admin = await context.server.client('admin');
  host = await connectNew({ env: { DATABASE_URL: context.server.url('writer') }, args: ['--profile', 'observed_v2'] });
});
afterAll(() => host.close());

const TEXT = 'é one 1 1\n\n  two 漢 1\n  two 1\n\n😀 e\u0301 three 1\n';
const SCOPES = ['é one 1 1', 'two 漢 1\n  two 1', '😀 e\u0301 three 1'];

interface Case {
  id: string;
  observation: Observation;
}

async function begun(): Promise<Case> {
  const id = await newTarget(context.service, TEXT);
  const ranges = [...SCOPES, TEXT].map((text) => scopeOf(TEXT, text));
  return { id, observation: await observed(context.database, id, TEXT, 0, ranges) };
}

const match = (text: string, replace: string, more: JsonObject = {}): JsonObject => ({ op: 'match', match: text, replace, ...more });

/** The tool's arguments for edits of the scopes of these numbers, in this order. */
function argsOf({ id, observation }: Case, edits: readonly [scope: number, ...operations: JsonObject[]][], more: JsonObject = {}): JsonObject {
  const groups = edits.map(([at, ...operations]): JsonObject => ({ scope_id: observation.scopes[at]?.scope_id ?? 'f'.repeat(32), operations }));
  return { target_file_id: id, bundle_id: observation.bundle_id, intent: 'i', expected_target_version: 0, client_request_id: 'k', groups, ...more };
}

const GOOD: [number, ...JsonObject[]][] = [
  [2, { op: 'span', start: 3, end: 3, expected_text: '', replace: '𝒳' }, match('three', 'thr\r\nee')],
  [0, match('1', '"$&" \\ 2', { occurrence_index: 2, rationale: 'why', change_id: 'mine' })],
  [1, match('two 漢 1\n', ''), match('two 1', 'two\n')],
];

const CASES: [name: string, args: (bundle: Case) => JsonObject][] = [
  ['accepted: lines added and removed, groups in no order, with a warning', (bundle) => argsOf(bundle, GOOD)],
  ['accepted: no change at all', (bundle) => argsOf(bundle, [[3, match('two 漢', 'two 漢')]])],
  ['match_absent in the second group', (bundle) => argsOf(bundle, [[2, match('three', '3')], [0, match('two', '2')]])],
  ['match_ambiguous, its candidates', (bundle) => argsOf(bundle, [[0, match('1', '2')]])],
  ['scopes_overlap', (bundle) => argsOf(bundle, [[0, match('one', '')], [3, match('three', '')]])],
  ['scope_not_observed', (bundle) => argsOf(bundle, [[9, match('one', '')]])],
  ['bundle_invalid', (bundle) => argsOf(bundle, GOOD, { bundle_id: '00000000-0000-4000-8000-000000000000' })],
  ['target_version_mismatch', (bundle) => argsOf(bundle, GOOD, { expected_target_version: 5 })],
  ['unknown_field', (bundle) => argsOf(bundle, GOOD, { observation: { scopes: [] } })],
  ['text_not_encodable', (bundle) => argsOf(bundle, [[0, match('\ud800', '\0')]])],
];

/** The whole receipt as the text that SQL gives. */
async function receiptText(call: CommitAttempt): Promise<string> {
  const { rows } = await writer.query<{ text: string }>(
    `select to_json(r)::text as text from patchdiff.commit_attempt($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) as r`,
    [
      call.targetFileId, call.payload, call.clientRequestId, call.parent, call.attempt, call.source, call.actor, call.baseHash,
      call.verdict, call.resolvedStarts, call.afterHash, call.diagnostic, call.warnings, call.rawMetadata,
    ],
  );
  return rows[0]?.text ?? '';
}

const repeated = (text: string): string => text.replace('"deduplicated":false', '"deduplicated":true');
const parsed = (text: string): JsonObject => JSON.parse(text) as JsonObject;
/** A new text for everything, so that nothing that is answered about the attempt can come from the present one. */
async function moveOn(id: string, version: number): Promise<void> {
  const args = { target_file_id: id, intent: 'j', expected_target_version: version, replacement: 'elsewhere' };
  expect(await context.service.submit('patchdiff-tx/3', args)).toMatchObject({ status: 'accepted' });
}

/** Of a receipt what was decided then; what it says of the present is left out. */
function decided(receipt: JsonObject): JsonObject {
  const present = receipt['status'] === 'rejected' ? /^(current_|version$)/ : /^current_/;
  return Object.fromEntries(Object.entries(receipt).filter(([name]) => !present.test(name)));
}

test.each(CASES)('%s: a repeat by SQL is the first receipt, byte for byte', async (name, argsFor) => {
  const bundle = await begun();
  const { id, observation } = bundle;
  const args = argsFor(bundle);
  const named = args['bundle_id'] === observation.bundle_id ? observation : null;
  const honest = honestBundle(args, named, id, TEXT);
  const first = await receiptText(honest);
  expect(parsed(first)).toMatchObject(name.startsWith('accepted') ? { outcome: 'accepted' } : { failure_code: name.split(/[ ,]/)[0] });
  // Whatever is claimed the second time, or nothing.
  for (const call of [honest, bareCall(prepareBundle(args), id), { ...honest, verdict: 'accepted' as const, resolvedStarts: [], afterHash: null }]) {
    expect(await receiptText(call)).toBe(repeated(first));
  }
  const service = await context.another().commitBundle(args);
  const version = parsed(first)['current_version'] as number;
  await moveOn(id, version);
  const later = parsed(await receiptText(honest));
  expect(JSON.stringify(decided(later))).toBe(JSON.stringify(decided(parsed(repeated(first)))));
  expect(later).toMatchObject({ current_version: version + 1 });
  const moved = await context.another().commitBundle(args);
  expect(decided(moved)).toEqual(decided(service));
  expect(moved).toMatchObject({ deduplicated: true, pdcp_log_id: later['pdcp_log_id'] });
  expect(await logOf(admin, id)).toHaveLength(2);
  expect(await findingsOf(admin, id)).toEqual([]);
});

test.each(CASES)('%s: a repeat by the service, by another one and over the pipe is the first receipt', async (_name, argsFor) => {
  const bundle = await begun();
  const { id } = bundle;
  const args = argsFor(bundle);
  const first = await context.service.commitBundle(args);
  expect(first).toMatchObject({ deduplicated: false });
  // What was near a text is looked for once.
  const found = Object.hasOwn(first, 'near_misses') ? { near_misses: [], near_miss_search: null } : {};
  const wanted = JSON.stringify({ ...first, deduplicated: true, ...found });
  expect(JSON.stringify(await context.service.commitBundle(args))).toBe(wanted);
  expect(JSON.stringify(await context.another().commitBundle(args))).toBe(wanted);
  const { structured } = await host.call('patchdiff_commit_bundle', args);
  expect(JSON.stringify(structured)).toBe(wanted);
  const [row] = await logOf(admin, id);
  const sql = await receiptText(bareCall(prepareBundle(args), id));
  if (row?.diagnostic !== null) expect(sql).toContain(`"diagnostic":${row?.diagnostic ?? ''}`);
  expect(JSON.stringify(parsed(sql)['changes'])).toBe(JSON.stringify((first['evidence'] as JsonObject | undefined)?.['changes'] ?? null));
  expect(await logOf(admin, id)).toEqual([row]);
});

test.each<[string, (bundle: Case) => Promise<JsonObject> | JsonObject]>([
  ['another operation', (bundle) => argsOf(bundle, [...GOOD.slice(0, 2), [1, match('two 1', 'II')]])],
  ['a group less', (bundle) => argsOf(bundle, GOOD.slice(1))],
  ['the groups in another order', (bundle) => argsOf(bundle, GOOD.toReversed())],
  ['another intent', (bundle) => argsOf(bundle, GOOD, { intent: 'I' })],
  [
    'the same scopes of another observation',
    async ({ id, observation }) => argsOf({ id, observation: { ...observation, bundle_id: (await observed(context.database, id, 'elsewhere', 2, [scopeOf('elsewhere', 'else')])).bundle_id } }, GOOD),
  ],
  ['an unknown bundle', (bundle) => argsOf(bundle, GOOD, { bundle_id: '00000000-0000-4000-8000-000000000000' })],
])('the key of one bundle refuses %s, whichever way it comes', async (_name, other) => {
  const bundle = await begun();
  const { id } = bundle;
  const first = await context.service.commitBundle(argsOf(bundle, GOOD));
  expect(first).toMatchObject({ status: 'accepted', version: 1 });
  await moveOn(id, 1);
  const args = await other(bundle);
  const conflict = { failure_code: 'request_key_conflict', diagnostic: { existing_pdcp_log_id: first['pdcp_log_id'], retryable: false } };
  for (const by of [context.service, context.another()]) expect(await by.commitBundle(args)).toMatchObject(conflict);
  expect(parsed(await receiptText(bareCall(prepareBundle(args), id)))).toMatchObject(conflict);
  expect(await context.service.commitBundle(argsOf(bundle, GOOD))).toMatchObject({ deduplicated: true, pdcp_log_id: first['pdcp_log_id'] });
  expect(await textOf(context.service, id)).toBe('elsewhere');
  expect(await findingsOf(admin, id)).toEqual([]);
});

test('a key serves bundles and scalar submissions alike: of either kind it refuses the other', async () => {
  const bundle = await begun();
  const { id } = bundle;
  const scalar = { target_file_id: id, intent: 'i', expected_target_version: 0, edits: [{ match: 'zz', replace: '' }] };
  await context.service.submit('patchdiff-tx/1', { ...scalar, client_request_id: 's' });
  expect(await context.service.commitBundle(argsOf(bundle, GOOD, { client_request_id: 's' }))).toMatchObject({ failure_code: 'request_key_conflict' });
  expect(await context.service.commitBundle(argsOf(bundle, [[0, match('zz', '')]]))).toMatchObject({ failure_code: 'match_absent' });
  expect(await context.service.submit('patchdiff-tx/1', { ...scalar, client_request_id: 'k' })).toMatchObject({ failure_code: 'request_key_conflict' });
  // A rejected bundle keeps its key: corrected, it needs another.
  expect(await context.service.commitBundle(argsOf(bundle, GOOD))).toMatchObject({ failure_code: 'request_key_conflict' });
  expect(await context.service.commitBundle(argsOf(bundle, GOOD, { client_request_id: 'k2' }))).toMatchObject({ status: 'accepted' });
});
