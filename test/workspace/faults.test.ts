import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileSystem, RefusalCode } from '../../src/workspace/index.ts';
import { importFile, publishFile } from '../../src/workspace/index.ts';
import { errno, failing, leftovers, newFolder, open, refused, sha, watched } from './room.ts';

interface Scene {
  root: string;
  folder: string;
  path: string;
  publish: (fs: FileSystem, expected?: string | null) => ReturnType<typeof publishFile>;
}

function scene(content: string | null = 'old'): Scene {
  const root = newFolder();
  const folder = join(root, 'd');
  mkdirSync(folder);
  const path = join(folder, 'f');
  if (content !== null) writeFileSync(path, content);
  return {
    root,
    folder,
    path,
    publish: async (fs, expected = content === null ? null : sha(content)) =>
      publishFile(await open(root, { fs }), 'd/f', Buffer.from('new'), expected),
  };
}

describe('a system call that fails leaves the old file and no temporary one', () => {
  it.each<[string, number, string, RefusalCode]>([
    ['directory', 3, 'EMFILE', 'io_error'],
    ['read', 1, 'EIO', 'io_error'],
    ['read.read', 1, 'EIO', 'io_error'],
    ['probe', 1, 'EROFS', 'read_only_file_system'],
    ['probe', 1, 'EPERM', 'file_read_only'],
    ['create', 1, 'ENOSPC', 'disk_full'],
    ['create', 1, 'EROFS', 'read_only_file_system'],
    ['create', 1, 'EACCES', 'directory_not_writable'],
    ['create', 1, 'ENOENT', 'directory_vanished'],
    ['create.write', 1, 'ENOSPC', 'disk_full'],
    ['create.write', 1, 'EDQUOT', 'disk_full'],
    ['create.write', 1, 'EIO', 'io_error'],
    ['create.status', 1, 'EIO', 'io_error'],
    ['create.chmod', 1, 'EPERM', 'operation_not_permitted'],
    ['create.sync', 1, 'EIO', 'io_error'],
    ['create.sync', 1, 'ENOSPC', 'disk_full'],
    ['read.read', 4, 'EIO', 'io_error'],
    ['rename', 1, 'EXDEV', 'cross_device'],
    ['rename', 1, 'EBUSY', 'destination_busy'],
    ['rename', 1, 'EISDIR', 'is_directory'],
    ['rename', 1, 'EACCES', 'directory_not_writable'],
    ['rename', 1, 'EPERM', 'operation_not_permitted'],
    ['rename', 1, 'ENOSPC', 'disk_full'],
    ['rename', 1, 'EROFS', 'read_only_file_system'],
    ['rename', 1, 'ENOENT', 'directory_vanished'],
  ])('%s (call %i) fails with %s: %s', async (call, nth, code, expected) => {
    const { folder, path, publish } = scene();
    const refusal = refused(await publish(failing(call, code, nth)), expected);
    expect(refusal.facts).toMatchObject({ path: 'd/f', errno: code });
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(leftovers(folder)).toEqual([]);
  });

  it.each(['EIO', 'ENOSPC', 'EXDEV', 'EACCES', 'ENOTDIR', 'EROFS', 'EDQUOT'])(
    'at every single call that a publication makes, whatever the system says: %s (B59)',
    async (code) => {
      const calls: string[] = [];
      const whole = scene();
      await publishFile(
        { ...(await open(whole.root)), fs: watched((call) => void calls.push(call)) },
        'd/f',
        Buffer.from('new'),
        sha('old'),
      );
      expect(calls.length).toBeGreaterThan(20);
      for (const [at, call] of calls.entries()) {
        const { folder, path, root } = scene();
        let seen = 0;
        const fs = watched(() => {
          if (seen++ === at) throw errno(code);
        });
        const result = await publishFile({ ...(await open(root)), fs }, 'd/f', Buffer.from('new'), sha('old'));
        const content = readFileSync(path, 'utf8');
        // Once the rename is done a failure changes nothing about the outcome.
        const expected = result.ok ? 'new' : 'old';
        expect({ at, call, content, left: leftovers(folder) }).toEqual({ at, call, content: expected, left: [] });
        if (at > calls.indexOf('rename')) expect(result.ok).toBe(true);
      }
    },
  );

  it('a bug is no refusal: it is thrown on', async () => {
    const { publish } = scene();
    const broken = watched((call) => {
      if (call === 'create.write') throw new TypeError('a bug');
    });
    await expect(publish(broken)).rejects.toThrow('a bug');
  });
});

