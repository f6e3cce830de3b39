import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/port.ts';
import { createService, createServiceState } from '../../src/service/index.ts';
import type { Format, JsonObject, Service } from '../../src/service/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { startCountingProxy } from './support/counting-proxy.ts';
import type { CountingProxy } from './support/counting-proxy.ts';
import { edit, newTarget } from './support/service.ts';

const server = useDatabase();
let proxy: CountingProxy;
let database: Database;

beforeAll(async () => {
  proxy = await startCountingProxy(server.url());
  database = openDatabase({ connectionString: proxy.url, max: 1 });
});
afterAll(async () => {
  await database.close();
  await proxy.close();
});

/** What one submission cost at the server, counted in messages of the wire. */
async function costOf(
  service: Service,
  format: Format,
  args: JsonObject,
): Promise<{ receipt: JsonObject; statements: number; roundTrips: number }> {
  proxy.takeStatements();
  proxy.takeRoundTrips();
  const receipt = await service.submit(format, args);
  return { receipt, statements: proxy.takeStatements(), roundTrips: proxy.takeRoundTrips() };
}

const fresh = (): Service => createService({ database, actor: null });

describe('with the content cached, a submission is one statement and one round trip', () => {
  const common = { intent: 'edit', expected_target_version: 0 };
  test.each<[string, Format, JsonObject, string]>([
    ['accepted tx/1', 'patchdiff-tx/1', { ...common, edits: [{ match: 'beta', replace: 'x' }] }, 'accepted'],
    [
      'accepted tx/2',
      'patchdiff-tx/2',
      { ...common, operations: [{ op: 'span', start: 0, end: 5, expected_text: 'alpha', replace: 'x' }] },
      'accepted',
    ],
    ['accepted tx/3', 'patchdiff-tx/3', { ...common, replacement: 'whole\n' }, 'accepted'],
    ['match absent', 'patchdiff-tx/1', { ...common, edits: [{ match: 'gamma', replace: 'x' }] }, 'match_absent'],
    ['match ambiguous', 'patchdiff-tx/1', { ...common, edits: [{ match: 'a', replace: 'x' }] }, 'match_ambiguous'],
    [
      'span out of bounds',
      'patchdiff-tx/2',
      { ...common, operations: [{ op: 'span', start: 0, end: 99, expected_text: '', replace: 'x' }] },
      'span_out_of_bounds',
    ],
    ['unknown field', 'patchdiff-tx/1', { ...common, region_hint: 1, edits: [{ match: 'beta', replace: 'x' }] }, 'manifest_invalid'],
    [
      'stale version',
      'patchdiff-tx/1',
      { ...common, expected_target_version: 9, edits: [{ match: 'beta', replace: 'x' }] },
      'target_version_mismatch',
    ],
    [
      'stale hash',
      'patchdiff-tx/1',
      { ...common, expected_current_hash: '0'.repeat(64), edits: [{ match: 'beta', replace: 'x' }] },
      'target_hash_mismatch',
    ],
    ['no guard', 'patchdiff-tx/1', { intent: 'edit', edits: [{ match: 'beta', replace: 'x' }] }, 'context_missing'],
    ['bad key', 'patchdiff-tx/1', { ...common, client_request_id: 'a b', edits: [{ match: 'beta', replace: 'x' }] }, 'context_invalid'],
    ['bad parent', 'patchdiff-tx/1', { ...common, parent_pdcp_log_id: 'p', edits: [{ match: 'beta', replace: 'x' }] }, 'context_invalid'],
    ['unencodable', 'patchdiff-tx/1', { ...common, edits: [{ match: 'beta', replace: '\ud800' }] }, 'target_encoding_invalid'],
    ['edits as text', 'patchdiff-tx/1', { ...common, edits: '[]' }, 'manifest_missing'],
  ])('%s', async (_, format, args, outcome) => {
    const service = fresh();
    const id = await newTarget(service, 'alpha\nbeta\n');
    const cost = await costOf(service, format, { target_file_id: id, ...args });
    expect([cost.receipt['failure_reason'] ?? cost.receipt['status'], cost.statements, cost.roundTrips]).toEqual([outcome, 1, 1]);
  });

  test('recovery and key conflict', async () => {
    const service = fresh();
    const id = await newTarget(service, 'alpha\nbeta\n');
    const args = edit(id, 0, 'beta', 'x', { client_request_id: 'k' });
    await service.submit('patchdiff-tx/1', args);
    expect(await costOf(service, 'patchdiff-tx/1', args)).toMatchObject({ receipt: { deduplicated: true }, statements: 1 });
    const other = edit(id, 1, 'x', 'y', { client_request_id: 'k' });
    expect(await costOf(service, 'patchdiff-tx/1', other)).toMatchObject({
      receipt: { failure_code: 'request_key_conflict' },
      statements: 1,
    });
  });

  test('a hundred edits in a row', async () => {
    const service = fresh();
    const id = await newTarget(service, '0\n');
    proxy.takeStatements();
    for (let version = 0; version < 100; version += 1)
      await service.submit('patchdiff-tx/1', edit(id, version, `${version}\n`, `${version + 1}\n`));
    expect(proxy.takeStatements()).toBe(100);
  });
});

describe('without cached content', () => {
  test('an acceptance takes two statements, what needs no content one', async () => {
    const id = await newTarget(fresh(), 'alpha\nbeta\n');
    expect(await costOf(fresh(), 'patchdiff-tx/1', edit(id, 5, 'beta', 'x'))).toMatchObject({
      receipt: { failure_reason: 'target_version_mismatch' },
      statements: 1,
    });
    expect(await costOf(fresh(), 'patchdiff-tx/1', edit(id, 0, 'beta', 'x', { edits: [] }))).toMatchObject({
      receipt: { failure_reason: 'manifest_missing' },
      statements: 1,
    });
    expect(await costOf(fresh(), 'patchdiff-tx/1', edit(id, 0, 'beta', 'x'))).toMatchObject({
      receipt: { status: 'accepted' },
      statements: 2,
    });
  });

  test('a target too large for the cache is fetched each time and still committed', async () => {
    const service = createService({ database, actor: null, state: createServiceState(100) });
    const id = await newTarget(service, `${'x'.repeat(1000)}\nbeta\n`);
    expect(await costOf(service, 'patchdiff-tx/1', edit(id, 0, 'beta', 'x'))).toMatchObject({
      receipt: { status: 'accepted' },
      statements: 2,
    });
  });

  test('a cache that is behind: the guard that holds is answered with the content, and the second statement commits', async () => {
    const behind = fresh();
    const id = await newTarget(behind, 'alpha\nbeta\n');
    await fresh().submit('patchdiff-tx/1', edit(id, 0, 'alpha', 'A'));
    expect(await costOf(behind, 'patchdiff-tx/1', edit(id, 1, 'beta', 'B'))).toMatchObject({
      receipt: { status: 'accepted', version: 2 },
      statements: 2,
    });
    expect(await costOf(behind, 'patchdiff-tx/1', edit(id, 2, 'B', 'C'))).toMatchObject({
      receipt: { status: 'accepted', version: 3 },
      statements: 1,
    });
  });
});
