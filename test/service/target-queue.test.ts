import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/port.ts';
import type { DatabaseError } from '../../src/db/sqlstate.ts';
import { databaseError } from '../../src/db/sqlstate.ts';
import { createService } from '../../src/service/index.ts';
import type { JsonObject, Service } from '../../src/service/index.ts';
import { TargetQueue } from '../../src/service/common/target-queue.ts';
import { startCountingProxy } from './support/counting-proxy.ts';
import type { CountingProxy } from './support/counting-proxy.ts';
import { edit, newTarget, textOf, useService } from './support/service.ts';

const context = useService();
const TX1 = 'patchdiff-tx/1';
let proxy: CountingProxy;
let database: Database;

beforeAll(async () => {
  proxy = await startCountingProxy(context.server.url());
  database = openDatabase({ connectionString: proxy.url, max: 2 });
});
afterAll(async () => {
  await database.close();
  await proxy.close();
});

/** The database with what a transaction does changed; everything else is the real one. */
const withTransaction = (transaction: Database['transaction']): Database => ({ ...database, transaction });

/** As many edits of one target at once, each with a key and guarded by the version that the one before makes. */
const editsOf = (id: string, count: number): JsonObject[] =>
  Array.from({ length: count }, (_, at) => edit(id, at, `${at}\n`, `${at + 1}\n`, { client_request_id: `key-${at}` }));

const submitAll = (service: Service, all: readonly JsonObject[]): Promise<JsonObject>[] => all.map((args) => service.submit(TX1, args));

/** Every attempt's sequence with its transaction, numbered from 1; and what verify_target finds. */
async function historyOf(id: string): Promise<{ transactions: number[]; findings: unknown[] }> {
  const admin = await context.server.client('admin');
  const { rows } = await admin.query<{ n: number }>(
    `select dense_rank() over (order by db_transaction_id)::integer as n from patchdiff_store.append_only_pdcp_logs
     where target_file_id = $1 order by log_sequence`,
    [id],
  );
  const { rows: findings } = await admin.query('select * from patchdiff_audit.verify_target($1)', [id]);
  return { transactions: rows.map(({ n }) => n), findings };
}

