import { mkdirSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { FileSystem } from '../../src/workspace/index.ts';
import { importFile, nodeFileSystem, publishFile } from '../../src/workspace/index.ts';
import { leftovers, newFolder, open, sha } from './room.ts';

const ROUNDS = 150;

/** The real calls; every file or directory that is opened is told by what it is, not by how it was named. */
function recording(opened: (identity: string, intent: string) => void): FileSystem {
  return {
    ...nodeFileSystem,
    open: async (path, intent, mode) => {
      const file = await nodeFileSystem.open(path, intent, mode);
      const { device, inode } = await file.status();
      opened(`${device}:${inode}`, intent);
      return file;
    },
  };
}

async function identity(path: string): Promise<string> {
  const { device, inode } = await nodeFileSystem.status(path);
  return `${device}:${inode}`;
}

it('while another process swaps directories and files for links to the outside, nothing outside is ever opened (B62)', async () => {
  const [root, outside] = [newFolder(), newFolder()];
  for (const folder of [root, outside]) mkdirSync(join(folder, 'd'));
  writeFileSync(join(root, 'd', 'f'), 'inside');
  writeFileSync(join(outside, 'd', 'f'), 'secret');
  const forbidden = new Set(await Promise.all([outside, join(outside, 'd'), join(outside, 'd', 'f')].map(identity)));
  const escaped: string[] = [];
  const fs = recording((what, intent) => {
    if (forbidden.has(what)) escaped.push(intent);
  });
  const ws = await open(root, { fs });

  // The other process: what stands there is a link to the outside for a moment, again and again. A file it takes only while none is written:
  // POSIX has no rename that compares, and what it puts back then would be older than what was published.
  let taking = ['d', 'd/f'];
  let swapping = true;
  const swaps = (async () => {
    for (let n = 0; swapping; n += 1) {
      const entry = taking[n % taking.length]!;
      const path = join(root, entry);
      renameSync(path, `${path}.aside`);
      symlinkSync(join(outside, entry), path);
      await turn();
      unlinkSync(path);
      renameSync(`${path}.aside`, path);
      for (let calm = n % 40; calm > 0; calm -= 1) await turn();
    }
  })();

  const seen = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const read = await importFile(ws, 'd/f');
    seen.add(read.ok ? 'read' : read.code);
    if (read.ok) expect(read.content).toBe('inside');
  }
  taking = ['d'];
  let content = 'inside';
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = `inside ${String(round)}`;
    const written = await publishFile(ws, 'd/f', Buffer.from(next), sha(content));
    seen.add(written.ok ? 'published' : written.code);
    if (written.ok) content = next;
  }
  swapping = false;
  await swaps;

  expect(escaped).toEqual([]);
  expect(readFileSync(join(outside, 'd', 'f'), 'utf8')).toBe('secret');
  expect(readFileSync(join(root, 'd', 'f'), 'utf8')).toBe(content);
  expect([leftovers(join(root, 'd')), leftovers(join(outside, 'd'))]).toEqual([[], []]);
  // Both the calm and the races were met.
  expect([...seen]).toEqual(expect.arrayContaining(['read', 'published', 'path_leaves_root']));
});