describe('outcomes that are told apart', () => {
  it('a rename that failed in name only has published', async () => {
    const { folder, path, publish } = scene();
    const fs = watched((call, from) => {
      if (call !== 'rename') return;
      renameSync(from, path);
      throw errno('EIO');
    });
    expect(await publish(fs)).toMatchObject({ ok: true, leftover: null });
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(leftovers(folder)).toEqual([]);
  });

  it('a directory that cannot be flushed: published, not known to be durable', async () => {
    const { path, publish } = scene();
    expect(await publish(failing('directory.sync', 'EIO'))).toMatchObject({ ok: true, durable: false });
    expect(readFileSync(path, 'utf8')).toBe('new');
  });

  it('a temporary file that cannot be removed is named', async () => {
    const { folder, publish } = scene();
    const fs = watched((call) => {
      if (call === 'create.sync' || call === 'unlink') throw errno('EIO');
    });
    const refusal = refused(await publish(fs), 'io_error');
    expect(leftovers(folder)).toEqual([refusal.facts['leftover']]);
    expect(refusal.message).toContain(leftovers(folder)[0]!);
  });

  it('a new file whose temporary name cannot be removed is published under both', async () => {
    const { folder, path, publish } = scene(null);
    const result = await publish(failing('unlink', 'EIO'));
    expect(result).toMatchObject({ ok: true, leftover: leftovers(folder)[0]! });
    expect(readFileSync(path, 'utf8')).toBe('new');
  });

  it('a file system without hard links takes a new file by rename', async () => {
    const { folder, path, publish } = scene(null);
    expect(await publish(failing('link', 'EPERM'))).toMatchObject({ ok: true, leftover: null });
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(leftovers(folder)).toEqual([]);
  });
});

describe('what others do meanwhile', () => {
  const during = (name: string, act: (path: string) => void): FileSystem => {
    let done = false;
    return watched((call, path) => {
      if (call !== name || done) return;
      done = true;
      act(path);
    });
  };

  it('another writer changes the file while the new one is written', async () => {
    const { folder, path, publish } = scene();
    const fs = during('create.sync', () => writeFileSync(path, 'theirs'));
    expect(refused(await publish(fs), 'drift').facts).toMatchObject({
      expected_disk_sha256: sha('old'),
      observed_disk_sha256: sha('theirs'),
    });
    expect(readFileSync(path, 'utf8')).toBe('theirs');
    expect(leftovers(folder)).toEqual([]);
  });

  it('another writer replaces it by a file of the same text', async () => {
    const { folder, path, publish } = scene();
    const fs = during('create.sync', () => {
      writeFileSync(`${path}2`, 'old', { mode: 0o600 });
      renameSync(`${path}2`, path);
    });
    refused(await publish(fs), 'path_changed');
    expect(leftovers(folder)).toEqual([]);
  });

  it.each<[string, RefusalCode, (path: string) => void]>([
    [
      'removes it',
      'drift',
      (path) => {
        rmSync(path);
      },
    ],
    [
      'makes it a directory',
      'is_directory',
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
    [
      'makes it a link',
      'is_symlink',
      (path) => {
        renameSync(path, `${path}2`);
        symlinkSync('f2', path);
      },
    ],
  ])('another writer %s: %s', async (_, code, act) => {
    const { folder, path, publish } = scene();
    refused(await publish(during('create.write', () => act(path))), code);
    expect(leftovers(folder)).toEqual([]);
  });

  it('a directory takes its place at the very last moment', async () => {
    const { folder, path, publish } = scene();
    const fs = during('rename', () => {
      rmSync(path);
      mkdirSync(path);
    });
    refused(await publish(fs), 'is_directory');
    expect(leftovers(folder)).toEqual([]);
  });

  it('a file appears at the very last moment where there was none', async () => {
    const { folder, path, publish } = scene(null);
    const fs = during('link', () => writeFileSync(path, 'theirs'));
    expect(refused(await publish(fs), 'drift').facts).toMatchObject({ expected_disk_sha256: null, observed_disk_sha256: sha('theirs') });
    expect(readFileSync(path, 'utf8')).toBe('theirs');
    expect(leftovers(folder)).toEqual([]);
  });

  it('the directory is moved out of the workspace', async () => {
    const { folder, publish } = scene();
    const elsewhere = join(newFolder(), 'd');
    refused(await publish(during('create.sync', () => renameSync(folder, elsewhere))), 'directory_vanished');
    expect(readFileSync(join(elsewhere, 'f'), 'utf8')).toBe('old');
    expect(leftovers(elsewhere)).toEqual([]);
  });

  it('the directory is removed', async () => {
    const { folder, publish } = scene();
    refused(await publish(during('create', () => rmSync(folder, { recursive: true }))), 'directory_vanished');
    refused(await scene(null).publish(during('create.sync', (path) => unlinkSync(path))), 'directory_vanished');
  });

  it('a file that is read while it grows without end is refused, not followed', async () => {
    const { path, root } = scene();
    const fs = watched((call) => {
      if (call === 'read.read') appendFileSync(path, 'more');
    });
    refused(await importFile(await open(root, { fs }), 'd/f'), 'file_changed_while_reading');
    expect(basename(path)).toBe('f');
  });
});
