import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandLine, type Cli } from '../helpers/cli.ts';
import { useDatabase } from '../helpers/database.ts';

const database = useDatabase();
let cwd: string;
let cli: Cli;

beforeAll(async () => {
  cwd = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-demo-test-'));
  cli = await commandLine(() => ({ DATABASE_URL: database.url('writer'), TMPDIR: cwd }), cwd);
});

afterAll(() => rmSync(cwd, { recursive: true, force: true }));

interface Summary {
  status: string;
  file: string;
  steps: { name: string; status: string; failure_reason: string | null }[];
  changes: unknown[];
  findings: unknown[];
  replay: { materialized_state_matches: boolean };
}

test('the demo works on a copy of its sample and proves what it says', async () => {
  const { code, stdout, stderr } = await cli(['demo']);
  expect(stderr).toBe('');
  expect(code, stdout).toBe(0);
  expect(stdout.match(/^ {2}holds {2}/gm)).toHaveLength(5);
  expect(stdout).toMatch(/refused \(target_version_mismatch\)/);
  expect(stdout).toMatch(/refused \(match_absent\); nearest text: "Kept by the survey team/);
});

test('with a file of ours it edits a copy, with --in-place the file itself, and --json tells it to machines', async () => {
  const file = path.join(cwd, 'mine.txt');
  const text = 'first line of words\r\nsecond line, rather longer\r\n';
  writeFileSync(file, text);
  const copy = JSON.parse((await cli(['demo', 'mine.txt', '--json'])).stdout) as Summary;
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(copy).toMatchObject({ status: 'ok', findings: [], replay: { materialized_state_matches: true } });
  expect(copy.steps.map((step) => [step.name, step.status])).toEqual([
    ['import', 'created'],
    ['read', 'ok'],
    ['find', 'ok'],
    ['preview', 'would_accept'],
    ['edit', 'accepted'],
    ['repeat', 'accepted'],
    ['stale edit', 'rejected'],
    ['mistyped edit', 'rejected'],
    ['recover', 'accepted'],
    ['save', 'published'],
  ]);
  const saved = 'first line of words\r\nsecond line, rather longer (checked three times)\r\n';
  expect(readFileSync(copy.file, 'utf8')).toBe(saved);
  expect((await cli(['demo', 'mine.txt', '--in-place'])).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(saved);
});

test('a file that is not there is 3', async () => {
  const { code, stderr } = await cli(['demo', 'nothing.txt']);
  expect(code).toBe(3);
  expect(stderr).toMatch(/there is no file .*nothing\.txt/);
});

test('a file that the demo cannot use is refused in one sentence before anything starts, and leaves nothing behind', async () => {
  const temporary = path.join(cwd, 'temporary');
  mkdirSync(temporary);
  const lines = 'first line of words\nsecond line of words\n';
  for (const [content, why] of [
    [Buffer.from('caf\xe9 au lait\nagain and again\n', 'latin1'), 'is not valid UTF-8'],
    [`a\0b${lines}`, 'holds a NUL'],
    ['', 'has no line of words'],
    ['word', 'has no line of words'],
  ] as const) {
    writeFileSync(path.join(cwd, 'odd'), content);
    const { code, stdout, stderr } = await cli(['demo', 'odd'], { TMPDIR: temporary });
    expect({ code, stdout }, why).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^patchdiff: \\S+odd ${why}.*; the demo takes a regular file of UTF-8 text.*\n$`));
  }
  expect((await cli(['demo', '.'])).stderr).toMatch(/is no regular file/);
  writeFileSync(path.join(cwd, 'good'), `${lines}third\r\n`);
  const unreachable = { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/db', TMPDIR: temporary };
  expect((await cli(['demo', 'good'], unreachable)).code).toBe(4);
  expect(readdirSync(temporary)).toEqual([]);
  const elsewhere = await cli(['demo', 'good'], { ...unreachable, INIT_CWD: temporary });
  expect(elsewhere.stderr).toContain(`there is no file ${path.join(temporary, 'good')}`);
});
