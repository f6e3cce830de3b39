import { chmodSync, chownSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LineEnding } from '../../src/text/index.ts';
import { importFile, planPublication, publishFile, resolvePath } from '../../src/workspace/index.ts';
import { asOrdinaryUser, leftovers, newFolder, open, refused, sha, watched } from './room.ts';

describe('planPublication', () => {
  it.each<[string, string, LineEnding | number[], boolean, string]>([
    ['LF', 'a\nb\n', 'lf', false, 'a\nb\n'],
    ['CRLF', 'a\nb\n', 'crlf', false, 'a\r\nb\r\n'],
    ['CR after a byte order mark', 'a\nb\n', 'cr', true, '\uFEFFa\rb\r'],
    ['each line its own', 'a\nb\n\nc', [1, 0, 2], true, '\uFEFFa\r\nb\n\rc'],
    ['no line end at all', 'ab', [], false, 'ab'],
    ['nothing', '', [], true, '\uFEFF'],
  ])('%s', (_, content, endings, bom, bytes) => {
    const plan = planPublication(content, Array.isArray(endings) ? Uint8Array.from(endings) : endings, bom);
    expect(plan).toEqual({ bytes: Buffer.from(bytes), sha256: sha(bytes) });
  });

  it('throws when there are not as many endings as lines that end', () => {
    expect(() => planPublication('a\nb', Uint8Array.of(), false)).toThrow(RangeError);
    expect(() => planPublication('a\nb', Uint8Array.of(0, 1), false)).toThrow(RangeError);
  });

  it('throws on text that is not canonical', () => {
    for (const text of ['a\r\n', '\0', '\ud800']) expect(() => planPublication(text, 'lf', false)).toThrow(RangeError);
  });
});

/** Imports a file, replaces `from` by `to` in its text, publishes it, and returns the bytes on disk. */
async function roundTrip(bytes: string, from: string, to: string): Promise<string> {
  const root = newFolder();
  writeFileSync(join(root, 'f'), bytes);
  const ws = await open(root);
  const file = await importFile(ws, 'f');
  if (!file.ok) throw new Error(file.message);
  expect(file.content).toContain(from);
  const { style } = file.lineEndings;
  if (style === 'mixed') throw new Error('the endings of a mixed file are known to the service alone');
  const text = file.content.replace(from, () => to);
  const plan = planPublication(text, style === 'none' ? 'lf' : style, file.bom);
  expect(await publishFile(ws, file.path, plan.bytes, file.diskSha256)).toMatchObject({ ok: true, writtenSha256: plan.sha256 });
  expect(leftovers(root)).toEqual([]);
  return readFileSync(join(root, 'f'), 'utf8');
}

describe('a file that goes in and out', () => {
  it.each([
    { report: 'B23', bytes: 'a\r\nb\r\nc\r\n', from: 'b', to: 'B', after: 'a\r\nB\r\nc\r\n' },
    { report: 'B27', bytes: 'x\ny\nz', from: 'x', to: 'X', after: 'X\ny\nz' },
    { report: 'B29', bytes: 'one\ntwo', from: 'two', to: 'two\nthree', after: 'one\ntwo\nthree' },
    { report: 'B31', bytes: 'a\r\nb\r\n', from: 'b\n', to: 'x\ny\n', after: 'a\r\nx\r\ny\r\n' },
    { report: 'B34', bytes: '\uFEFFold\r\n', from: 'old\n', to: 'new\n', after: '\uFEFFnew\r\n' },
    { report: 'B35', bytes: 'a', from: 'a', to: 'b', after: 'b' },
    { report: 'B21', bytes: 'only\n', from: 'only\n', to: '', after: '' },
    { report: 'B01', bytes: 'k\r\n', from: 'k', to: '$& $1 $$', after: '$& $1 $$\r\n' },
    { report: 'old Macintosh', bytes: 'a\rb', from: 'b', to: 'c\n', after: 'a\rc\r' },
  ])('$report', async ({ bytes, from, to, after }) => {
    expect(await roundTrip(bytes, from, to)).toBe(after);
  });
});

async function file(
  mode = 0o644,
): Promise<{ root: string; path: string; publish: (bytes: string, expected?: string | null) => ReturnType<typeof publishFile> }> {
  const root = newFolder();
  const path = join(root, 'f');
  writeFileSync(path, 'old\n');
  chmodSync(path, mode);
  const ws = await open(root);
  return { root, path, publish: (bytes, expected = sha('old\n')) => publishFile(ws, 'f', Buffer.from(bytes), expected) };
}

