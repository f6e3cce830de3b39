import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { createDatabase } from '../helpers/database.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { SERVER, RawPipe } from './support/raw-pipe.ts';

let database: TestDatabase;
let folder: string;
const pipes: RawPipe[] = [];

beforeAll(async () => {
  database = await createDatabase();
  folder = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-mcp-'));
});

afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

afterEach(() => {
  for (const pipe of pipes.splice(0)) pipe.kill();
});

function open(args: string[] = [], env: Record<string, string> = {}): RawPipe {
  const pipe = new RawPipe(SERVER, args, { DATABASE_URL: database.url('writer'), ...env });
  pipes.push(pipe);
  return pipe;
}

describe('what is wrong at the start is said on stderr, before any protocol', () => {
  const NOBODY = 'postgres://nobody:secret-word@127.0.0.1:1/none';

  test.each([
    [
      'an unknown profile (flag)',
      ['--profile', 'everything'],
      {},
      2,
      /unknown tool profile "everything".*full, observed_workspace, workspace, observed_v2/,
    ],
    ['an unknown profile (variable)', [], { PATCHDIFF_MCP_PROFILE: 'observed' }, 2, /unknown tool profile "observed"/],
    ['an unknown flag', ['--workspaces', '/'], {}, 2, /--workspaces/],
    ['an unknown response mode', [], { PATCHDIFF_MCP_RESPONSE_MODE: 'short' }, 2, /unknown response mode "short"/],
    ['an unknown log level', ['--log-level', 'loud'], {}, 2, /unknown log level "loud"/],
    ['a workspace that does not exist', ['--workspace', '/no/such/place'], {}, 3, /workspace.*\/no\/such\/place/],
    ['a database that nobody serves', [], { DATABASE_URL: NOBODY, PATCHDIFF_LOG_LEVEL: 'debug' }, 4, /database cannot be used/],
  ] as [string, string[], Record<string, string>, number, RegExp][])('%s', async (_, args, env, code, words) => {
    const pipe = open(args, env);
    pipe.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(await pipe.exit(10_000)).toEqual({ code, signal: null });
    expect(pipe.lines).toEqual([]);
    expect(pipe.stderr).toMatch(words);
    expect(pipe.stderr).not.toContain('secret-word');
    expect(pipe.stderr).not.toMatch(/\n\s+at /);
  });

  test('a workspace that is a file', async () => {
    const file = path.join(folder, 'a-file');
    writeFileSync(file, '');
    const pipe = open(['--workspace', file]);
    expect((await pipe.exit()).code).toBe(3);
    expect(pipe.stderr).toContain('not a directory');
  });

  test('a database without our schema names the command that mends it', async () => {
    const empty = await createDatabase({ empty: true });
    try {
      const pipe = open([], { DATABASE_URL: empty.url('admin') });
      expect((await pipe.exit()).code).toBe(5);
      expect(pipe.stderr).toContain('patchdiff db migrate');
      expect(pipe.lines).toEqual([]);
    } finally {
      await empty.drop();
    }
  });
});

test.each(['--help', '-h'])('%s explains on stdout, since nobody is served', async (option) => {
  const pipe = open([option]);
  expect((await pipe.exit()).code).toBe(0);
  expect(pipe.lines.join('\n')).toContain('Usage: patchdiff mcp');
  expect(pipe.stderr).toBe('');
});

