import { linkSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileSystem, RefusalCode } from '../../src/workspace/index.ts';
import { importFile, nodeFileSystem, openWorkspace, publishFile, readDisk, resolvePath } from '../../src/workspace/index.ts';
import { asOrdinaryUser, newFolder, open, refused, sha, watched } from './room.ts';

/** root: a, dir/b, link-a -> a, link-dir -> dir, out -> ../secret (outside), dangling, loop; beside it a sibling whose name begins with the root's. */
function tree(): { root: string; outside: string } {
  const outside = newFolder();
  const root = join(outside, 'ws');
  mkdirSync(join(root, 'dir'), { recursive: true });
  mkdirSync(join(outside, 'wsEvil'));
  writeFileSync(join(outside, 'wsEvil', 'x'), 'evil');
  writeFileSync(join(outside, 'secret'), 'secret');
  writeFileSync(join(root, 'a'), 'A');
  writeFileSync(join(root, 'dir', 'b'), 'B');
  symlinkSync('a', join(root, 'link-a'));
  symlinkSync('dir', join(root, 'link-dir'));
  symlinkSync('../secret', join(root, 'out'));
  symlinkSync(join(outside, 'wsEvil'), join(root, 'out-dir'));
  symlinkSync('nothing', join(root, 'dangling'));
  symlinkSync('loop', join(root, 'loop'));
  symlinkSync(`${outside}/ws/dir/../a`, join(root, 'absolute-inside'));
  return { root, outside };
}

describe('openWorkspace', () => {
  it('refuses what is not a directory that can be opened', async () => {
    const { root } = tree();
    expect(await openWorkspace(join(root, 'none'))).toMatchObject({ ok: false, code: 'root_missing' });
    expect(await openWorkspace(join(root, 'a'))).toMatchObject({ ok: false, code: 'root_not_directory' });
    expect(await openWorkspace(join(root, 'a', 'b'))).toMatchObject({ ok: false, code: 'root_not_directory' });
    const closed = newFolder(0o700);
    expect(await asOrdinaryUser(() => openWorkspace(closed))).toMatchObject(
      process.getuid!() === 0 ? { ok: false, code: 'root_unreadable' } : { ok: true },
    );
  });
});

describe('paths that are refused', () => {
  const long = 'x'.repeat(5000);
  it.each<[string, RefusalCode]>([
    ['', 'path_empty'],
    ['/etc/hostname', 'path_absolute'],
    ['..', 'path_parent'],
    ['../secret', 'path_parent'],
    ['dir/../../secret', 'path_parent'],
    ['dir/../a', 'path_parent'],
    ['.', 'is_directory'],
    ['./', 'is_directory'],
    ['dir', 'is_directory'],
    ['link-dir', 'is_directory'],
    ['a/', 'path_trailing_slash'],
    ['dir/.', 'path_trailing_slash'],
    ['a\0b', 'path_nul'],
    ['\ud800', 'path_not_utf8'],
    [long, 'path_too_long'],
    ['é'.repeat(2049), 'path_too_long'],
    ['x'.repeat(256), 'path_too_long'],
    ['none', 'path_not_found'],
    ['none/x', 'path_not_found'],
    ['a/b', 'path_not_found'],
    ['a\\..\\x', 'path_not_found'],
    ['dir\\b', 'path_not_found'],
    ['%2e%2e/secret', 'path_not_found'],
    ['out', 'path_leaves_root'],
    ['out-dir/x', 'path_leaves_root'],
    ['out-dir/none', 'path_leaves_root'],
    ['dangling', 'symlink_dangling'],
    ['loop', 'symlink_loop'],
  ])('%j: %s', async (path, code) => {
    const { root } = tree();
    const refusal = refused(await importFile(await open(root), path), code);
    expect(refusal.message.length).toBeLessThan(400);
  });

  it('never opens what lies outside', async () => {
    const { root } = tree();
    const reads: string[] = [];
    const ws = await open(root, {
      fs: watched((call, path) => {
        if (call === 'read') reads.push(path);
      }),
    });
    refused(await importFile(ws, 'out'), 'path_leaves_root');
    refused(await importFile(ws, 'out-dir/x'), 'path_leaves_root');
    refused(await publishFile(ws, 'out-dir/x', Buffer.from('new'), sha('evil')), 'path_leaves_root');
    refused(await publishFile(ws, 'out', Buffer.from('new'), sha('secret')), 'is_symlink');
    expect(reads).toEqual([]);
  });
});

