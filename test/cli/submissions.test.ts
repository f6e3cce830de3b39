import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/port.ts';
import { createService, type JsonObject, type Service } from '../../src/service/index.ts';
import { built } from '../helpers/build.ts';
import { warmCommandLine, type Cli } from '../helpers/cli.ts';
import { useDatabase } from '../helpers/database.ts';
import { runNode, type Ended } from '../helpers/process.ts';

const own = useDatabase();
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
let cwd: string;
let cli: Cli;
let database: Database;
let service: Service;

beforeAll(async () => {
  cwd = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-cli-'));
  cli = await warmCommandLine(() => ({ DATABASE_URL: own.url('writer') }), cwd);
  database = openDatabase({ connectionString: own.url('writer') });
  service = createService({ database, actor: { host: 'test' } });
});

afterAll(async () => {
  await database.close();
  rmSync(cwd, { recursive: true, force: true });
});

async function target(content: string): Promise<string> {
  return (await service.initializeTarget({ content, display_name: 'a document' }))['target_file_id'] as string;
}

/** The object in a file of its own; the file's name. */
function file(content: JsonObject | string | Buffer): string {
  const name = `${Math.random().toString(36).slice(2)}.json`;
  writeFileSync(path.join(cwd, name), typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content));
  return name;
}

async function onStdin(args: string[], input: string | Buffer): Promise<Ended> {
  const program = path.join(await built(), 'cli', 'main.js');
  const env = { PATH: process.env['PATH'], HOME: cwd, NO_COLOR: '1', DATABASE_URL: own.url('writer') };
  return runNode([program, ...args], { cwd, env, input: input as string });
}

const attempts = async (id: string): Promise<JsonObject[]> => (await service.getPdcpLog({ target_file_id: id }))['entries'] as JsonObject[];

const edit = (id: string, version: number, match: string, replace: string, more: JsonObject = {}): JsonObject => ({
  format: 'patchdiff-tx/1',
  target_file_id: id,
  intent: 'an edit',
  expected_target_version: version,
  edits: [{ match, replace }],
  ...more,
});

