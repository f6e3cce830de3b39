import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LeaseKind } from '../../src/workspace/index.ts';
import { openWorkspace, withLease } from '../../src/workspace/index.ts';
import { built } from '../helpers/build.ts';
import { asOrdinaryUser, endedPid, errno, leftovers, namespaceId, newFolder, open, refused, startOf, watched } from './room.ts';

const KINDS: LeaseKind[] = ['abstract_socket', 'lock_file'];
const LOCK = '.patchdiff-lease.lock';

/** Another process that holds the lease until it is killed. */
async function holder(root: string, path: string, lease: LeaseKind): Promise<ChildProcess> {
  const code = `
    const [dist, root, path, lease] = process.argv.slice(1);
    const { openWorkspace, withLease } = await import(dist + '/workspace/index.js');
    const ws = await openWorkspace(root, { lease });
    const result = await withLease(ws, path, () => new Promise(() => { process.stdout.write('held'); setInterval(() => {}, 1000); }));
    console.error(result);`;
  const process_ = spawn(process.execPath, ['--input-type=module', '-e', code, await built(), root, path, lease], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(process_.stdout, 'data');
  return process_;
}

async function killed(process_: ChildProcess): Promise<void> {
  const gone = once(process_, 'exit');
  process_.kill('SIGKILL');
  await gone;
}

describe.each(KINDS)('a lease by %s', (lease) => {
  it('is waited for briefly, refused, and dies with its holder', async () => {
    const root = newFolder();
    mkdirSync(join(root, 'd'));
    const other = await holder(root, 'd/f', lease);
    const ws = await open(root, { lease, leaseWaitMs: 100 });
    try {
      const refusal = refused(await withLease(ws, 'd/g', () => Promise.resolve('in')), 'lease_busy');
      expect(refusal.facts).toEqual({ path: 'd/g', waited_ms: 100 });
      expect(await withLease(ws, 'g', () => Promise.resolve('another directory'))).toEqual({ ok: true, value: 'another directory' });
    } finally {
      await killed(other);
    }
    expect(await withLease(ws, 'd/g', () => Promise.resolve('in'))).toEqual({ ok: true, value: 'in' });
    expect(existsSync(join(root, 'd', LOCK))).toBe(false);
  });

  it('is granted to one who waits when the holder ends in time', async () => {
    const root = newFolder();
    const other = await holder(root, 'f', lease);
    const ws = await open(root, { lease, leaseWaitMs: 20_000 });
    const waiting = withLease(ws, 'f', () => Promise.resolve('in'));
    await killed(other);
    expect(await waiting).toEqual({ ok: true, value: 'in' });
  });

  it('is one for two roots that reach one physical directory', async () => {
    const root = newFolder();
    mkdirSync(join(root, 'd'));
    const link = join(newFolder(), 'link');
    symlinkSync(join(root, 'd'), link);
    const [whole, part] = [await open(root, { lease, leaseWaitMs: 50 }), await open(link, { lease, leaseWaitMs: 50 })];
    const result = await withLease(whole, 'd/f', () => withLease(part, 'f', () => Promise.resolve()));
    expect(result).toMatchObject({ ok: true, value: { ok: false, code: 'lease_busy' } });
  });

  it('queues calls inside one workspace, however long each takes', async () => {
    const ws = await open(newFolder(), { lease, leaseWaitMs: 0 });
    const order: string[] = [];
    const turn = (name: string, ms: number): Promise<unknown> =>
      withLease(ws, name, async () => {
        order.push(`${name} in`);
        await new Promise((resolve) => setTimeout(resolve, ms));
        order.push(`${name} out`);
      });
    await Promise.all([turn('a', 40), turn('b', 1), turn('c', 10)]);
    expect(order.length).toBe(6);
    for (let i = 0; i < 6; i += 2) expect(order[i + 1]).toBe(order[i]!.replace('in', 'out'));
    expect(ws.queues.size).toBe(0);
  });

  it('is given back when the work throws', async () => {
    const ws = await open(newFolder(), { lease, leaseWaitMs: 0 });
    await expect(withLease(ws, 'f', () => Promise.reject(new Error('work failed')))).rejects.toThrow('work failed');
    expect(await withLease(ws, 'f', () => Promise.resolve(1))).toEqual({ ok: true, value: 1 });
  });

  it('is refused for a directory that is not there', async () => {
    refused(await withLease(await open(newFolder(), { lease }), 'none/f', () => Promise.resolve()), 'directory_vanished');
  });
});

describe('a lock file', () => {
  it('names its holder and is gone afterwards', async () => {
    const root = newFolder();
    const ws = await open(root, { lease: 'lock_file' });
    await withLease(ws, 'f', () => {
      expect(readFileSync(join(root, LOCK), 'utf8')).toMatch(new RegExp(`^\\d+ ${process.pid} \\d+\\n$`));
      return Promise.resolve();
    });
    expect(existsSync(join(root, LOCK))).toBe(false);
  });

  it.each(['', '1 2', 'someone else\n'])('whose content %j names nobody is not taken away', async (content) => {
    const root = newFolder();
    writeFileSync(join(root, LOCK), content);
    refused(await withLease(await open(root, { lease: 'lock_file', leaseWaitMs: 50 }), 'f', () => Promise.resolve()), 'lease_busy');
    expect(readFileSync(join(root, LOCK), 'utf8')).toBe(content);
  });

  it('taken by a third process while a dead one is cleared away is put back', async () => {
    const root = newFolder();
    const lock = join(root, LOCK);
    writeFileSync(lock, `${namespaceId()} ${endedPid()} 3\n`);
    const theirs = `${namespaceId()} ${process.ppid} ${startOf(process.ppid)}\n`;
    const fs = watched((call) => {
      if (call === 'rename') writeFileSync(lock, theirs);
    });
    refused(await withLease(await open(root, { fs, lease: 'lock_file', leaseWaitMs: 50 }), 'f', () => Promise.resolve()), 'lease_busy');
    expect(readFileSync(lock, 'utf8')).toBe(theirs);
    expect(leftovers(root)).toEqual([LOCK]);
  });

  it('that may not be made is refused as such', async () => {
    const root = newFolder(0o755);
    const ws = await open(root, { lease: 'lock_file' });
    if (process.getuid!() === 0) {
      refused(await asOrdinaryUser(() => withLease(ws, 'f', () => Promise.resolve())), 'directory_not_writable');
    }
    const fs = watched((call) => {
      if (call === 'create') throw errno('EROFS');
    });
    const failed = await open(root, { fs, lease: 'lock_file' });
    expect(refused(await withLease(failed, 'f', () => Promise.resolve()), 'lease_unavailable').facts).toEqual({
      path: 'f',
      errno: 'EROFS',
    });
  });
});

it('the kind of lease follows the system', async () => {
  expect(await openWorkspace(newFolder())).toMatchObject({ lease: process.platform === 'linux' ? 'abstract_socket' : 'lock_file' });
});
