import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { FileSystem, OpenFile, Refusal, RefusalCode, Workspace, WorkspaceOptions } from '../../src/workspace/index.ts';
import { nodeFileSystem, openWorkspace } from '../../src/workspace/index.ts';

const made: string[] = [];
afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A new directory that everybody may enter, removed after the file's tests. */
export function newFolder(mode = 0o777): string {
  const folder = mkdtempSync(join(tmpdir(), 'patchdiff ws é-'));
  chmodSync(folder, mode);
  made.push(folder);
  return folder;
}

export async function open(root: string, options: WorkspaceOptions = {}): Promise<Workspace> {
  const ws = await openWorkspace(root, options);
  if (!ws.ok) throw new Error(ws.message);
  return ws;
}

export const sha = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The refusal, checked for what every one of them promises: one sentence or more, and no absolute path of this machine. */
export function refused(result: { ok: boolean } | Refusal, code: RefusalCode): Refusal {
  expect(result).toMatchObject({ ok: false, code });
  const refusal = result as Refusal;
  expect(refusal.message).toMatch(/\.$/);
  expect(refusal.message).not.toContain(tmpdir());
  expect(JSON.stringify(refusal.facts)).not.toContain(tmpdir());
  return refusal;
}

/** Names that the product leaves beside a file while it works. */
export function leftovers(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('.patchdiff-'));
}

/**
 * Runs as a user without root's rights: root is allowed everything, so a test of permissions run as root proves nothing.
 * Only the effective ids change, for the whole process, and they are given back.
 */
export async function asOrdinaryUser<T>(run: () => Promise<T>): Promise<T> {
  if (process.geteuid!() !== 0) return run();
  process.setegid!(65534);
  process.seteuid!(65534);
  try {
    return await run();
  } finally {
    process.seteuid!(0);
    process.setegid!(0);
  }
}

/** The pid of a process that has ended. */
export function endedPid(): string {
  return execFileSync('/bin/sh', ['-c', 'echo $$'], { encoding: 'utf8' }).trim();
}

/** The pid namespace of this process, and when a process of it started, as the product writes them. */
export const namespaceId = (): string => /\d+/.exec(readlinkSync('/proc/self/ns/pid'))![0];
export const startOf = (pid: number): string => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ')[19]!;

/** The system calls of a publication, as the tests name them: `create.write` is a write to the file opened with intent `create`. */
export type Before = (call: string, path: string) => void | Promise<void>;

/** The real system calls, each announced to `before`, which may throw an errno, change the disk, or end the process. */
export function watched(before: Before): FileSystem {
  const call =
    <A extends [string, ...unknown[]], R>(name: string, real: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await before(name, args[0]);
      return real(...args);
    };
  return {
    realPath: call('realPath', nodeFileSystem.realPath),
    status: call('status', nodeFileSystem.status),
    names: call('names', nodeFileSystem.names),
    rename: call('rename', nodeFileSystem.rename),
    link: call('link', nodeFileSystem.link),
    unlink: call('unlink', nodeFileSystem.unlink),
    open: async (path, intent, mode) => {
      await before(intent, path);
      const file = await nodeFileSystem.open(path, intent, mode);
      const method =
        <A extends unknown[], R>(name: string, real: (...args: A) => Promise<R>) =>
        async (...args: A): Promise<R> => {
          await before(`${intent}.${name}`, path);
          return real.apply(file, args);
        };
      return {
        fd: file.fd,
        status: method('status', () => file.status()),
        read: method('read', (into: Uint8Array) => file.read(into)),
        write: method('write', (bytes: Uint8Array) => file.write(bytes)),
        chown: method('chown', (uid: number, gid: number) => file.chown(uid, gid)),
        chmod: method('chmod', (mode: number) => file.chmod(mode)),
        sync: method('sync', () => file.sync()),
        close: () => file.close(),
      } satisfies OpenFile;
    },
  };
}

/** An error as a failed system call throws it. */
export function errno(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/** Fails the `nth` call of that name with an errno; every other call is real. */
export function failing(name: string, code: string, nth = 1): FileSystem {
  let seen = 0;
  return watched((call) => {
    if (call === name && ++seen === nth) throw errno(code);
  });
}