describe('submit', () => {
  test('from a file and from stdin, and a repeat under its key', async () => {
    const id = await target('one\ntwo\n');
    const first = await cli(['submit', file(edit(id, 0, 'one', '1', { client_request_id: 'k' }))]);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(
      /^accepted: version 0 → 1, hash [0-9a-f]{12}\n {2}chg_001 {2}match at 0: 3 code points became 1\nattempt [0-9a-f-]{36}\n$/,
    );
    const again = await cli(['submit', file(edit(id, 0, 'one', '1', { client_request_id: 'k' }))]);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('recorded before; nothing new was done') as string });
    const second = await onStdin(['submit', '-', '--json'], JSON.stringify(edit(id, 1, 'two', 'two')));
    expect(second.code).toBe(0);
    expect(JSON.parse(second.stdout)).toMatchObject({
      status: 'accepted',
      version: 2,
      warnings: [{ code: 'no_op_change', change_id: 'chg_001' }, { code: 'no_op_transaction' }],
    });
    expect(await attempts(id)).toHaveLength(2);
  });

  test('--json is the answer of the service, and the log says who acted', async () => {
    const [one, other] = [await target('one\n'), await target('one\n')];
    const { stdout } = await cli(['submit', file(edit(one, 0, 'one', 'two')), '--json'], { PATCHDIFF_ACTOR: 'a script' });
    const receipt = JSON.parse(stdout) as JsonObject;
    const same = await service.submit('patchdiff-tx/1', { ...edit(other, 0, 'one', 'two'), format: undefined });
    expect(receipt).toEqual({ ...same, pdcp_log_id: receipt['pdcp_log_id'], target_file_id: one });
    const admin = await own.client('admin');
    const { rows } = await admin.query<{ actor: unknown }>(
      'select actor from patchdiff_store.append_only_pdcp_logs where pdcp_log_id = $1',
      [receipt['pdcp_log_id']],
    );
    expect(rows[0]?.actor).toMatchObject({ host: 'patchdiff', agent: 'a script', via: 'cli' });
  });

  test.each<[string, JsonObject, string]>([
    ['patchdiff-tx/1', { edits: [{ match: 'two', replace: '2' }] }, 'one\n2\n'],
    ['patchdiff-tx/2', { operations: [{ op: 'span', start: 4, end: 7, expected_text: 'two', replace: '2' }] }, 'one\n2\n'],
    ['patchdiff-tx/3', { replacement: 'all\r\nnew' }, 'all\nnew'],
  ])('--format %s names what the object does not', async (format, body, after) => {
    const id = await target('one\ntwo\n');
    const name = file({ target_file_id: id, intent: 'i', expected_target_version: 0, ...body });
    expect((await cli(['submit', name, '--format', format])).code).toBe(0);
    expect((await cli(['read', id, '--json'])).stdout).toContain(JSON.stringify(after));
  });

  test('a refusal is recorded, ends with 6, and shows the evidence on stderr', async () => {
    const id = await target('a:\n  on = 1\nb:\n  on = 1\n');
    const ambiguous = await cli(['submit', file(edit(id, 0, '  on = 1', '  on = 0'))]);
    expect(ambiguous).toMatchObject({ code: 6, stdout: '' });
    expect(ambiguous.stderr).toMatch(
      /^rejected: match_ambiguous; edits\[0\]\.match: the text occurs 2 times; .*\n {2}1 {2}line 2 {2}3\.\.11 {2}a:\\n⟦…⟧\\nb:\\n {2}on = 1\\n\n {2}2 {2}line 4 {2}15\.\.23 .*\n {2}recorded as attempt [0-9a-f-]{36}\n {2}.+\n$/,
    );
    const missed = await cli(['submit', file(edit(id, 0, '\ton = 1', '  on = 0'))]);
    expect(missed.code).toBe(6);
    expect(missed.stderr).toMatch(/near miss on line 2, .*\n/);
    expect(missed.stderr).not.toContain('patchdiff_');
    const stale = (await cli(['submit', file(edit(id, 7, 'a', 'b'))])).stderr;
    expect(stale).toMatch(/\n {2}Read the target again \(patchdiff read --json\)/);
    const operations = [{ op: 'span', start: 0, end: 2, expected_text: 'x:', replace: 'c:' }];
    const elsewhere = file({ format: 'patchdiff-tx/2', target_file_id: id, intent: 'i', expected_target_version: 0, operations });
    expect((await cli(['submit', elsewhere])).stderr).toMatch(/\n {2}actual_text: "a:"\n/);
    const shown = JSON.parse((await cli(['submit', file(edit(id, 7, 'a', 'b')), '--json'])).stdout) as JsonObject;
    expect(shown).toMatchObject({ status: 'rejected', failure_reason: 'target_version_mismatch', current_version: 0 });
    expect(await attempts(id)).toHaveLength(5);
  });

  test('a file that cannot be read is 3, in words', async () => {
    expect(await cli(['submit', 'nothing.json'])).toMatchObject({ code: 3, stderr: 'patchdiff: there is no file nothing.json\n' });
    expect(await cli(['preview', '.'])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^patchdiff: \. cannot be read: /) as string,
    });
  });

  test('an unknown document is 7, a malformed id 6', async () => {
    expect(await cli(['submit', file(edit(UNKNOWN, 0, 'a', 'b'))])).toMatchObject({
      code: 7,
      stdout: '',
      stderr: expect.stringMatching(/^rejected: target_not_found/) as string,
    });
    expect((await cli(['submit', file(edit('nobody', 0, 'a', 'b'))])).code).toBe(6);
  });

  test('lone surrogates and NUL reach the decoder as they are and leave a row', async () => {
    const id = await target('one\n');
    for (const escape of ['\\ud83d', '\\udc00', '\\ude00\\ud83d', 'a\\u0000b']) {
      const text = JSON.stringify(edit(id, 0, 'one', 'NEW')).replace('NEW', () => escape);
      const { code, stdout } = await cli(['submit', file(text), '--json']);
      expect(code).toBe(6);
      expect(JSON.parse(stdout)).toMatchObject({ failure_reason: 'target_encoding_invalid', failure_code: 'text_not_encodable' });
    }
    expect(await attempts(id)).toHaveLength(4);
    const pair = JSON.stringify(edit(id, 0, 'one', 'NEW')).replace('NEW', '\\ud83d\\ude00');
    expect((await cli(['submit', file(pair)])).code).toBe(0);
    expect((await cli(['read', id])).stdout).toBe('😀\n');
  });
});