describe('a good start', () => {
  test('answers the handshake within 5 s, two at once', async () => {
    // 5 s are meant for a machine with nothing else to do, where Node itself starts in about 50 ms; a busy one gets in proportion.
    const limit = Math.max(5_000, 100 * (await bareStart()));
    const began = Date.now();
    const both = [open(), open(['--workspace', folder])];
    const hellos = await Promise.all(both.map((pipe) => pipe.initialize()));
    expect(Date.now() - began).toBeLessThan(limit);
    for (const hello of hellos) expect(hello.result).toMatchObject({ serverInfo: { name: 'patchdiff' } });
    for (const pipe of both) pipe.child.stdin.end();
    for (const pipe of both) expect((await pipe.exit()).code).toBe(0);
  });

  async function bareStart(): Promise<number> {
    const began = Date.now();
    const bare = new RawPipe(['-e', '']);
    await bare.exit();
    return Date.now() - began;
  }

  test('a flag wins over its variable', async () => {
    const pipe = open(['--profile', 'workspace'], { PATCHDIFF_MCP_PROFILE: 'full' });
    await pipe.initialize();
    expect((await pipe.request(1, 'tools/list')).result?.['tools']).toHaveLength(5);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('%s closes the pool and ends the process', async (signal) => {
    const pipe = open();
    await pipe.initialize();
    await pipe.call(1, 'patchdiff_list_targets', {});
    pipe.child.kill(signal);
    expect(await pipe.exit(5_000)).toEqual({ code: 0, signal: null });
  });

  test('the end of the input ends it although the pool is alive', async () => {
    const pipe = open();
    await pipe.initialize();
    await pipe.call(1, 'patchdiff_list_targets', {});
    pipe.child.stdin.end();
    expect(await pipe.exit(5_000)).toEqual({ code: 0, signal: null });
  });

  test('compact mode shortens accepted submissions and nothing else', async () => {
    const target_file_id = '11111111-2222-4333-8444-555555555555';
    const pipe = open([], { PATCHDIFF_MCP_RESPONSE_MODE: 'compact' });
    await pipe.initialize();
    await pipe.call(1, 'patchdiff_initialize_target', { target_file_id, display_name: 'c', content: 'one\n' });
    const submission = { target_file_id, intent: 'x', expected_target_version: 0, edits: [{ match: 'one', replace: 'two' }] };
    const accepted = (await pipe.call(2, 'patchdiff_submit_edits', submission)).result?.['structuredContent'];
    expect(accepted).toMatchObject({ status: 'accepted', version: 1, validity: {} });
    expect(accepted).not.toHaveProperty('evidence');
    const rejected = (await pipe.call(3, 'patchdiff_submit_edits', submission)).result?.['structuredContent'];
    expect(rejected).toMatchObject({ status: 'rejected', current_version: 1, before_version: 1 });
  });
});

describe('a database that goes away while serving', () => {
  test('calls fail with a code, the session lives, and calls work again when it is back', async () => {
    const pipe = open([], { PATCHDIFF_LOG_LEVEL: 'debug' });
    await pipe.initialize();
    expect((await pipe.call(1, 'patchdiff_list_targets', {})).result?.['isError']).toBeUndefined();
    const other = await createDatabase({ empty: true });
    const admin = await other.client('admin');
    try {
      await admin.query(`alter database ${database.name} allow_connections false`);
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1`, [database.name]);
      const failed = await pipe.call(2, 'patchdiff_list_targets', {});
      expect(failed.result).toMatchObject({ isError: true });
      expect(failed.result).not.toHaveProperty('structuredContent');
      const [content] = failed.result?.['content'] as [{ text: string }];
      expect(JSON.parse(content.text)).toMatchObject({
        status: 'error',
        code: expect.stringMatching(/^[a-z_]+$/) as string,
        message: expect.any(String) as string,
        next_step: expect.any(String) as string,
      });
      const target_file_id = '00000000-0000-4000-8000-000000000000';
      const submission = { target_file_id, intent: 'x', expected_target_version: 0, edits: [{ match: 'a', replace: 'b' }] };
      const submitted = await pipe.call(3, 'patchdiff_submit_edits', submission);
      expect(submitted.result).toMatchObject({ isError: true });
    } finally {
      await admin.query(`alter database ${database.name} allow_connections true`);
      await other.drop();
    }
    expect((await pipe.call(4, 'patchdiff_list_targets', {})).result?.['isError']).toBeUndefined();
    expect(() => pipe.replies()).not.toThrow();
  });
});
