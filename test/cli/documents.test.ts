import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/pool.ts';
import { createService } from '../../src/service/index.ts';
import { built } from '../helpers/build.ts';
import { warmCommandLine, type Cli } from '../helpers/cli.ts';
import { useDatabase } from '../helpers/database.ts';
import { startNode } from '../helpers/process.ts';
import { vandal } from '../service/support/damage.ts';

const database = useDatabase();
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
let cwd: string;
let cli: Cli;
let target: string;

beforeAll(async () => {
  cwd = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-cli-'));
  cli = await warmCommandLine(() => ({ DATABASE_URL: database.url('writer') }), cwd);
  writeFileSync(path.join(cwd, 'notes.md'), '# Notes\n\nalpha\nbéta 🎈\n');
  const { stdout, stderr, code } = await cli(['import', 'notes.md', '--json']);
  expect(code, stderr).toBe(0);
  [{ target_file_id: target }] = JSON.parse(stdout) as [{ target_file_id: string }];
});

afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** An accepted and a rejected attempt, as a server makes them; returns their ids. */
async function attempts(): Promise<{ accepted: string; rejected: string }> {
  const open = openDatabase({ connectionString: database.url('writer') });
  const service = createService({ database: open, actor: { host: 'test' } });
  const commit = async () => {
    const edits = [{ match: 'alpha', replace: 'ALPHA' }];
    const receipt = await service.submit('patchdiff-tx/1', { target_file_id: target, expected_target_version: 0, intent: 'louder', edits });
    return receipt['pdcp_log_id'] as string;
  };
  try {
    return { accepted: await commit(), rejected: await commit() };
  } finally {
    await open.close();
  }
}

test('import says what was created, and the second time that it exists', async () => {
  const again = await cli(['import', 'notes.md']);
  expect(again).toMatchObject({ code: 0, stdout: `${target}  existing at version 0  notes.md\n`, stderr: '' });
});

test('list shows names and hashes in columns, and as JSON everything', async () => {
  const { stdout } = await cli(['list', 'notes']);
  expect(stdout.split('\n')[0]).toMatch(/^target +version +hash +name +path$/);
  expect(stdout.split('\n')[1]).toMatch(new RegExp(`^${target}  0 +[0-9a-f]{12}  notes.md  notes.md$`));
  const json = JSON.parse((await cli(['--json', 'list'])).stdout) as { status: string; targets: { target_file_id: string }[] };
  expect(json).toMatchObject({ status: 'ok', has_more: false });
  expect(json.targets.map((row) => row.target_file_id)).toEqual([target]);
  expect((await cli(['list', 'nothing is called this'])).stdout).toBe('no documents\n');
});

test('read prints the text itself, a part of it, and the last version of a long document', async () => {
  expect((await cli(['read', target])).stdout).toBe('# Notes\n\nalpha\nbéta 🎈\n');
  expect((await cli(['read', target, '--start', '15', '--length', '6'])).stdout).toBe('béta 🎈\n');
  const long = Array.from({ length: 3000 }, (_, n) => `line ${n}\n`).join('');
  writeFileSync(path.join(cwd, 'long.txt'), long);
  const [{ target_file_id: id }] = JSON.parse((await cli(['import', 'long.txt', '--json'])).stdout) as [{ target_file_id: string }];
  expect((await cli(['read', id])).stdout).toBe(long);
});

