import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { warmCommandLine, type Cli } from '../helpers/cli.ts';
import { useDatabase } from '../helpers/database.ts';

const database = useDatabase();
let cwd: string;
let cli: Cli;

beforeAll(async () => {
  cwd = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'patchdiff-cli-')));
  cli = await warmCommandLine(() => ({ DATABASE_URL: database.url('writer') }), cwd);
});

afterAll(() => rmSync(cwd, { recursive: true, force: true }));

test('binds a document to where its file is now, and says by exit code why not', async () => {
  writeFileSync(path.join(cwd, 'a.txt'), 'a\n');
  const imported = await cli(['import', 'a.txt']);
  const id = /[0-9a-f-]{36}/.exec(imported.stdout)?.[0] ?? '';
  renameSync(path.join(cwd, 'a.txt'), path.join(cwd, 'b.txt'));
  expect(await cli(['rebind', id, 'b.txt', '--expected-version', '3'])).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('the target is at version 0, not 3') as string,
  });
  const moved = await cli(['rebind', id, 'b.txt', '--expected-version', '0']);
  expect(moved).toMatchObject({ code: 0, stdout: expect.stringContaining(`rebound: ${cwd}/a.txt → ${cwd}/b.txt`) as string });
  expect(await cli(['rebind', id, 'b.txt'])).toMatchObject({ code: 0, stdout: expect.stringContaining('unchanged') as string });

  // Another root, given relative to the working directory; and from there none at all.
  mkdirSync(path.join(cwd, 'other'));
  renameSync(path.join(cwd, 'b.txt'), path.join(cwd, 'other', 'c.txt'));
  const across = await cli(['rebind', id, 'c.txt', '--workspace', 'other', '--json']);
  expect(across.code).toBe(0);
  expect(JSON.parse(across.stdout)).toMatchObject({
    status: 'rebound',
    from_root: cwd,
    workspace_root: `${cwd}/other`,
    workspace_path: 'c.txt',
  });
  rmSync(path.join(cwd, 'other'), { recursive: true });
  expect(await cli(['rebind', id, 'c.txt'])).toMatchObject({ code: 3, stderr: expect.stringContaining('--workspace') as string });
  expect((await cli(['rebind', id, 'c.txt', '--workspace', 'other'])).code).toBe(3);

  writeFileSync(path.join(cwd, 'theirs.txt'), 'theirs\n');
  const drift = await cli(['rebind', id, 'theirs.txt', '--workspace', '.']);
  expect(drift.code).toBe(6);
  expect(drift.stderr).toMatch(/[0-9a-f]{64} expected, [0-9a-f]{64} found/);
  const fresh = await cli(['rebind', id, 'd.txt', '--workspace', '.']);
  expect(fresh).toMatchObject({ code: 0, stdout: expect.stringContaining('patchdiff save --sync creates it') as string });
  expect((await cli(['rebind', '00000000-0000-4000-8000-000000000000', 'd.txt'])).code).toBe(7);
  expect((await cli(['rebind', id, 'd.txt', '--expected-hash', 'x'])).code).toBe(2);
  expect((await cli(['rebind', id])).code).toBe(2);
});