describe('what cannot be taken as it is written is refused with its place, and nothing is sent', () => {
  test.each<[string, string | Buffer, RegExp]>([
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xe9, 0x7d]), /json: byte 1 \(0xe9\) is not UTF-8/],
    ['no JSON', '{\n  "é😀": 1,\n}', /json: line 3, column 1: a name in double quotes is expected here/],
    [
      'a rounded guard',
      '{"expected_target_version": 9007199254740993}',
      /json: line 1, column 29: the number 9007199254740993 cannot be kept/,
    ],
    ['__proto__', '{"edits": [{"__proto__": {}}]}', /json: line 1, column 13: an object key "__proto__" is refused/],
    ['no format', '{"intent": "x"}', /the object has no "format"; it is one of patchdiff-tx\/1, patchdiff-tx\/2, patchdiff-tx\/3/],
    ['an unknown format', '{"format": "diff"}', /"format" is "diff"; it is one of/],
  ])('%s', async (_, content, words) => {
    const refused = await cli(['submit', file(content)]);
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(words) as string });
  });

  test('two formats, an unknown one on the command line, and a file that is not there', async () => {
    const id = await target('one\n');
    const twice = await cli(['submit', file(edit(id, 0, 'one', 'x')), '--format', 'patchdiff-tx/2']);
    expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('say one') as string });
    expect((await cli(['submit', file({}), '--format', 'diff'])).code).toBe(2);
    expect(await cli(['submit', 'nosuch.json'])).toMatchObject({ code: 3, stderr: expect.stringContaining('nosuch.json') as string });
    expect(await attempts(id)).toEqual([]);
  });

  test('preview and stdin are read as strictly; --json says it as JSON', async () => {
    expect((await onStdin(['preview', '-'], '{}x')).stderr).toBe('patchdiff: stdin: line 1, column 3: there is more after the value\n');
    const { code, stdout } = await onStdin(['submit', '-', '--json'], '');
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({ status: 'error', exit: 2, message: 'stdin: line 1, column 1: a value is missing at the end' });
  });
});

describe('preview', () => {
  test('shows the diff, writes nothing, and ends as submit would', async () => {
    const id = await target('one\ntwo\nthree\n');
    const shown = await cli(['preview', file(edit(id, 0, 'two', '2', { client_request_id: 'later' }))]);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toMatch(/^would accept: version 0 → 1, hash [0-9a-f]{12}\n[\s\S]*\n-two\n\+2\n/);
    const refused = await cli(['preview', file(edit(id, 3, 'two', '2'))]);
    expect(refused).toMatchObject({
      code: 6,
      stdout: '',
      stderr: expect.stringMatching(/^would_reject: target_version_mismatch/) as string,
    });
    expect((await cli(['preview', file(edit(UNKNOWN, 0, 'a', 'b'))])).code).toBe(7);
    expect(await attempts(id)).toEqual([]);
  });

  test('says when the diff is coarse, and what of it was left out', async () => {
    const lines = (mark: string): string => Array.from({ length: 5000 }, (_, line) => `${mark} ${line}\n`).join('');
    const id = await target(lines('old'));
    const args = { target_file_id: id, format: 'patchdiff-tx/3', intent: 'all', expected_target_version: 0, replacement: lines('new') };
    const { stdout } = await cli(['preview', file(args)]);
    expect(stdout).toMatch(
      /\n-old 0\n[\s\S]*\ncoarse: unchanged lines may be shown as removed and added again\nleft out: .*diff_lines.*\n$/,
    );
  });

  test('--json is the answer of the service; a stored key is foreseen', async () => {
    const id = await target('one\n');
    const body = edit(id, 0, 'one', '1', { client_request_id: 'k' });
    const name = file(body);
    expect(JSON.parse((await cli(['preview', name, '--json'])).stdout)).toEqual(await service.preview(body));
    expect((await cli(['submit', name])).code).toBe(0);
    expect(await cli(['preview', name])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^would recover: .*accepted/) as string });
    const bad = file(edit(id, 1, 'gone', 'x', { client_request_id: 'bad' }));
    expect((await cli(['submit', bad])).code).toBe(6);
    expect((await cli(['preview', bad])).code).toBe(6);
  });
});

