import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ImportedFile } from '../../src/workspace/index.ts';
import { IMPORT_BYTES, importFile } from '../../src/workspace/index.ts';
import { asOrdinaryUser, newFolder, open, refused, sha, watched } from './room.ts';

async function imported(bytes: string | Uint8Array): Promise<ImportedFile> {
  const root = newFolder();
  writeFileSync(join(root, 'f'), bytes);
  const file = await importFile(await open(root), 'f');
  if (!file.ok) throw new Error(file.message);
  return file;
}

describe('the facts of a source', () => {
  it.each([
    { bytes: 'a\nb\n', content: 'a\nb\n', style: 'lf', lf: 2, crlf: 0, cr: 0, normalized: false },
    { bytes: 'a\r\nb\r\nc\r\n', content: 'a\nb\nc\n', style: 'crlf', lf: 0, crlf: 3, cr: 0, normalized: true },
    { bytes: 'a\rb\r', content: 'a\nb\n', style: 'cr', lf: 0, crlf: 0, cr: 2, normalized: true },
    { bytes: 'alpha\nbeta\r\ngamma\n', content: 'alpha\nbeta\ngamma\n', style: 'mixed', lf: 2, crlf: 1, cr: 0, normalized: true },
    { bytes: '\r\r\n\n\r', content: '\n\n\n\n', style: 'mixed', lf: 1, crlf: 1, cr: 2, normalized: true },
    { bytes: 'no end', content: 'no end', style: 'none', lf: 0, crlf: 0, cr: 0, normalized: false },
    { bytes: '', content: '', style: 'none', lf: 0, crlf: 0, cr: 0, normalized: false },
  ])('of $bytes', async ({ bytes, content, ...counts }) => {
    const file = await imported(bytes);
    expect(file).toMatchObject({ content, bom: false, diskSha256: sha(bytes), path: 'f' });
    expect(file.lineEndings).toEqual({
      ...counts,
      source_code_points: Array.from(bytes).length,
      source_utf8_bytes: Buffer.byteLength(bytes),
      source_sha256: sha(bytes),
    });
  });

  it('counts code points, not units or bytes', async () => {
    const file = await imported('é😀\n');
    expect(file.lineEndings).toMatchObject({ source_code_points: 3, source_utf8_bytes: 7 });
  });

  it('keeps a byte order mark out of the text and in the facts; a second one is text', async () => {
    const file = await imported('\uFEFF\uFEFFa\n');
    expect(file).toMatchObject({ content: '\uFEFFa\n', bom: true, diskSha256: sha('\uFEFF\uFEFFa\n') });
    expect(file.lineEndings).toMatchObject({ source_code_points: 4, source_utf8_bytes: 8, style: 'lf' });
  });

  it('keeps what is valid, a literal U+FFFD and noncharacters too', async () => {
    const text = '\uFFFD\uFFFE\u{10FFFF}\u0001e\u0301\u00A0x  \n';
    expect((await imported(text)).content).toBe(text);
  });

  it('names the root by canonical path, device and inode', async () => {
    const root = newFolder();
    writeFileSync(join(root, 'f'), 'x');
    const link = join(newFolder(), 'link');
    symlinkSync(root, link);
    const [one, two] = [await importFile(await open(root), 'f'), await importFile(await open(link), 'f')];
    expect(one).toEqual(two);
    expect(one).toMatchObject({
      root: { root, device: expect.stringMatching(/^\d+$/) as string, inode: expect.stringMatching(/^\d+$/) as string },
    });
  });
});

