import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/pool.ts';
import { createService } from '../../src/service/index.ts';
import { edit, newTarget, textOf, useService } from './support/service.ts';

const context = useService();
const TX1 = 'patchdiff-tx/1';

/** Another session that holds the target's lock, and how many sessions wait for it. */
async function holdLock(id: string) {
  const holder = await context.server.client('admin');
  const watcher = await context.server.client('admin');
  await holder.query('begin');
  await holder.query('select from patchdiff_store.cloud_target_files where target_file_id = $1 for update', [id]);
  const waiting = async (): Promise<number[]> => {
    const { rows } = await watcher.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%commit_attempt%'`,
    );
    return rows.map((row) => row.pid);
  };
  return {
    release: () => holder.query('rollback'),
    firstWaiting: async (): Promise<number> => {
      for (;;) {
        const [pid] = await waiting();
        if (pid !== undefined) return pid;
        await sleep(20);
      }
    },
    terminate: (pid: number) => watcher.query('select pg_terminate_backend($1)', [pid]),
  };
}

describe('the outside world is never dressed up as a rejection', () => {
  test('a lock that is held too long', async () => {
    const id = await newTarget(context.service, 'a\n');
    const lock = await holdLock(id);
    await expect(context.service.submit(TX1, edit(id, 0, 'a', 'b'))).rejects.toMatchObject({
      kind: 'transient',
      code: 'lock_timeout',
      outcomeUnknown: false,
    });
    await lock.release();
    expect(await context.service.getPdcpLog({ target_file_id: id })).toMatchObject({ entries: [] });
    expect(await context.service.submit(TX1, edit(id, 0, 'a', 'b'))).toMatchObject({ status: 'accepted' });
  });

  test('a connection that breaks leaves the outcome unknown; the same key tells', async () => {
    const id = await newTarget(context.service, 'a\n');
    const lock = await holdLock(id);
    const args = edit(id, 0, 'a', 'b', { client_request_id: 'k' });
    const lost = expect(context.service.submit(TX1, args)).rejects.toMatchObject({ kind: 'unavailable', outcomeUnknown: true });
    await lock.terminate(await lock.firstWaiting());
    await lost;
    await lock.release();
    expect(await context.service.submit(TX1, args)).toMatchObject({ status: 'accepted', deduplicated: false });
    expect(await context.service.submit(TX1, args)).toMatchObject({ status: 'accepted', deduplicated: true });
  });

  test('a cancelled call cancels its SQL, and those behind it in the queue go on', async () => {
    const id = await newTarget(context.service, 'a\n');
    const lock = await holdLock(id);
    const caller = new AbortController();
    const cancelled = expect(context.service.submit(TX1, edit(id, 0, 'a', 'b'), { signal: caller.signal })).rejects.toMatchObject({
      kind: 'cancelled',
    });
    const behind = context.service.submit(TX1, edit(id, 0, 'a', 'c'));
    await lock.firstWaiting();
    caller.abort();
    await cancelled;
    await lock.release();
    expect(await behind).toMatchObject({ status: 'accepted' });
    expect(await textOf(context.service, id)).toBe('c\n');
    const never = AbortSignal.abort();
    await expect(context.service.submit(TX1, edit(id, 1, 'c', 'd'), { signal: never })).rejects.toMatchObject({ kind: 'cancelled' });
  });

  test('no database at all', async () => {
    const away = openDatabase({ connectionString: 'postgres://nobody@127.0.0.1:1/none' });
    const service = createService({ database: away, actor: null });
    await expect(service.listTargets({})).rejects.toMatchObject({ kind: 'unavailable', code: 'database_unreachable' });
    await away.close();
  });

  test('a login without rights', async () => {
    const auditor = openDatabase({ connectionString: context.server.url('auditor') });
    const service = createService({ database: auditor, actor: null });
    await expect(service.listTargets({})).rejects.toMatchObject({ kind: 'configuration', code: 'insufficient_privilege' });
    await auditor.close();
  });
});

test('every use case works with a single connection', async () => {
  const root = mkdtempSync(join(tmpdir(), 'patchdiff-single-'));
  writeFileSync(join(root, 'f.txt'), 'a\n');
  const database = openDatabase({ connectionString: context.server.url(), max: 1 });
  const service = createService({ database, workspaceRoot: root, actor: null });
  const id = (await service.initializeTarget({ from_workspace: true, path: 'f.txt' }))['target_file_id'] as string;
  await service.submit(TX1, edit(id, 0, 'a', 'b'));
  expect(
    await Promise.all([service.save({ target_file_id: id, sync_workspace: true }), service.replayTarget({ target_file_id: id })]),
  ).toMatchObject([{ status: 'published' }, { status: 'success' }]);
  expect(readFileSync(join(root, 'f.txt'), 'utf8')).toBe('b\n');
  await database.close();
  rmSync(root, { recursive: true });
});

test('what a host claims about the actor is kept as far as it can be', async () => {
  const service = context.another({ actor: { host: 'a\0b\ud800', nested: { n: [1, null] } } });
  const id = await newTarget(service, 'a\n');
  await service.submit(TX1, edit(id, 0, 'a', 'b'));
  expect(await service.getPdcpLog({ target_file_id: id })).toMatchObject({
    entries: [{ actor: { host: 'a\u{FFFD}b\u{FFFD}', nested: { n: [1, null] } } }],
  });
  const loud = context.another({ actor: { host: 'x'.repeat(10_000) } });
  expect(await loud.submit(TX1, edit(id, 1, 'b', 'c'))).toMatchObject({ status: 'accepted' });
  expect(await loud.getPdcpLog({ target_file_id: id, limit: 1 })).toMatchObject({ entries: [{ actor: { omitted_bytes: 10_011 } }] });
});
