import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { applyPatch } from 'diff';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/pool.ts';
import { createService } from '../../src/service/index.ts';
import { warmCommandLine, type Cli } from '../helpers/cli.ts';
import { useDatabase } from '../helpers/database.ts';

const database = useDatabase();
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const VERSIONS = ['alpha\n\tbeta\x1b[2J\ngamma\n', 'alpha\n\tBETA\x1b[2J\ngamma\n', 'first\nalpha\n\tBETA\x1b[2J\n'];
let cwd: string;
let cli: Cli;
let target: string;

beforeAll(async () => {
  cwd = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-cli-'));
  cli = await warmCommandLine(() => ({ DATABASE_URL: database.url('writer') }), cwd);
  const open = openDatabase({ connectionString: database.url('writer') });
  try {
    const service = createService({ database: open, actor: { host: 'ide', agent: 'editor-7' } });
    const created = await service.initializeTarget({ content: VERSIONS[0], display_name: 'doc' });
    target = created['target_file_id'] as string;
    const common = { target_file_id: target, intent: 'louder' };
    await service.submit('patchdiff-tx/1', { ...common, expected_target_version: 0, edits: [{ match: 'beta', replace: 'BETA' }] });
    await service.submit('patchdiff-tx/3', { ...common, expected_target_version: 1, replacement: VERSIONS[2] });
  } finally {
    await open.close();
  }
});

afterAll(() => rmSync(cwd, { recursive: true, force: true }));

test.each([
  [0, 2],
  [2, 0],
  [1, 2],
])('diff %i %i makes the one of the other', async (from, to) => {
  const { code, stdout } = await cli(['diff', target, String(from), String(to)]);
  expect(code).toBe(0);
  expect(applyPatch(VERSIONS[from] ?? '', stdout)).toBe(VERSIONS[to]);
});

test('diff without an end goes to the current version, and names each change as JSON', async () => {
  const { stdout } = await cli(['diff', target, '0', '--json']);
  const said = JSON.parse(stdout) as { diff: string; changes: object[] };
  expect(said).toMatchObject({ status: 'ok', target_file_id: target, from: 0, to: 2 });
  expect(applyPatch(VERSIONS[0] ?? '', said.diff)).toBe(VERSIONS[2]);
  expect(said.changes).toMatchObject([
    { after_version: 1, operation: 'match' },
    { after_version: 2, operation: 'replace_all', actor_agent: 'editor-7' },
  ]);
});

test('diff of a version and itself is nothing on stdout', async () => {
  expect(await cli(['diff', target, '1', '1'])).toMatchObject({ code: 0, stdout: '', stderr: 'versions 1 and 1 are equal\n' });
});

test('diff on a terminal is coloured, and no document moves the cursor', async () => {
  const { stdout } = await cli(['diff', target, '0', '1'], { FORCE_COLOR: '1', NO_COLOR: undefined });
  expect(stdout).toContain('\x1b[32m+\tBETA\\x1b[2J\x1b[39m');
});

test('blame names version, time, claim, login and change of every line', async () => {
  const { code, stdout } = await cli(['blame', target]);
  expect(code).toBe(0);
  const login = new URL(database.url('writer')).username;
  const [head, ...lines] = stdout.trimEnd().split('\n');
  expect(head).toMatch(/^line +version +written +claimed +login +attempt +change +text$/);
  expect(lines.map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['1', '2', expect.stringMatching(/^\d{4}-\d\d-\d\dT/), 'editor-7', login, expect.stringMatching(/^[0-9a-f-]{12}$/), 'chg_001', 'first'],
    ['2', '0', expect.any(String), 'editor-7', login, 'alpha'],
    ['3', '1', expect.any(String), 'editor-7', login, expect.any(String), 'chg_001', '\\tBETA\\x1b[2J'],
  ]);
});

test('blame of an older version, as JSON', async () => {
  const { stdout } = await cli(['blame', target, '1', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'ok',
    version: 1,
    lines: [{ line_text: 'alpha', pdcp_log_id: null }, { written_version: 1, intent: 'louder', actor_host: 'ide' }, { written_version: 0 }],
  });
});

test.each([
  [['blame', UNKNOWN], 7, /^there is no document/],
  [['diff', UNKNOWN, '0'], 7, /^there is no document/],
  [['blame', 'TARGET', '3'], 6, /^version 3 is still to come; the document is at version 2/],
  [['diff', 'TARGET', '0', '9'], 6, /^version 9 is still to come/],
  [['diff', 'TARGET', '-1'], 2, /./],
  [['diff', 'TARGET'], 2, /missing required argument 'from'/],
])('%j ends with %i', async (args, code, said) => {
  const ended = await cli(args.map((arg) => (arg === 'TARGET' ? target : arg)));
  expect(ended).toMatchObject({ code, stdout: '' });
  expect(ended.stderr).toMatch(said);
});