describe('publication', () => {
  it('replaces the file, and again with the digest that it returned', async () => {
    const { path, publish } = await file();
    const first = await publish('new\n');
    expect(first).toEqual({
      ok: true,
      path: 'f',
      writtenSha256: sha('new\n'),
      writtenBytes: 4,
      mode: 0o644,
      ownerKept: true,
      durable: true,
      leftover: null,
      removedLeftovers: [],
    });
    expect(await publish('newer\n', sha('new\n'))).toMatchObject({ ok: true });
    expect(readFileSync(path, 'utf8')).toBe('newer\n');
  });

  it.each([0o755, 0o600, 0o640, 0o664, 0o777, 0o4755, 0o2750, 0o1644])(
    'keeps mode %o, and is never wider on the way (B55, B56)',
    async (mode) => {
      const { root, path } = await file(mode);
      const seen: number[] = [];
      const fs = watched(() => {
        for (const name of leftovers(root)) seen.push(statSync(join(root, name)).mode & 0o7777);
      });
      expect(await publishFile(await open(root, { fs }), 'f', Buffer.from('new'), sha('old\n'))).toMatchObject({ ok: true, mode });
      expect(statSync(path).mode & 0o7777).toBe(mode);
      expect(seen.length).toBeGreaterThan(0);
      for (const on of seen) expect(on & ~(mode | 0o600)).toBe(0);
      expect(leftovers(root)).toEqual([]);
    },
  );

  it('keeps owner and group where the system permits, in a set-group directory too', async () => {
    const { root, path, publish } = await file(0o664);
    chmodSync(root, 0o2777);
    if (process.getuid!() === 0) {
      chownSync(root, 0, 12);
      chownSync(path, 4321, 8765);
    }
    const before = statSync(path);
    expect(await publish('new')).toMatchObject({ ok: true, ownerKept: true });
    const after = statSync(path);
    expect([after.uid, after.gid, after.mode]).toEqual([before.uid, before.gid, before.mode]);
  });

  it('says so when it cannot keep them, and gives no other group what the old one had', async () => {
    const { root, path } = await file(0o666);
    if (process.getuid!() !== 0) {
      // Without root no file of another owner can be made; the own one keeps its owner.
      expect(await (await file()).publish('new')).toMatchObject({ ok: true, ownerKept: true });
      return;
    }
    chownSync(path, 4321, 8765);
    chmodSync(path, 0o4676);
    const ws = await open(root);
    const result = await asOrdinaryUser(() => publishFile(ws, 'f', Buffer.from('new'), sha('old\n')));
    expect(result).toMatchObject({ ok: true, ownerKept: false, mode: 0o606 });
    expect(statSync(path)).toMatchObject({ uid: 65534, gid: 65534 });
  });

  it('makes a new file as the umask has it, and never over one that exists (B64)', async () => {
    const root = newFolder();
    const ws = await open(root);
    const key = await resolvePath(ws, './new');
    expect(key).toMatchObject({ ok: true, path: 'new', present: false });
    const before = process.umask(0o027);
    try {
      expect(await publishFile(ws, 'new', Buffer.from('one'), null)).toMatchObject({ ok: true, mode: 0o640, leftover: null });
    } finally {
      process.umask(before);
    }
    expect(statSync(join(root, 'new'))).toMatchObject({ nlink: 1 });
    const again = refused(await publishFile(ws, 'new', Buffer.from('two'), null), 'drift');
    expect(again.facts).toMatchObject({ expected_disk_sha256: null, observed_disk_sha256: sha('one') });
    expect(readFileSync(join(root, 'new'), 'utf8')).toBe('one');
    expect(leftovers(root)).toEqual([]);
  });

  it('writes an empty file and a large one', async () => {
    const { path, publish } = await file();
    expect(await publish('')).toMatchObject({ ok: true, writtenBytes: 0 });
    const large = Buffer.alloc(20 * 1024 * 1024, 'line\n').toString();
    expect(await publish(large, sha(''))).toMatchObject({ ok: true, writtenBytes: large.length });
    expect(sha(readFileSync(path))).toBe(sha(large));
  });
});

