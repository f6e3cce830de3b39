import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { built } from '../helpers/build.ts';
import { createDatabase } from '../helpers/database.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { edit } from './support/service.ts';
import { useWorkspace } from './support/workspace.ts';

const ws = useWorkspace();
let other: TestDatabase;
beforeAll(async () => {
  other = await createDatabase();
});
afterAll(() => other.drop());

/**
 * A process of another installation: its own database, the same directory under another path. It imports the file, edits it and
 * saves; with `hold` its SAVE stops for good once it has the lease and the new bytes are written beside the file.
 */
const CHILD = `
const [dist, url, root, hold] = process.argv.slice(1);
const { openDatabase } = await import(dist + '/db/pool.js');
const { createService, createServiceState } = await import(dist + '/service/index.js');
const { nodeFileSystem, openWorkspace } = await import(dist + '/workspace/index.js');
const rename = async (...paths) => {
  if (hold !== '') {
    process.stdout.write('held\\n');
    await new Promise(() => setInterval(() => {}, 1000));
  }
  return nodeFileSystem.rename(...paths);
};
const state = { ...createServiceState(), workspace: (at) => openWorkspace(at, { fs: { ...nodeFileSystem, rename }, leaseWaitMs: 50 }) };
const database = openDatabase({ connectionString: url });
const service = createService({ database, workspaceRoot: root, actor: null, state });
const made = await service.initializeTarget({ from_workspace: true, path: 'f' });
const id = made.target_file_id ?? made.facts.bound_target_file_id;
if (made.status === 'created') await service.submit('patchdiff-tx/1', { target_file_id: id, intent: 'x', expected_target_version: made.version, edits: [{ match: 'old', replace: 'theirs' }] });
const saved = await service.save({ target_file_id: id, sync_workspace: true });
process.stdout.write(JSON.stringify([made.failure_code, saved.failure_code]) + '\\n');
await database.close();
`;

async function elsewhere(root: string, hold: boolean): Promise<{ process: ChildProcess; said: string }> {
  const args = ['--input-type=module', '-e', CHILD, await built(), other.url(), root, hold ? 'hold' : ''];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return { process: child, said: said.toString() };
}

test('two installations, two databases, two paths, one file: one lease, it dies with its holder, and neither overwrites the other', async () => {
  const real = join(ws.root, 'd');
  mkdirSync(real);
  writeFileSync(join(real, 'f'), 'old\n');
  const link = join(ws.root, 'link');
  symlinkSync(real, link);
  const made = await ws.service.initializeTarget({ from_workspace: true, path: 'd/f' });
  const id = made['target_file_id'] as string;
  await ws.service.submit('patchdiff-tx/1', edit(id, 0, 'old', 'ours'));

  const holder = await elsewhere(link, true);
  expect(holder.said).toBe('held\n');
  expect(await ws.sync(id)).toMatchObject({ status: 'rejected', failure_code: 'lease_busy' });
  expect(readFileSync(join(real, 'f'), 'utf8')).toBe('old\n');
  const gone = once(holder.process, 'exit');
  holder.process.kill('SIGKILL');
  await gone;

  // Its lease is gone, and so is what it left beside the file.
  expect(await ws.sync(id)).toMatchObject({ status: 'published', version: 1 });
  expect(readFileSync(join(real, 'f'), 'utf8')).toBe('ours\n');

  // The other installation knows the file as it was: it sees drift and writes nothing.
  const late = await elsewhere(link, false);
  expect(JSON.parse(late.said)).toEqual(['drift', 'drift']);
  expect(readFileSync(join(real, 'f'), 'utf8')).toBe('ours\n');
});
