import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { warmCommandLine, type Cli } from '../helpers/cli.ts';
import { useDatabase } from '../helpers/database.ts';

const database = useDatabase();
let root: string;
let cli: Cli;

type Result = Record<string, unknown>;

async function imported(...args: string[]): Promise<{ code: number | null; results: Result[] }> {
  const { code, stdout } = await cli(['import', '--json', ...args]);
  return { code, results: JSON.parse(stdout) as Result[] };
}

function plant(name: string, content: string): void {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  writeFileSync(path.join(root, name), content);
}

beforeAll(async () => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'patchdiff-arguments-')));
  cli = await warmCommandLine(() => ({ DATABASE_URL: database.url('writer') }), root);
  plant('a.txt', 'a\n');
  plant('x.txt', 'outer\n');
  plant('sub/x.txt', 'inner\n');
  mkdirSync(path.join(root, 'sub/deep'));
  symlinkSync('sub/deep', path.join(root, 'link'));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

test('".." after a symbolic link leads where the kernel says, for a file, a directory and a pattern', async () => {
  for (const argument of ['link/../x.txt', 'link/..', 'link/../x*']) {
    const { results } = await imported(argument, '--dry-run');
    expect(results.map(({ path: shown, workspace_path: key }) => [shown, key])).toEqual([['link/../x.txt', 'sub/x.txt']]);
  }
});

test('an empty argument imports nothing, and a slash after a file names no file', async () => {
  expect(await imported('', 'a.txt/', 'nosuch/')).toMatchObject({
    code: 6,
    results: [
      { status: 'rejected', failure_code: 'path_empty', path: '' },
      { status: 'rejected', failure_code: 'path_trailing_slash', path: 'a.txt/' },
      { status: 'rejected', failure_code: 'path_trailing_slash', path: 'nosuch/' },
    ],
  });
});

test("git's own directory is not walked when it is named either; one file in it may be", async () => {
  plant('repository/.git/config', 'token\n');
  plant('repository/.git/hooks/post', 'hook\n');
  for (const argument of ['repository/.git', 'repository/.git/hooks', 'repository/.git/**']) {
    expect(await imported(argument, '--hidden')).toMatchObject({ code: 6, results: [{ failure_code: 'git_directory', path: argument }] });
  }
  expect((await imported('repository/.git/config', '--dry-run')).results).toMatchObject([{ status: 'would_create' }]);
});

test('a name can neither move the cursor nor turn the direction of what is read', async () => {
  const name = 'names/a\u001b[2Jb\u202etxt.exe\u2028c';
  plant(name, 'n\n');
  expect((await cli(['import', 'names'])).stdout).toMatch(/ {2}names\/a\\x1b\[2Jb\\u202etxt\.exe\\u2028c\n$/);
});

test('a file outside the workspace that was named is told as that', async () => {
  expect(await imported('a.txt', path.join(root, 'a.txt'), '--workspace', 'sub')).toMatchObject({
    code: 6,
    results: [{ failure_code: 'path_leaves_root' }, { failure_code: 'path_leaves_root' }],
  });
});

test('a workspace that is a file is no workspace, for whichever command', async () => {
  for (const command of [['import', '.'], ['reconcile'], ['mcp-config', 'cursor']]) {
    const { code, stderr } = await cli([...command, '--workspace', 'a.txt']);
    expect({ command, code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('is not a directory') as string });
  }
});

test('what stops an import half-way is the last item of its one JSON document, and the exit code', async () => {
  plant('half/a.txt', 'a\n');
  plant('half/b/.gitignore', 'x'.repeat(1024 * 1024 + 1));
  const { code, results } = await imported('half');
  expect({ code, results }).toMatchObject({
    code: 3,
    results: [
      { status: 'created', path: 'half/a.txt' },
      { status: 'error', exit: 3, message: expect.stringContaining('--no-ignore') as string },
    ],
  });
  const told = await cli(['import', 'half']);
  expect(told).toMatchObject({ code: 3, stdout: expect.stringContaining('existing') as string });
  expect(told.stderr).toMatch(/^stopped; what is listed was done: .*\.gitignore cannot be honoured/);
  // Nothing was done: the same document as of every other command.
  const nowhere = await cli(['import', '--json', 'half'], { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' });
  expect({ code: nowhere.code, said: JSON.parse(nowhere.stdout) as unknown }).toMatchObject({
    code: 4,
    said: { status: 'error', exit: 4 },
  });
});

test('a dry run foresees guards that do not hold, and a save that was cut off after it wrote the file', async () => {
  plant('f.txt', 'old\n');
  const id = (await imported('f.txt')).results[0]?.['target_file_id'] as string;
  plant('f.txt', 'new\n');
  const hash = 'f'.repeat(64);
  for (const [guard, code] of [
    [['--expected-version', '3', '--expected-hash', hash], 'target_version_mismatch'],
    [['--expected-hash', hash], 'target_hash_mismatch'],
  ] as const) {
    const [dry] = (await imported('f.txt', '--adopt', '--dry-run', ...guard)).results;
    const [real] = (await imported('f.txt', '--adopt', ...guard)).results;
    expect(real).toMatchObject({ status: 'rejected', failure_code: code });
    expect({ ...dry, facts: null }).toEqual({ ...real, facts: null });
  }

  const writer = await database.client('writer');
  await writer.query(`select patchdiff.commit_replacement($1, e'new\\n', 'why', 0)`, [id]);
  await writer.query(
    `select patchdiff.open_publication(h.target_file_id, null, null, h.version, h.current_hash, h.last_synced_disk_sha256,
       encode(sha256(convert_to(e'new\\n', 'UTF8')), 'hex'), 4)
     from patchdiff.read_head($1) as h`,
    [id],
  );
  const foreseen = await imported('f.txt', '--dry-run');
  expect(foreseen).toMatchObject({ code: 0, results: [{ status: 'existing', version: 1 }] });
  expect((await cli(['reconcile'])).code).toBe(6);
  plant('f.txt', 'theirs\n');
  expect((await imported('f.txt', '--dry-run')).results).toMatchObject([{ status: 'rejected', failure_code: 'drift' }]);
  plant('f.txt', 'new\n');
  expect((await imported('f.txt')).results).toMatchObject([{ status: 'existing', version: 1 }]);
  expect((await cli(['reconcile'])).code).toBe(0);
});