describe('publications that are refused', () => {
  it('drift, with both digests', async () => {
    const { root, path, publish } = await file();
    writeFileSync(path, 'changed outside\n');
    const changed = refused(await publish('new'), 'drift');
    expect(changed.facts).toEqual({
      path: 'f',
      expected_disk_sha256: sha('old\n'),
      observed_disk_sha256: sha('changed outside\n'),
      observed_bytes: 16,
    });
    expect(changed.message).toContain(sha('old\n'));
    expect(changed.message).toContain(sha('changed outside\n'));
    expect(readFileSync(path, 'utf8')).toBe('changed outside\n');
    rmSync(path);
    expect(refused(await publish('new'), 'drift').facts).toMatchObject({ observed_disk_sha256: null, observed_bytes: null });
    writeFileSync(path, Buffer.alloc(40 * 1024 * 1024));
    expect(refused(await publish('new'), 'drift').facts).toMatchObject({ observed_disk_sha256: null, observed_bytes: 40 * 1024 * 1024 });
    expect(leftovers(root)).toEqual([]);
  });

  it('an edit from outside of the same size, with the times put back', async () => {
    const { path, publish } = await file();
    utimesSync(path, 1, 1);
    const { size, mtimeMs } = statSync(path);
    writeFileSync(path, 'OLD\n');
    utimesSync(path, 1, 1);
    expect(statSync(path)).toMatchObject({ size, mtimeMs });
    expect(refused(await publish('new'), 'drift').facts).toMatchObject({ observed_disk_sha256: sha('OLD\n'), observed_bytes: 4 });
    expect(readFileSync(path, 'utf8')).toBe('OLD\n');
  });

  it('hard links (B58)', async () => {
    const { root, path, publish } = await file();
    linkSync(path, join(root, 'second'));
    expect(refused(await publish('new'), 'hard_links').facts).toEqual({ path: 'f', links: 2 });
    expect(readFileSync(path, 'utf8')).toBe('old\n');
  });

  it('a read-only file, for root as well', async () => {
    const { path, publish } = await file(0o444);
    expect(refused(await publish('new'), 'file_read_only').facts).toEqual({ path: 'f', mode: '0444' });
    expect(statSync(path).mode & 0o7777).toBe(0o444);
  });

  it('a file that this user may read and not write, in a directory that would let it be replaced', async () => {
    const { root, path } = await file(0o644);
    const ws = await open(root);
    if (process.getuid!() !== 0) chmodSync(path, 0o444);
    refused(await asOrdinaryUser(() => publishFile(ws, 'f', Buffer.from('new'), sha('old\n'))), 'file_read_only');
    expect(readFileSync(path, 'utf8')).toBe('old\n');
  });

  it('a directory that may not be written to', async () => {
    const { root, path } = await file(0o666);
    const ws = await open(root);
    chmodSync(root, 0o555);
    refused(await asOrdinaryUser(() => publishFile(ws, 'f', Buffer.from('new'), sha('old\n'))), 'directory_not_writable');
    chmodSync(root, 0o777);
    expect(readFileSync(path, 'utf8')).toBe('old\n');
    expect(leftovers(root)).toEqual([]);
  });

  it('a file replaced by a directory, a link, a FIFO', async () => {
    const { root, path, publish } = await file();
    rmSync(path);
    mkdirSync(path);
    refused(await publish('new'), 'is_directory');
    rmSync(path, { recursive: true });
    writeFileSync(join(root, 'other'), 'old\n');
    symlinkSync('other', path);
    refused(await publish('new'), 'is_symlink');
    expect(readFileSync(join(root, 'other'), 'utf8')).toBe('old\n');
    rmSync(path);
    symlinkSync('nothing', path);
    refused(await publish('new', null), 'is_symlink');
  });

  it('a directory on the way that vanished or became a link', async () => {
    const root = newFolder();
    mkdirSync(join(root, 'd'));
    writeFileSync(join(root, 'd', 'f'), 'old');
    const ws = await open(root);
    mkdirSync(join(root, 'e'));
    writeFileSync(join(root, 'e', 'f'), 'old');
    rmSync(join(root, 'd'), { recursive: true });
    refused(await publishFile(ws, 'd/f', Buffer.from('new'), sha('old')), 'directory_vanished');
    symlinkSync('e', join(root, 'd'));
    refused(await publishFile(ws, 'd/f', Buffer.from('new'), sha('old')), 'path_changed');
    expect(readFileSync(join(root, 'e', 'f'), 'utf8')).toBe('old');
  });
});
