import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureServer, serverStatus, stopServer } from '../../src/db/embedded/index.ts';
import { migrateWithCurrent } from '../../src/db/migrate.ts';
import type { Database } from '../../src/db/port.ts';
import { revivingDatabase } from '../../src/db/reviving.ts';
import { databaseError } from '../../src/db/sqlstate.ts';
import { SERVER, RawPipe } from './support/raw-pipe.ts';

const target_file_id = '11111111-2222-4333-8444-555555555555';

describe('the embedded postmaster, killed under a running server', () => {
  let base: string;
  let home: string;
  let pipe: RawPipe;

  beforeAll(async () => {
    base = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-revive-'));
    chmodSync(base, 0o711);
    home = path.join(base, 'home');
    // Durable: what was committed has to outlive the kill.
    await migrateWithCurrent((await ensureServer({ home })).adminUrl);
    pipe = new RawPipe(SERVER, [], { PATCHDIFF_HOME: home });
    await pipe.initialize();
  });

  afterAll(async () => {
    pipe.kill();
    await stopServer({ home });
    rmSync(base, { recursive: true, force: true });
  });

  async function killPostmaster(): Promise<number> {
    const { pid } = serverStatus({ home });
    if (pid === null) throw new Error('no server runs');
    process.kill(pid, 'SIGKILL');
    while (existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '') await sleep(10);
    return pid;
  }

  async function answer(id: string, name: string, args: unknown): Promise<Record<string, unknown>> {
    const { result } = await pipe.call(id, name, args);
    const [content] = result?.['content'] as [{ text: string }];
    return JSON.parse(content.text) as Record<string, unknown>;
  }

  /** The first answer that is no failure; a connection that broke under a call may fail it, and only with the outcome unknown. */
  async function settled(name: string, args: unknown): Promise<Record<string, unknown>> {
    for (let round = 0; round < 20; round += 1) {
      const result = await answer(`${name}-${round}-${Math.random()}`, name, args);
      if (result['status'] !== 'error') return result;
      expect(result).toMatchObject({ code: 'connection_lost', outcome_unknown: expect.any(Boolean) as boolean });
    }
    throw new Error('the server did not come back');
  }

  test('calls work again, and the documents are there', { timeout: 120_000 }, async () => {
    const content = 'one\n';
    expect(await answer('a', 'patchdiff_initialize_target', { target_file_id, display_name: 'd', content })).toMatchObject({
      status: 'created',
    });
    for (const [version, match, replace] of [
      [0, 'one', 'two'],
      [1, 'two', 'three'],
    ] as const) {
      const old = await killPostmaster();
      const submission = {
        target_file_id,
        intent: 'go on',
        expected_target_version: version,
        client_request_id: `after-${version}`,
        edits: [{ match, replace }],
      };
      expect(await settled('patchdiff_submit_edits', submission)).toMatchObject({ status: 'accepted', version: version + 1 });
      expect(serverStatus({ home })).toMatchObject({ running: true });
      expect(serverStatus({ home }).pid).not.toBe(old);
    }
    expect(await answer('z', 'patchdiff_read_target', { target_file_id })).toMatchObject({ text: 'three\n', version: 2 });
    expect(pipe.stderr).toContain('the embedded database was gone; it was started again');
  });
});

describe('what is sent again', () => {
  const unreachable = databaseError(new Error('refused'), 'connect');
  const broken = databaseError(new Error('reset'), 'statement');
  const statement = { name: 's', text: 'select 1', values: [] };

  /** A database that fails with these, in order, then answers; and what was asked of it. */
  function failing(errors: Error[], revive: () => Promise<string> = () => Promise.resolve('there')) {
    const asked: string[] = [];
    const fail = (): Promise<never> | null => {
      const error = errors.shift();
      return error === undefined ? null : Promise.reject(error);
    };
    const open = (url: string): Database => ({
      autocommit: true,
      query: () => {
        asked.push(`query ${url}`);
        return fail() ?? Promise.resolve([]);
      },
      transaction: (work) => {
        asked.push(`transaction ${url}`);
        return fail() ?? work(open(url));
      },
      snapshot: (work) => {
        asked.push(`snapshot ${url}`);
        return fail() ?? work(open(url));
      },
      close: () => {
        asked.push(`close ${url}`);
        return Promise.resolve();
      },
    });
    const failures: unknown[] = [];
    const database = revivingDatabase({
      url: 'here',
      open,
      revive: () => {
        asked.push('revive');
        return revive();
      },
      onFailure: (error) => failures.push(error),
    });
    return { database, asked, failures };
  }

  test('a statement that found no server, once, at the place where it is now', async () => {
    const { database, asked } = failing([unreachable]);
    expect(await database.query(statement)).toEqual([]);
    expect(asked).toEqual(['query here', 'revive', 'close here', 'query there']);
    const twice = failing([unreachable, unreachable], () => Promise.resolve('here'));
    await expect(twice.database.query(statement)).rejects.toBe(unreachable);
    expect(twice.asked).toEqual(['query here', 'revive', 'query here']);
  });

  test('a statement whose connection broke is not, but the server is brought up', async () => {
    const { database, asked } = failing([broken], () => Promise.resolve('here'));
    await expect(database.query(statement)).rejects.toBe(broken);
    expect(asked).toEqual(['query here', 'revive']);
  });

  test('a transaction only when its work had not begun', async () => {
    const fresh = failing([unreachable], () => Promise.resolve('here'));
    expect(await fresh.database.transaction(() => Promise.resolve('done'))).toBe('done');
    expect(fresh.asked).toEqual(['transaction here', 'revive', 'transaction here']);
    const begun = failing([]);
    await expect(begun.database.transaction(() => Promise.reject(unreachable))).rejects.toBe(unreachable);
    expect(begun.asked.filter((each) => each.startsWith('transaction'))).toEqual(['transaction here']);
  });

  test('calls at once bring the server up once; a failure to do so leaves their own', async () => {
    const down = new Error('no binaries');
    const { database, asked, failures } = failing([unreachable, unreachable], () => Promise.reject(down));
    const calls = await Promise.allSettled([database.query(statement), database.query(statement)]);
    expect(calls).toEqual([unreachable, unreachable].map((reason) => ({ status: 'rejected', reason })));
    expect(asked.filter((each) => each === 'revive')).toHaveLength(1);
    expect(failures).toEqual([down]);
  });

  test('nothing after a refusal, a shutdown that was asked for, or the end', async () => {
    const shutdown = databaseError({ code: '57P01' }, 'statement');
    const { database, asked } = failing([databaseError({ code: '42501' }, 'statement'), shutdown, unreachable]);
    await expect(database.query(statement)).rejects.toMatchObject({ kind: 'configuration' });
    await expect(database.query(statement)).rejects.toBe(shutdown);
    await database.close();
    await expect(database.query(statement)).rejects.toBe(unreachable);
    expect(asked).not.toContain('revive');
  });
});