test('log, show, replay and verify follow one history', async () => {
  const { accepted, rejected } = await attempts();
  const log = (await cli(['log', target])).stdout.split('\n');
  expect(log[1]).toMatch(new RegExp(`^2  rejected  1 +target_version_mismatch +${rejected} `));
  expect(log[2]).toMatch(new RegExp(`^1  accepted  0 → 1 +${accepted} `));
  expect((await cli(['log', target, '--limit', '1'])).stdout).toMatch(/more: --before 2\n$/);

  const shown = await cli(['show', accepted]);
  expect(shown.code).toBe(0);
  expect(shown.stdout).toMatch(/operation[\s\S]*match[\s\S]*payload\n\{.*"match":"alpha".*\}\n$/);
  // A claim is called one; beside it stands what the database saw.
  expect(shown.stdout).toMatch(/actor \(claimed\) +\{"host":"test".*\n[\s\S]*db_session_user +\S+\n/);
  const json = JSON.parse((await cli(['show', rejected, '--json'])).stdout) as Record<string, unknown>;
  expect(json).toMatchObject({ status: 'rejected', failure_reason: 'target_version_mismatch', changes: [] });
  expect(json).toMatchObject({ actor: { host: 'test' }, db_session_user: expect.any(String) as string });

  const replay = await cli(['replay', target]);
  expect(replay.code).toBe(0);
  expect(replay.stdout).toMatch(/^success: version 1, hash [0-9a-f]{64}\n(  holds  \w+\n){4}$/);
  const earlier = await cli(['replay', target, '--to', '0']);
  expect(earlier.code).toBe(0);
  expect(earlier.stdout).toMatch(
    /^success: version 0, hash [0-9a-f]{64}\n {2}not compared with the stored document, which is at a later version\n$/,
  );
  const verified = await cli(['verify', target]);
  expect(verified).toMatchObject({ code: 0, stderr: '' });
  const noted = /note elsewhere: (\S+)\n$/.exec(verified.stdout)?.[1] as string;
  expect((await cli(['verify', target, '--noted', noted])).code).toBe(0);
  expect((await cli(['verify', target, '--noted', noted.replace(/[0-9a-f]{4}$/, '0000')])).code).toBe(8);
  expect((await cli(['verify'])).stdout).toBe('sound\n');
});

test('a document is named by its workspace path as well as by its id, wherever one is asked for', async () => {
  const other = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-cli-'));
  try {
    for (const args of [['read'], ['log'], ['replay'], ['ledger'], ['verify'], ['find', 'alpha'], ['diff', '0'], ['blame'], ['export']]) {
      const [command = '', ...more] = args;
      const byId = await cli([command, target, ...more]);
      expect(byId.code, command).toBe(0);
      expect(await cli([command, 'notes.md', ...more]), command).toEqual(byId);
    }
    expect(await cli(['read', 'zz'])).toMatchObject({
      code: 7,
      stdout: '',
      stderr: 'patchdiff: there is no document with the id or the workspace path zz; patchdiff list shows those there are\n',
    });
    writeFileSync(path.join(other, 'notes.md'), 'another\n');
    expect((await cli(['import', path.join(other, 'notes.md'), '--workspace', other])).code).toBe(0);
    const several = await cli(['read', 'notes.md']);
    expect(several.code).toBe(2);
    expect(several.stderr).toMatch(/several documents have the workspace path notes\.md; name one by its id: .*\n$/);
    expect((await cli(['read', 'notes.md'], { PATCHDIFF_WORKSPACE_ROOT: other })).stdout).toBe('another\n');
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});

test('what is not there is 7, what a rule refuses is 6, and both say why', async () => {
  for (const args of [
    ['read', UNKNOWN],
    ['log', UNKNOWN],
    ['replay', UNKNOWN],
    ['show', UNKNOWN],
    ['verify', UNKNOWN],
  ]) {
    const { code, stdout, stderr } = await cli(args);
    expect({ code, stdout }, args.join(' ')).toEqual({ code: 7, stdout: '' });
    expect(stderr).toMatch(/^there is no (document|attempt) 0{8}-.*; patchdiff (list|log <target>) shows those there are\n$/);
  }
  expect((await cli(['read', target, '--start', '999'])).stderr).toMatch(/^invalid_argument: start: an integer from 0 to 22,/);
});

test('a refused import gives its reason and the next step on stderr, the others their line, and --json everything', async () => {
  writeFileSync(path.join(cwd, 'binary'), Buffer.from([0x66, 0xff, 0x00]));
  const refused = await cli(['import', 'binary', 'notes.md', 'nosuch']);
  expect(refused.code).toBe(6);
  expect(refused.stdout).toMatch(/^\S+ {2}existing at version \d+ {2}notes\.md\n$/);
  expect(refused.stderr).toMatch(
    /^binary: rejected: invalid_utf8; .+\n {2}Convert the file to UTF-8.*\nnosuch: rejected: path_not_found; .+\n {2}Send the call again with the path of a text file inside the workspace/,
  );
  const [answer] = JSON.parse((await cli(['import', 'nosuch', '--json'])).stdout) as Record<string, unknown>[];
  expect(answer).toMatchObject({ status: 'rejected', failure_code: 'path_not_found', next_step: expect.any(String) as string });
});

test('a value that an option or argument cannot take is a wrong command line', async () => {
  for (const args of [
    ['list', '--limit', '0'],
    ['list', '--limit', 'x'],
    ['list', '--after', 'x'],
    ['log', target, '--status', 'maybe'],
    ['log', target, '--before', '-1'],
    ['read', target, '--start', 'x'],
    ['read', target, '--length', '0'],
    ['replay', target, '--to', '1.5'],
    ['show', 'zz'],
  ]) {
    const { code, stdout, stderr } = await cli(args);
    expect({ code, stdout }, args.join(' ')).toEqual({ code: 2, stdout: '' });
    expect(stderr, args.join(' ')).toMatch(/must be|Allowed choices|next_cursor/);
  }
});

test('list says when there is more, and goes on there', async () => {
  const first = (await cli(['list', '--limit', '1'])).stdout;
  const cursor = /\nmore: --after (\S+)\n$/.exec(first)?.[1] as string;
  const second = (await cli(['list', '--limit', '200', '--after', cursor])).stdout;
  expect(second).not.toContain('more:');
  expect(second).not.toContain(first.split('\n')[1]);
});

test('a full disk below stdout is one line and 1', async () => {
  const full = openSync('/dev/full', 'w');
  try {
    const program = path.join(await built(), 'cli', 'main.js');
    const env = { PATH: process.env['PATH'], DATABASE_URL: database.url('writer') };
    const { ended } = startNode([program, 'read', target], { env, stdio: ['ignore', full, 'pipe'] });
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^patchdiff: the answer could not be written to stdout: ENOSPC.*\n$/);
  } finally {
    closeSync(full);
  }
});

test('an edited history is found, and the exit code says so', async () => {
  writeFileSync(path.join(cwd, 'edited.md'), 'one\ntwo\n');
  const [{ target_file_id: id }] = JSON.parse((await cli(['import', 'edited.md', '--json'])).stdout) as [{ target_file_id: string }];
  const admin = await database.client('admin');
  await admin.query("update patchdiff_store.cloud_target_files set current_content = 'one\nTWO\n' where target_file_id = $1", [id]);
  const verified = await cli(['verify', id]);
  expect(verified.code).toBe(8);
  expect(verified.stdout).toMatch(/^(1 finding|[2-9] findings)\n/);
  expect(verified.stdout).toMatch(/patchdiff_store\.cloud_target_files|cloud_target_files/);
  const replay = await cli(['replay', id]);
  expect(replay.code).toBe(8);
  expect(replay.stdout).toMatch(/fails {2}content_matches/);
  const free = await vandal(database);
  await free.query("update patchdiff_store.target_snapshots set content_hash = repeat('0', 64) where target_file_id = $1", [id]);
  const failed = await cli(['replay', id]);
  expect(failed).toMatchObject({ code: 8, stdout: '' });
  expect(failed.stderr).toMatch(
    /^failed\n {2}replay_integrity_failed at the first text, check initial_hash: .+\n {2}patchdiff verify names the damaged row\.\n$/,
  );
});

test('a name cannot move the cursor', async () => {
  const client = await database.client('writer');
  await client.query(`select patchdiff.create_target(p_target => null, p_display_name => $1, p_content => 'x')`, ['\u001b[2Jred']);
  expect((await cli(['list', 'red'])).stdout).toContain('\\x1b[2Jred');
});