describe('find', () => {
  test('places that a span can use, with what stands beside them', async () => {
    const id = await target('A😀B\nB\ta\n');
    expect(await cli(['find', id, 'B'])).toEqual({
      code: 0,
      signal: null,
      stderr: '',
      stdout: '2 occurrences in version 0\n1  line 1  2..3  A😀⟦B⟧\\nB\\ta\\n\n2  line 2  4..5  A😀B\\n⟦B⟧\\ta\\n\n',
    });
    expect((await cli(['find', id, 'B', '--limit', '1', '--context', '0'])).stdout).toBe(
      '2 occurrences in version 0\n1  line 1  2..3  ⟦B⟧\nmore: --from 2\n',
    );
    expect((await cli(['find', id, '--from', '2', '--', 'B'])).stdout).toContain('2  line 2  4..5');
    expect((await cli(['find', id, 'absent'])).stdout).toBe('0 occurrences in version 0\n');
    const json = JSON.parse((await cli(['find', id, 'B', '--json'])).stdout) as JsonObject;
    expect(json).toEqual(await service.findOccurrences({ target_file_id: id, text: 'B' }));
  });

  test('an empty text is refused at once, an unknown document is 7, a bad option 2', async () => {
    const id = await target('x\n');
    expect(await cli(['find', id, ''])).toMatchObject({
      code: 6,
      stdout: '',
      stderr: expect.stringMatching(/^invalid_argument: text: /) as string,
    });
    expect((await cli(['find', UNKNOWN, 'x'])).code).toBe(7);
    for (const more of [
      ['--context', '401'],
      ['--from', '0'],
      ['--limit', '201'],
    ])
      expect((await cli(['find', id, 'x', ...more])).code).toBe(2);
    expect((await cli(['find', id])).code).toBe(2);
  });
});

test('ledger lists changes, and pages', async () => {
  const id = await target('one two\n');
  const edits = [
    { match: 'one', replace: '1', risk: 'high' },
    { match: 'two', replace: '2' },
  ];
  expect((await cli(['ledger', id])).stdout).toBe('no changes\n');
  expect((await cli(['submit', file(edit(id, 0, 'one', '1', { edits, intent: 'numbers' }))])).code).toBe(0);
  const lines = (await cli(['ledger', id])).stdout.split('\n');
  expect(lines[0]).toMatch(/^# +version +change +operation +risk +region +intent$/);
  expect(lines[1]).toMatch(/^1 +0 → 1 +chg_001 +match +high .*numbers$/);
  expect(lines[2]).toMatch(/^2 +0 → 1 +chg_002 +match .*numbers$/);
  expect((await cli(['ledger', id, '--limit', '1'])).stdout).toMatch(/chg_002[\s\S]*\nmore: --before 2\n$/);
  expect((await cli(['ledger', id, '--before', '2'])).stdout).not.toContain('chg_002');
  expect(JSON.parse((await cli(['ledger', id, '--json'])).stdout)).toEqual(await service.getManifestLedger({ target_file_id: id }));
  expect((await cli(['ledger', UNKNOWN])).code).toBe(7);
  expect((await cli(['save', id])).code).toBe(0);
  expect((await cli(['ledger', id])).stdout).toBe('no changes since the last SAVE; --all lists those before it\n');
  expect((await cli(['ledger', id, '--all'])).stdout).toBe(lines.join('\n'));
});

test('the help of each command teaches its input', async () => {
  for (const [command, words] of [
    ['submit', /"edits": \[[\s\S]*client_request_id[\s\S]*Exit code 6/],
    ['preview', /nothing is written[\s\S]*unified diff/],
    ['find', /start and end of a span/],
    ['ledger', /newest changes/],
  ] as const) {
    const { code, stdout } = await cli([command, '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(words);
  }
});
