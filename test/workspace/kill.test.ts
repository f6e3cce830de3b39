import { execFile } from 'node:child_process';
import { linkSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { publishFile, readDisk } from '../../src/workspace/index.ts';
import { built } from '../helpers/build.ts';
import { endedPid, leftovers, namespaceId, newFolder, open, sha, startOf } from './room.ts';

/** A process that publishes `new` over `old` and kills itself, as SIGKILL does, before its nth system call. Prints the calls it made. */
const CHILD = `
import { writeSync } from 'node:fs';
const [dist, root, expected, nth] = process.argv.slice(1);
const { nodeFileSystem, openWorkspace, publishFile } = await import(dist + '/workspace/index.js');
let seen = 0;
const before = (name) => {
  writeSync(1, name + '\\n');
  if (++seen === Number(nth)) process.kill(process.pid, 'SIGKILL');
};
const fs = Object.fromEntries(Object.entries(nodeFileSystem).map(([name, real]) => [name, async (...args) => {
  before(name === 'open' ? args[1] : name);
  const result = await real(...args);
  if (name !== 'open') return result;
  return new Proxy(result, { get: (file, key) => {
    const value = file[key];
    if (typeof value !== 'function') return value;
    return async (...rest) => {
      // A write that is cut short: one byte is on disk.
      if (key === 'write' && seen + 1 === Number(nth)) await file.write(rest[0].subarray(0, 1));
      before(args[1] + '.' + key);
      return value.apply(file, rest);
    };
  } });
}]));
const ws = await openWorkspace(root);
const result = await publishFile({ ...ws, fs }, 'f', Buffer.from('new'), expected === '' ? null : expected);
writeSync(1, JSON.stringify(result) + '\\n');
`;

function child(dist: string, root: string, expected: string | null, nth: number): Promise<{ signal: string | null; lines: string[] }> {
  return new Promise((resolve) => {
    const args = ['--input-type=module', '-e', CHILD, dist, root, expected ?? '', String(nth)];
    execFile(process.execPath, args, (error, stdout) => resolve({ signal: error?.signal ?? null, lines: stdout.trim().split('\n') }));
  });
}

describe('a process killed before any one of the system calls that write (B54)', () => {
  it.each([
    { name: 'replacing a file', old: 'old' },
    { name: 'making a new one', old: null },
  ])(
    '$name: the disk holds the old bytes or the new ones, and the next publication cleans up and works',
    { timeout: 240_000 },
    async ({ old }) => {
      const dist = await built();
      const expected = old === null ? null : sha(old);
      const whole = newFolder();
      if (old !== null) writeFileSync(join(whole, 'f'), old);
      const calls = (await child(dist, whole, expected, 0)).lines;
      expect(JSON.parse(calls.pop()!)).toMatchObject({ ok: true });
      const states = new Set<string>();

      const one = async (nth: number): Promise<void> => {
        const root = newFolder();
        if (old !== null) writeFileSync(join(root, 'f'), old, { mode: 0o751 });
        const killed = await child(dist, root, expected, nth);
        expect(killed.signal).toBe('SIGKILL');
        const ws = await open(root);
        const disk = await readDisk(ws, 'f');
        if (!disk.ok) throw new Error(disk.message);
        expect([expected, sha('new')]).toContain(disk.sha256);
        const left = leftovers(root);
        expect(left.length).toBeLessThanOrEqual(1);
        for (const name of left) expect(statSync(join(root, name)).mode & 0o7777 & ~(old === null ? 0o666 : 0o751)).toBe(0);
        states.add(`${disk.sha256 === sha('new') ? 'new' : 'old'}${left.length > 0 ? ' + temporary' : ''}`);
        expect(await publishFile(ws, 'f', Buffer.from('next'), disk.sha256)).toMatchObject({ ok: true, removedLeftovers: left });
        expect(readFileSync(join(root, 'f'), 'utf8')).toBe('next');
        expect(leftovers(root)).toEqual([]);
      };
      // Before the temporary file is created nothing has been written.
      for (let nth = calls.indexOf('create') + 1; nth <= calls.length; nth += 2) {
        await Promise.all([nth, nth + 1].filter((n) => n <= calls.length).map(one));
      }
      expect([...states].sort()).toEqual(
        old === null ? ['new', 'new + temporary', 'old', 'old + temporary'] : ['new', 'old', 'old + temporary'],
      );
    },
  );

  it('removes nothing but what dead processes left', async () => {
    const root = newFolder();
    writeFileSync(join(root, 'f'), 'old');
    const [ended, namespace] = [endedPid(), namespaceId()];
    const name = (ns: string, pid: string | number, rest = '1-0123456789abcdef.tmp'): string => `.patchdiff-${ns}-${pid}-${rest}`;
    const dead = name(namespace, ended);
    const reused = name(namespace, process.pid);
    const kept = [
      name('1', ended),
      name(namespace, process.pid, `${startOf(process.pid)}-0123456789abcdef.tmp`),
      name(namespace, ended, '1-0123456789abcdef.tmp.bak'),
      name(namespace, ended, '1-0123456789ABCDEF.tmp'),
      '.patchdiff-notes.tmp',
      `x${dead}`,
    ];
    for (const file of [dead, reused, ...kept]) writeFileSync(join(root, file), file);
    const result = await publishFile(await open(root), 'f', Buffer.from('new'), sha('old'));
    expect(result).toMatchObject({ ok: true });
    expect(result.ok && result.removedLeftovers.toSorted()).toEqual([dead, reused].sort());
    for (const file of kept) expect(readFileSync(join(root, file), 'utf8')).toBe(file);
  });

  it('knows the second name that a kill between link and unlink leaves', async () => {
    const root = newFolder();
    writeFileSync(join(root, 'f'), 'new');
    const [ended, namespace] = [endedPid(), namespaceId()];
    linkSync(join(root, 'f'), join(root, `.patchdiff-${namespace}-${ended}-1-0123456789abcdef.tmp`));
    expect(await publishFile(await open(root), 'f', Buffer.from('next'), sha('new'))).toMatchObject({ ok: true });
  });
});