describe('ways round', () => {
  it.each(['/proc/self/root', '/proc/self/cwd', '/proc/1/root', '/proc/self/fd', '/dev/fd'])(
    'a link to %s leads out, and nothing behind it is opened',
    async (to) => {
      const { root } = tree();
      symlinkSync(to, join(root, 'way'));
      const opened: string[] = [];
      const ws = await open(root, {
        fs: watched((call, path) => {
          if (['read', 'directory', 'create', 'probe'].includes(call)) opened.push(path);
        }),
      });
      for (const path of ['way', 'way/etc/hostname', 'way/0']) {
        const result = await importFile(ws, path);
        expect(result.ok).toBe(false);
        expect(['path_leaves_root', 'path_not_found', 'permission_denied', 'not_regular_file']).toContain(
          (result as { code: string }).code,
        );
      }
      const written = await publishFile(ws, 'way/x', Buffer.from('new'), null);
      expect(written.ok).toBe(false);
      expect(opened.filter((path) => path !== root && !path.startsWith('/proc/self/fd/'))).toEqual([]);
    },
  );

  it('a name that is not UTF-8 is refused, wherever the way to it leads', async () => {
    const { root } = tree();
    const name = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x66, 0xe9, 0x2e])]);
    writeFileSync(name, 'x');
    symlinkSync(Buffer.from([0x66, 0xe9, 0x2e]), join(root, 'to-it'));
    const ws = await open(root);
    refused(await importFile(ws, 'to-it'), 'path_not_utf8');
    refused(await importFile(ws, 'f\u{FFFD}.'), 'path_not_found');
  });

  it('a root that is removed, or becomes a file or a link, serves nothing more', async () => {
    for (const put of [() => undefined, (root: string) => writeFileSync(root, 'x'), (root: string) => symlinkSync('/', root)]) {
      const { root } = tree();
      const ws = await open(root);
      rmSync(root, { recursive: true });
      put(root);
      for (const result of [
        await importFile(ws, 'a'),
        await publishFile(ws, 'a', Buffer.from('new'), sha('A')),
        await readDisk(ws, 'etc/hostname'),
      ]) {
        expect(result.ok).toBe(false);
      }
    }
  });
});

describe('one key for one file', () => {
  it.each([
    ['a', 'a'],
    ['./a', 'a'],
    ['.//./a', 'a'],
    ['link-a', 'a'],
    ['absolute-inside', 'a'],
    ['dir/b', 'dir/b'],
    ['dir//b', 'dir/b'],
    ['./dir/./b', 'dir/b'],
    ['link-dir/b', 'dir/b'],
  ])('%j is %j', async (path, key) => {
    const { root } = tree();
    expect(await importFile(await open(root), path)).toMatchObject({ ok: true, path: key });
  });

  it('takes backslashes, percent signs and blanks as characters', async () => {
    const { root } = tree();
    for (const name of ['a\\..\\x', '%2e%2e', ' ', 'new\nline', '日本 😀', '-rf', '...']) {
      writeFileSync(join(root, name), name);
      expect(await importFile(await open(root), name)).toMatchObject({ ok: true, path: name, content: name });
    }
  });

  it('gives a file that is still to come its key', async () => {
    const { root } = tree();
    const ws = await open(root);
    expect(await resolvePath(ws, 'link-dir//new')).toMatchObject({ ok: true, path: 'dir/new', present: false });
    expect(await resolvePath(ws, './new')).toMatchObject({ ok: true, path: 'new', present: false });
    refused(await resolvePath(ws, 'none/new'), 'path_not_found');
    refused(await resolvePath(ws, 'out-dir/new'), 'path_leaves_root');
  });

  it('works when the root is /', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'f'), 'x');
    expect(await importFile(await open('/'), folder.slice(1) + '/f')).toMatchObject({ ok: true, path: `${folder.slice(1)}/f` });
  });
});

