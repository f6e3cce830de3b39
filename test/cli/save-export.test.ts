import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MODES, PROFILES } from '../../src/cli/commands/mcp-config.ts';
import { PROFILE_NAMES } from '../../src/mcp/profiles.ts';
import { RESPONSE_MODES } from '../../src/mcp/response-mode.ts';
import { warmCommandLine, type Cli } from '../helpers/cli.ts';
import { useDatabase } from '../helpers/database.ts';
import { sha256 } from '../scenarios/corpus.ts';

const database = useDatabase();
let root: string;
let cli: Cli;

beforeAll(async () => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'patchdiff-save-')));
  cli = await warmCommandLine(() => ({ DATABASE_URL: database.url('writer') }), root);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const put = (name: string, content: string): void => {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  writeFileSync(path.join(root, name), content);
};
const onDisk = (name: string): string => readFileSync(path.join(root, name)).toString('latin1');
const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

async function imported(name: string): Promise<string> {
  const { stdout } = await cli(['import', '--json', name]);
  return (JSON.parse(stdout) as { target_file_id: string }[])[0]?.target_file_id ?? '';
}

async function replaced(id: string, text: string, version: number): Promise<void> {
  const writer = await database.client('writer');
  const { rows } = await writer.query<{ outcome: string }>('select outcome from patchdiff.commit_replacement($1, $2, $3, $4)', [
    id,
    text,
    'why',
    version,
  ]);
  expect(rows).toMatchObject([{ outcome: 'accepted' }]);
}

test('save writes the file of a document named by its path, under its guards, and a key gives the same outcome again', async () => {
  put('docs/notes.md', '\uFEFFa\r\nb\nc');
  const id = await imported('docs/notes.md');
  await replaced(id, 'a\nB\nnew\nc', 0);
  const stale = await cli(['save', 'docs/notes.md', '--sync', '--expected-version', '0']);
  expect(stale).toMatchObject({ code: 6, stdout: '' });
  expect(stale.stderr).toMatch(/^rejected: target_version_mismatch/);
  const checkpoint = await cli(['save', id, '--expected-hash', sha256('a\nB\nnew\nc'), '--json']);
  expect(JSON.parse(checkpoint.stdout)).toMatchObject({ status: 'checkpointed', version: 1 });
  expect(onDisk('docs/notes.md')).toBe(latin1('\uFEFFa\r\nb\nc'));
  const args = ['save', 'docs/notes.md', '--sync', '--expected-version', '1', '--request-id', 'k1'];
  const saved = await cli(args);
  expect(saved).toMatchObject({ code: 0, stderr: '' });
  expect(saved.stdout).toMatch(
    new RegExp(`^${id}  published at version 1  docs/notes.md\nchain head to note elsewhere: \\d+:[0-9a-f]{64}\n$`),
  );
  expect(onDisk('docs/notes.md')).toBe(latin1('\uFEFFa\r\nB\nnew\nc'));
  expect((await cli(args)).stdout).toContain('published at version 1, as recorded for this key');
  expect((await cli(['save', id, '--sync'])).stdout).toContain('unchanged at version 1');
});

test('save refuses drift and names the way out; another workspace is not the one of the file', async () => {
  put('d.txt', 'one\n');
  const id = await imported('d.txt');
  put('d.txt', 'two\n');
  const refused = await cli(['save', 'd.txt', '--sync']);
  expect(refused).toMatchObject({ code: 6, stdout: '' });
  expect(refused.stderr).toMatch(/^rejected: workspace_drift; drift; .*\n {2}.*patchdiff import <file> --adopt/);
  expect(JSON.parse((await cli(['save', id, '--sync', '--json'])).stdout)).toMatchObject({
    failure_code: 'drift',
    facts: { expected_disk_sha256: sha256('one\n'), observed_disk_sha256: sha256('two\n') },
    next_step: expect.stringContaining('adopt_disk') as string,
  });
  expect((await cli(['import', 'd.txt', '--adopt'])).code).toBe(0);
  expect((await cli(['save', id, '--sync'])).stdout).toContain('published at version 1');
  expect((await cli(['save', id, '--sync', '--workspace', os.tmpdir()])).stderr).toContain('workspace_mismatch');
});

