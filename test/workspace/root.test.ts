import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { importFile, readDisk, resolvePath } from '../../src/workspace/index.ts';
import { newFolder, open, refused } from './room.ts';

it('a root in whose place stands another directory, a file, a link or nothing is told as that, for what is there and what is not', async () => {
  const outside = newFolder();
  const root = join(outside, 'ws');
  mkdirSync(root);
  writeFileSync(join(root, 'a'), 'A');
  const ws = await open(root);
  expect((await importFile(ws, 'a')).ok).toBe(true);
  const looks = [
    () => importFile(ws, 'a'),
    () => resolvePath(ws, 'new'),
    () => resolvePath(ws, 'none/new'),
    () => readDisk(ws, 'a'),
    () => readDisk(ws, 'none/new'),
  ];
  const all = async (code: 'root_changed' | 'root_missing'): Promise<void> => {
    for (const look of looks) refused(await look(), code);
  };
  renameSync(root, join(outside, 'moved'));
  await all('root_missing');
  mkdirSync(root);
  writeFileSync(join(root, 'a'), 'other');
  await all('root_changed');
  rmSync(root, { recursive: true });
  writeFileSync(root, 'a file');
  await all('root_changed');
  rmSync(root);
  symlinkSync('moved', root);
  await all('root_changed');
  rmSync(root);
  renameSync(join(outside, 'moved'), root);
  expect((await importFile(ws, 'a')).ok).toBe(true);
});