describe('where the file system ignores case', () => {
  /** The real system calls, with every name below `root` led to the entry that differs in case alone, and every path given back as it was asked for. */
  function ignoringCase(root: string): FileSystem {
    const led = (path: string): string => {
      if (path !== root && !path.startsWith(`${root}/`)) {
        const through = /^\/proc\/self\/fd\/\d+/.exec(path)?.[0];
        return through === undefined ? path : below(through, path.slice(through.length + 1));
      }
      return below(root, path.slice(root.length + 1));
    };
    const below = (folder: string, rest: string): string =>
      rest === ''
        ? folder
        : rest.split('/').reduce((at, name) => {
            const found = readdirSync(at).find((entry) => entry.toLowerCase() === name.toLowerCase());
            return `${at}/${found ?? name}`;
          }, folder);
    return {
      realPath: async (path) => {
        await nodeFileSystem.realPath(led(path));
        return Buffer.from(path);
      },
      status: (path) => nodeFileSystem.status(led(path)),
      open: (path, intent, mode) => nodeFileSystem.open(led(path), intent, mode),
      names: (path) => nodeFileSystem.names(led(path)),
      rename: (from, to) => nodeFileSystem.rename(led(from), led(to)),
      link: (from, to) => nodeFileSystem.link(led(from), led(to)),
      unlink: (path) => nodeFileSystem.unlink(led(path)),
    };
  }

  it('one file has one key however its name is written, and is published to under the name it has', async () => {
    const root = realpathSync(newFolder());
    mkdirSync(join(root, 'Docs'));
    writeFileSync(join(root, 'Docs', 'ReadMe.md'), 'x');
    const ws = await open(root, { fs: ignoringCase(root) });
    for (const path of ['Docs/ReadMe.md', 'docs/readme.md', 'DOCS/README.MD', 'docs/ReadMe.md']) {
      expect(await importFile(ws, path)).toMatchObject({ ok: true, path: 'Docs/ReadMe.md', content: 'x' });
    }
    expect(await resolvePath(ws, 'DOCS/new.md')).toMatchObject({ ok: true, path: 'Docs/new.md', present: false });
    expect(await publishFile(ws, 'Docs/ReadMe.md', Buffer.from('y'), sha('x'))).toMatchObject({ ok: true });
    expect(readdirSync(join(root, 'Docs'))).toEqual(['ReadMe.md']);
  });

  it('where case counts, names that differ in case alone are two files, hard links of one file too', async () => {
    const root = newFolder();
    writeFileSync(join(root, 'a'), 'lower');
    writeFileSync(join(root, 'A'), 'upper');
    linkSync(join(root, 'a'), join(root, 'b'));
    linkSync(join(root, 'a'), join(root, 'B'));
    const ws = await open(root);
    for (const name of ['a', 'A', 'b', 'B']) expect(await importFile(ws, name)).toMatchObject({ ok: true, path: name });
  });
});

describe('races on the way', () => {
  it('a directory replaced by a link to the outside after it was resolved', async () => {
    const { root, outside } = tree();
    mkdirSync(join(outside, 'trap'));
    writeFileSync(join(outside, 'trap', 'b'), 'outside');
    let swapped = false;
    const fs = watched((call, path) => {
      if (call !== 'directory' || !path.endsWith('/dir') || swapped) return;
      swapped = true;
      renameSync(join(root, 'dir'), join(root, 'was'));
      symlinkSync('../trap', join(root, 'dir'));
    });
    refused(await importFile(await open(root, { fs }), 'dir/b'), 'path_changed');
    expect(swapped).toBe(true);
  });

  it('a directory swapped for a link once it is open: the open one is read', async () => {
    const { root, outside } = tree();
    writeFileSync(join(outside, 'b'), 'outside');
    const fs = watched((call, path) => {
      if (call !== 'read' || !path.endsWith('/b')) return;
      renameSync(join(root, 'dir'), join(root, 'was'));
      symlinkSync(outside, join(root, 'dir'));
    });
    expect(await importFile(await open(root, { fs }), 'dir/b')).toMatchObject({ ok: true, content: 'B' });
  });

  it('a file replaced by a link to the outside between look and open', async () => {
    const { root } = tree();
    const fs = watched((call) => {
      if (call !== 'read') return;
      rmSync(join(root, 'a'));
      symlinkSync('../secret', join(root, 'a'));
    });
    refused(await importFile(await open(root, { fs }), 'a'), 'is_symlink');
  });
});

describe('readDisk', () => {
  it('tells the digest, absence, and what is no file', async () => {
    const { root } = tree();
    const ws = await open(root);
    linkSync(join(root, 'a'), join(root, 'second'));
    expect(await readDisk(ws, 'a')).toMatchObject({ ok: true, sha256: sha('A'), status: { kind: 'file', links: 2 } });
    expect(await readDisk(ws, 'none')).toEqual({ ok: true, status: null, sha256: null });
    refused(await readDisk(ws, 'dir'), 'is_directory');
    refused(await readDisk(ws, 'link-a'), 'is_symlink');
    refused(await readDisk(ws, 'link-dir/b'), 'path_changed');
    refused(await readDisk(ws, 'none/x'), 'directory_vanished');
  });
});