describe('submissions of one target that had to wait', () => {
  test('share a transaction, eight of them at most, in the order they came', async () => {
    const service = createService({ database, actor: null });
    const id = await newTarget(service, '0\n');
    proxy.takeStatements();
    const receipts = await Promise.all(submitAll(service, editsOf(id, 11)));
    // One that waited for nobody; eight and then two, each between BEGIN and COMMIT.
    expect(proxy.takeStatements()).toBe(1 + (8 + 2) + (2 + 2));
    expect(receipts.map((receipt) => receipt['version'])).toEqual(receipts.map((_, at) => at + 1));
    expect(await historyOf(id)).toEqual({ transactions: [1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3], findings: [] });
    expect(await textOf(service, id)).toBe('11\n');
  });

  test('are answered after the COMMIT, near misses with them', async () => {
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    let made: () => void = () => undefined;
    const allMade = new Promise<void>((resolve) => (made = resolve));
    const held = withTransaction((work) =>
      database.transaction(async (bound) => {
        const result = await work(bound);
        made();
        await opened;
        return result;
      }),
    );
    const service = createService({ database: held, actor: null });
    const id = await newTarget(service, 'alpha beta\n0\n');
    const absent = edit(id, 2, 'alpha betta\n', 'x');
    let answered = 0;
    const [first, ...others] = submitAll(service, [...editsOf(id, 2), absent]).map(async (receipt) => {
      const settled = await receipt;
      answered += 1;
      return settled;
    });
    await first;
    await allMade;
    expect(answered).toBe(1);
    expect(await context.service.getPdcpLog({ target_file_id: id })).toMatchObject({ entries: [{ log_sequence: 1 }] });
    open();
    expect(await Promise.all(others)).toMatchObject([
      { status: 'accepted', version: 2 },
      { status: 'rejected', failure_reason: 'match_absent', near_misses: [{ text: 'alpha beta\n' }] },
    ]);
  });

  test('do not share a failure: each of them has its own end', async () => {
    const failing: Database = {
      ...database,
      query: (statement, options) =>
        statement.values[2] === 'key-3'
          ? Promise.reject(databaseError({ code: '55P03' }, 'statement'))
          : database.query(statement, options),
      transaction: (work) => database.transaction((bound) => work({ ...bound, query: (...call) => failing.query(...call) })),
    };
    const service = createService({ database: failing, actor: null });
    const id = await newTarget(service, '0\n');
    const lost: JsonObject[] = editsOf(id, 3);
    const more = [
      ...lost,
      edit(id, 3, '3\n', 'lost', { client_request_id: 'key-3' }),
      edit(id, 3, '3\n', '4\n', { client_request_id: 'key-4' }),
    ];
    const outcomes = await Promise.allSettled(submitAll(service, more));
    expect(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value['version'] : (outcome.reason as DatabaseError).code)),
    ).toEqual([1, 2, 3, 'lock_timeout', 4]);
    expect(await historyOf(id)).toMatchObject({ findings: [] });
    expect(await textOf(service, id)).toBe('4\n');
  });

  test('one that is cancelled while it waits undoes nobody', async () => {
    const service = createService({ database, actor: null });
    const id = await newTarget(service, '0\n');
    const caller = new AbortController();
    const [first, second, third] = editsOf(id, 3);
    const before = submitAll(service, [first ?? {}, second ?? {}]);
    const cancelled = expect(service.submit(TX1, third, { signal: caller.signal })).rejects.toMatchObject({ kind: 'cancelled' });
    const after = service.submit(TX1, third);
    caller.abort();
    await cancelled;
    expect(await Promise.all([...before, after])).toMatchObject([{ version: 1 }, { version: 2 }, { version: 3, deduplicated: false }]);
    expect((await historyOf(id)).transactions).toEqual([1, 2, 3]);
  });

  test('that come as soon as one is answered find a queue that runs', async () => {
    const queue = new TargetQueue();
    let ran = 0;
    const more = (): Promise<number> =>
      queue.run('a', { database, attempt: () => Promise.resolve((ran += 1)), undone: () => undefined, signal: undefined });
    for (let round = 0; round < 50; round += 1) await more();
    await Promise.all(Array.from({ length: 5 }, () => more().then(more).then(more)));
    expect(ran).toBe(65);
  });

  test('share the doubt when the answer to the COMMIT is lost, and their keys tell', async () => {
    const doubtful = withTransaction(async (work) => {
      await database.transaction(work);
      throw databaseError({ code: 'ECONNRESET' }, 'commit');
    });
    const service = createService({ database: doubtful, actor: null });
    const id = await newTarget(service, '0\n');
    const all = editsOf(id, 4);
    const outcomes = await Promise.allSettled(submitAll(service, all));
    expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as DatabaseError).outcomeUnknown : 'known'))).toEqual(
      ['known', true, true, true],
    );
    const again = await Promise.all(all.map((args) => context.service.submit(TX1, args)));
    expect(again.map((receipt) => [receipt['version'], receipt['deduplicated']])).toEqual([1, 2, 3, 4].map((version) => [version, true]));
  });
});

test('one after another for one target, side by side for others, a failure stopping nobody', async () => {
  const queue = new TargetQueue();
  const events: string[] = [];
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const work = <T>(name: string, done: () => Promise<T>) => ({
    database,
    attempt: () => {
      events.push(name);
      return done();
    },
    undone: () => events.push(`${name} undone`),
    signal: undefined,
  });
  const first = queue.run(
    'a',
    work('a1', () => opened),
  );
  const failing = queue.run(
    'a',
    work('a2', () => Promise.reject(new Error('mine'))),
  );
  const third = queue.run(
    'a',
    work('a3', () => Promise.resolve(3)),
  );
  await queue.run(
    'b',
    work('b', () => Promise.resolve()),
  );
  open();
  await first;
  await expect(failing).rejects.toThrow('mine');
  expect(await third).toBe(3);
  expect(events).toEqual(['a1', 'b', 'a2', 'a2 undone', 'a3 undone', 'a2', 'a3']);
});