test('of a path that documents of two workspaces have, the workspace that was named tells which', async () => {
  put('one/same.txt', 'one\n');
  put('two/same.txt', 'two\n');
  const ids: string[] = [];
  for (const workspace of ['one', 'two']) {
    const { stdout } = await cli(['import', path.join(workspace, 'same.txt'), '--workspace', workspace, '--json']);
    ids.push((JSON.parse(stdout) as { target_file_id: string }[])[0]!.target_file_id);
  }
  const unclear = await cli(['save', 'same.txt', '--sync']);
  expect(unclear.code).toBe(2);
  for (const id of ids) expect(unclear.stderr).toContain(id);
  for (const [at, workspace] of ['one', 'two'].entries()) {
    expect((await cli(['save', 'same.txt', '--sync', '--workspace', workspace])).stdout).toContain(`${ids[at]}  unchanged`);
  }
  expect((await cli(['save', 'same.txt', '--sync', '--workspace', '.'])).code).toBe(2);
});

test('export gives every byte of a long document, the text as held or the file as it would be written, and replaces no file', async () => {
  const lines = Array.from({ length: 4000 }, (_, at) => `ligne ${at} é 🎈${at % 3 === 0 ? '\r\n' : '\n'}`).join('');
  put('long.txt', `\uFEFF${lines}end`);
  const id = await imported('long.txt');
  const canonical = `${lines.replaceAll('\r\n', '\n')}end`;
  expect((await cli(['export', 'long.txt'])).stdout).toBe(canonical);
  const written = await cli(['export', id, '--format', 'original_eol', '--output', 'copy.txt']);
  expect(written).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+ bytes of version 0 in copy\.txt\n$/) as string });
  expect(onDisk('copy.txt')).toBe(onDisk('long.txt'));
  expect(await cli(['export', id, '--output', 'copy.txt'])).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining('it exists') as string,
  });
  expect(JSON.parse((await cli(['export', id, '--json'])).stdout)).toMatchObject({
    status: 'ok',
    text: canonical,
    current_hash: sha256(canonical),
    source_bom: true,
    truncated: false,
    chain_head: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  put('empty.txt', '');
  expect(await cli(['export', await imported('empty.txt')])).toMatchObject({ code: 0, stdout: '' });
});

test('a document is named by id or path where that is one document; everything else is said', async () => {
  for (const command of ['save', 'export']) {
    expect(await cli([command, 'nobody.md'])).toMatchObject({ code: 7, stdout: '' });
    expect(await cli([command, '00000000-0000-4000-8000-000000000000'])).toMatchObject({ code: 7, stdout: '' });
  }
  put('one/same.md', '1\n');
  put('two/same.md', '2\n');
  for (const folder of ['one', 'two']) expect((await cli(['import', '--workspace', folder, `${folder}/same.md`])).code).toBe(0);
  expect(await cli(['export', 'same.md'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('name one by its id') as string,
  });
  for (const args of [
    ['save', 'd.txt', '--expected-hash', 'x'],
    ['save', 'd.txt', '--request-id', 'a b'],
    ['export', 'd.txt', '--format', 'raw'],
    ['mcp-config', 'emacs'],
    ['mcp-config', 'cursor', '--profile', 'none'],
  ]) {
    expect((await cli(args)).code, args.join(' ')).toBe(2);
  }
});

test('mcp-config prints a block that each host can read and start from anywhere', async () => {
  const odd = 'a "b" \\ é \u007F';
  mkdirSync(path.join(root, odd));
  const start = {
    command: process.execPath,
    args: [
      expect.stringMatching(/^\/.*cli\/main\.js$/) as string,
      'mcp',
      '--workspace',
      path.join(root, odd),
      '--profile',
      'workspace',
      '--response-mode',
      'compact',
    ],
  };
  const keys: Record<string, string> = { vscode: 'servers', codex: 'mcp_servers' };
  for (const host of ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'codex', 'antigravity']) {
    const args = ['mcp-config', host, '--workspace', odd, '--profile', 'workspace', '--response-mode', 'compact'];
    const { code, stdout, stderr } = await cli(args, { PATCHDIFF_HOME: 'home' });
    expect(code, stderr).toBe(0);
    const block = (host === 'codex' ? parse(stdout) : JSON.parse(stdout)) as Record<string, { patchdiff: unknown }>;
    expect(Object.keys(block)).toEqual([keys[host] ?? 'mcpServers']);
    expect(block[keys[host] ?? 'mcpServers']?.patchdiff).toMatchObject({ ...start, env: { PATCHDIFF_HOME: path.join(root, 'home') } });
    // A password is not printed, but that a host will lack it is said.
    expect(stderr).toMatch(/put this into .*\nDATABASE_URL is set here; a host does not inherit it/);
    expect(stdout).not.toContain('postgres');
  }
  expect(PROFILES.toSorted()).toEqual(PROFILE_NAMES.toSorted());
  expect(MODES).toEqual(RESPONSE_MODES);
});
