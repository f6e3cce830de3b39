import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { publishFile, withLease } from '../../src/workspace/index.ts';
import { built } from '../helpers/build.ts';
import { errno, failing, leftovers, newFolder, open, refused, sha, watched } from './room.ts';

/** How this system lets a process have mounts of its own; null: not at all, and the same faults are injected. */
const NAMESPACE =
  ['-m', '-rm'].find((flags) => {
    try {
      execFileSync('unshare', [flags, 'sh', '-c', 'd=$(mktemp -d) && mount -t tmpfs none "$d" && umount "$d" && rmdir "$d"'], {
        stdio: 'ignore',
      });
      return true;
    } catch {
      return false;
    }
  }) ?? null;

/** Runs shell commands as `mounts`, then the module code with `dist` and `root`, in a private mount namespace; its printed JSON. */
async function inNamespace<T>(mounts: string, root: string, code: string): Promise<T> {
  const dist = await built();
  const script = `set -e; cd "$1"; ${mounts}; exec "$2" --input-type=module -e "$4" "$3" "$1"`;
  const module = `
    import { createHash } from 'node:crypto';
    import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
    const [dist, root] = process.argv.slice(1);
    const { importFile, openWorkspace, publishFile, withLease } = await import(dist + '/workspace/index.js');
    const sha = (bytes) => createHash('sha256').update(bytes).digest('hex');
    const left = (folder) => readdirSync(folder).filter((name) => name.startsWith('.patchdiff-'));
    const open = (at, options = {}) => openWorkspace(at, options);
    ${code}`;
  return new Promise((resolve, reject) => {
    execFile('unshare', [NAMESPACE!, 'sh', '-c', script, 'sh', root, process.execPath, dist, module], (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout) as T);
      else reject(new Error(stderr));
    });
  });
}

const onRealMounts = (): void => {
  it('a full disk: the old file is whole, nothing is left, and there is room again afterwards (B54)', async () => {
    const said = await inNamespace<Record<string, unknown>>(
      'mkdir d && mount -t tmpfs -o size=256k none d',
      newFolder(),
      `writeFileSync(root + '/d/f', 'old');
       const ws = await open(root);
       const refusal = await publishFile(ws, 'd/f', Buffer.alloc(400_000, 'x'), sha('old'));
       const standing = [readFileSync(root + '/d/f', 'utf8'), left(root + '/d')];
       const fits = await publishFile(ws, 'd/f', Buffer.alloc(200_000, 'y'), sha('old'));
       process.stdout.write(JSON.stringify({ code: refusal.code, errno: refusal.facts.errno, standing, fits: fits.ok }));`,
    );
    expect(said).toEqual({ code: 'disk_full', errno: 'ENOSPC', standing: ['old', []], fits: true });
  });

  it('a read-only file system refuses and leaves everything, and can still be imported from', async () => {
    const said = await inNamespace<Record<string, unknown>>(
      'mkdir d && printf old > d/f && mount --bind d d && mount -o remount,ro,bind d',
      newFolder(),
      `const ws = await open(root);
       const refusal = await publishFile(ws, 'd/f', Buffer.from('new'), sha('old'));
       const made = await publishFile(ws, 'd/g', Buffer.from('new'), null);
       const read = await importFile(ws, 'd/f');
       process.stdout.write(JSON.stringify({ codes: [refusal.code, made.code], text: read.content, standing: readdirSync(root + '/d') }));`,
    );
    expect(said).toEqual({ codes: ['read_only_file_system', 'read_only_file_system'], text: 'old', standing: ['f'] });
  });

  it('a file that is a mount point cannot be replaced, and stays as it is (B58, B61)', async () => {
    const said = await inNamespace<Record<string, unknown>>(
      'printf old > f && printf old > elsewhere && mount --bind elsewhere f',
      newFolder(),
      `const ws = await open(root);
       const refusal = await publishFile(ws, 'f', Buffer.from('new'), sha('old'));
       process.stdout.write(JSON.stringify({ code: refusal.code, standing: [readFileSync(root + '/f', 'utf8'), left(root)] }));`,
    );
    expect(said).toEqual({ code: 'destination_busy', standing: ['old', []] });
  });

  it('one directory under two mounts has one lease and one file; a mount inside the root is published to in place', async () => {
    const said = await inNamespace<Record<string, unknown>>(
      'mkdir a b && printf old > a/f && mount --bind a b',
      newFolder(),
      `const [whole, part] = [await open(root), await open(root + '/b', { leaseWaitMs: 50 })];
       const inside = await withLease(whole, 'a/f', () => withLease(part, 'f', async () => 'in'));
       const done = await publishFile(part, 'f', Buffer.from('new'), sha('old'));
       process.stdout.write(JSON.stringify({ inside: inside.value.code, ok: done.ok, standing: readFileSync(root + '/a/f', 'utf8') }));`,
    );
    expect(said).toEqual({ inside: 'lease_busy', ok: true, standing: 'new' });
  });

  it('a lease held here excludes a process that reaches the directory by a mount of its own', async () => {
    const root = newFolder();
    mkdirSync(join(root, 'd'));
    writeFileSync(join(root, 'd', 'f'), 'old');
    const ws = await open(root);
    const elsewhere = (): Promise<Record<string, unknown>> =>
      inNamespace(
        'm=$(mktemp -d) && mount --bind d "$m" && set -- "$m" "$2" "$3" "$4"',
        root,
        `const ws = await open(root, { leaseWaitMs: 50 });
         const result = await withLease(ws, 'f', async () => 'in');
         process.stdout.write(JSON.stringify({ code: result.code ?? result.value }));`,
      );
    expect(await withLease(ws, 'd/f', elsewhere)).toEqual({ ok: true, value: { code: 'lease_busy' } });
    expect(await elsewhere()).toEqual({ code: 'in' });
  });
};

if (NAMESPACE === null) {
  it('this system permits no mounts of a process: only the injected faults below were tried', () => {
    expect(() => execFileSync('unshare', ['-m', 'true'], { stdio: 'ignore' })).toThrow();
  });
} else {
  describe('on real mounts of a private namespace', onRealMounts);
}

// The same faults from passed-in system calls: what stays where the system permits no mounts.
describe('the same, injected', () => {
  const scene = async (fs: Parameters<typeof open>[1]): Promise<{ root: string; result: Awaited<ReturnType<typeof publishFile>> }> => {
    const root = newFolder();
    writeFileSync(join(root, 'f'), 'old');
    return { root, result: await publishFile(await open(root, fs), 'f', Buffer.from('new'), sha('old')) };
  };

  it.each([
    ['create.write', 'ENOSPC', 'disk_full'],
    ['create', 'EROFS', 'read_only_file_system'],
    ['rename', 'EBUSY', 'destination_busy'],
    ['rename', 'EXDEV', 'cross_device'],
  ] as const)('%s fails with %s: %s', async (call, code, expected) => {
    const { root, result } = await scene({ fs: failing(call, code) });
    refused(result, expected);
    expect(leftovers(root)).toEqual([]);
  });

  it('a disk that is full in the middle of a write', async () => {
    let writes = 0;
    const fs = watched((call) => {
      if (call === 'create.write' && writes++ === 0) throw errno('ENOSPC');
    });
    refused((await scene({ fs })).result, 'disk_full');
  });
});