describe('sources that are refused', () => {
  it.each([
    { name: 'a Latin-1 byte', bytes: [0x78, 0x3d, 0x31, 0x0a, 0x63, 0x61, 0x66, 0xe9, 0x0a], at: 7 },
    { name: 'GBK', bytes: [0x61, 0xd6, 0xd0], at: 1 },
    { name: 'a truncated sequence', bytes: [0x61, 0xe2, 0x82], at: 1 },
    { name: 'a truncated sequence before text', bytes: [0xe2, 0x82, 0x61], at: 0 },
    { name: 'UTF-16 with its mark', bytes: [0xff, 0xfe, 0x61, 0x00], at: 0 },
    { name: 'a surrogate', bytes: [0x61, 0x61, 0xed, 0xa0, 0x80], at: 2 },
    { name: 'an overlong slash', bytes: [0xc0, 0xaf], at: 0 },
    { name: 'an overlong three', bytes: [0x61, 0xe0, 0x9f, 0xbf], at: 1 },
    { name: 'beyond Unicode', bytes: [0xf0, 0x9f, 0x98, 0x80, 0xf4, 0x90, 0x80, 0x80], at: 4 },
    { name: 'a lone continuation', bytes: [0xc3, 0xa9, 0x80], at: 2 },
  ])('invalid UTF-8: $name', async ({ bytes, at }) => {
    const root = newFolder();
    writeFileSync(join(root, 'f'), Buffer.from(bytes));
    const refusal = refused(await importFile(await open(root), 'f'), 'invalid_utf8');
    expect(refusal.facts).toEqual({ path: 'f', byte_offset: at, byte: `0x${bytes[at]!.toString(16)}` });
    expect(refusal.message.includes('UTF-16')).toBe(bytes[0] === 0xff);
  });

  it('a NUL, named by its byte', async () => {
    const root = newFolder();
    writeFileSync(join(root, 'f'), 'é\0b');
    expect(refused(await importFile(await open(root), 'f'), 'contains_nul').facts).toEqual({ path: 'f', byte_offset: 2 });
  });

  it('a file over the limit, and not one at it', async () => {
    const root = newFolder();
    writeFileSync(join(root, 'f'), Buffer.alloc(IMPORT_BYTES, 'x'));
    const ws = await open(root);
    expect(await importFile(ws, 'f')).toMatchObject({ ok: true, lineEndings: { source_utf8_bytes: IMPORT_BYTES } });
    appendFileSync(join(root, 'f'), 'y');
    expect(refused(await importFile(ws, 'f'), 'file_too_large').facts).toMatchObject({
      bytes: IMPORT_BYTES + 1,
      limit_bytes: IMPORT_BYTES,
    });
    // A sparse file of a terabyte is refused by its size, not read.
    truncateSync(join(root, 'f'), 2 ** 40);
    refused(await importFile(ws, 'f'), 'file_too_large');
  });

  it('a directory, a FIFO, a socket and a device, none of them opened', async () => {
    const root = newFolder();
    mkdirSync(join(root, 'directory'));
    execFileSync('mkfifo', [join(root, 'fifo')]);
    const server = createServer();
    await new Promise<void>((listening) => server.listen(join(root, 'socket'), listening));
    const opened: string[] = [];
    const ws = await open(root, {
      fs: watched((call) => {
        if (call === 'read') opened.push(call);
      }),
    });
    try {
      expect(refused(await importFile(ws, 'directory'), 'is_directory').facts).toMatchObject({ kind: 'directory' });
      expect(refused(await importFile(ws, 'fifo'), 'not_regular_file').facts).toMatchObject({ kind: 'fifo' });
      expect(refused(await importFile(ws, 'socket'), 'not_regular_file').facts).toMatchObject({ kind: 'socket' });
      const dev = await open('/dev', { fs: ws.fs });
      expect(refused(await importFile(dev, 'null'), 'not_regular_file').facts).toMatchObject({ kind: 'device' });
    } finally {
      server.close();
    }
    expect(opened).toEqual([]);
  });

  it('a FIFO that takes the place of a file between look and open, without hanging', async () => {
    const root = newFolder();
    writeFileSync(join(root, 'f'), 'x');
    execFileSync('mkfifo', [join(root, 'fifo')]);
    const fs = watched((call) => {
      if (call === 'read') renameSync(join(root, 'fifo'), join(root, 'f'));
    });
    refused(await importFile(await open(root, { fs }), 'f'), 'path_changed');
  });

  it('a file that keeps changing while it is read', async () => {
    const root = newFolder();
    writeFileSync(join(root, 'f'), 'x');
    let once = 0;
    const growing = watched((call) => {
      if (call === 'read.read') appendFileSync(join(root, 'f'), 'y');
    });
    refused(await importFile(await open(root, { fs: growing }), 'f'), 'file_changed_while_reading');
    const settling = watched((call) => {
      if (call === 'read.read' && once++ === 0) writeFileSync(join(root, 'f'), 'settled');
    });
    expect(await importFile(await open(root, { fs: settling }), 'f')).toMatchObject({ content: 'settled' });
  });

  it('a file that this user may not read', async () => {
    const root = newFolder();
    writeFileSync(join(root, 'f'), 'x', { mode: 0 });
    const ws = await open(root);
    refused(await asOrdinaryUser(() => importFile(ws, 'f')), 'permission_denied');
  });
});
