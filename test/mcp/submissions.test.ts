import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { useDatabase } from '../helpers/database.ts';
import { SERVER, RawPipe } from './support/raw-pipe.ts';

const database = useDatabase();
const TARGET = '5a5a5a5a-0000-4000-8000-00000000000a';
let pipe: RawPipe;
let id = 0;

beforeAll(async () => {
  pipe = new RawPipe(SERVER, [], { DATABASE_URL: database.url('writer') });
  await pipe.initialize();
  await pipe.call('create', 'patchdiff_initialize_target', { target_file_id: TARGET, display_name: 'd', content: 'alpha\nbeta\n' });
});

afterAll(() => pipe.kill());

/** Sends the arguments' JSON text as it is and returns the receipt. */
async function submit(argumentsText: string, tool = 'patchdiff_submit_edits'): Promise<Record<string, unknown>> {
  id += 1;
  pipe.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${tool}","arguments":${argumentsText}}}\n`);
  const { result } = await pipe.reply((reply) => reply.id === id);
  expect(result?.['isError']).toBeUndefined();
  return result?.['structuredContent'] as Record<string, unknown>;
}

async function rows(): Promise<number> {
  const admin = await database.client('admin');
  const found = await admin.query<{ count: string }>('select count(*) from patchdiff_store.append_only_pdcp_logs');
  await admin.end();
  return Number(found.rows[0]?.count);
}

const EDITS = '"edits":[{"match":"alpha","replace":"x"}]';
const HEAD = `"target_file_id":"${TARGET}","intent":"try"`;

describe('every submission to a known target that is an object leaves exactly one row', () => {
  test.each([
    ['an empty object but for the target', `{"target_file_id":"${TARGET}"}`, 'context_missing'],
    ['no guard', `{${HEAD},${EDITS}}`, 'context_missing'],
    ['a misspelt guard', `{${HEAD},"expected_version":0,${EDITS}}`, 'context_missing'],
    ['a guard that is a boolean', `{${HEAD},"expected_target_version":false,${EDITS}}`, 'context_invalid'],
    ['a guard beyond 2^53, which arrived rounded', `{${HEAD},"expected_target_version":9007199254740993,${EDITS}}`, 'context_invalid'],
    ['a guard that is a fraction', `{${HEAD},"expected_target_version":0.5,${EDITS}}`, 'context_invalid'],
    ['a guard that is not finite', `{${HEAD},"expected_target_version":1e400,${EDITS}}`, 'context_invalid'],
    ['an unknown field', `{${HEAD},"expected_target_version":0,${EDITS},"extra":{"a":[1.5,"é"]}}`, 'manifest_invalid'],
    ['edits as a string', `{${HEAD},"expected_target_version":0,"edits":"[]"}`, 'manifest_missing'],
    ['items as strings', `{${HEAD},"expected_target_version":0,"edits":["{}"]}`, 'block_malformed'],
    ['a lone surrogate', `{${HEAD},"expected_target_version":0,"edits":[{"match":"\\ud800","replace":"x"}]}`, 'target_encoding_invalid'],
    ['a NUL in a name', `{${HEAD},"expected_target_version":0,${EDITS},"\\u0000":1}`, 'target_encoding_invalid'],
    ['a bad key', `{${HEAD},"expected_target_version":0,${EDITS},"client_request_id":"a b"}`, 'context_invalid'],
    ['a parent of nobody', `{${HEAD},"expected_target_version":0,${EDITS},"parent_pdcp_log_id":"${TARGET}"}`, 'context_invalid'],
    ['names of Object.prototype', `{${HEAD},"expected_target_version":0,${EDITS},"constructor":1}`, 'manifest_invalid'],
    ['65 levels', `{${HEAD},"expected_target_version":0,"edits":${'['.repeat(64)}${']'.repeat(64)}}`, 'manifest_invalid'],
    ['100,000 levels', `{${HEAD},"expected_target_version":0,"edits":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'manifest_invalid'],
    [
      '5 MiB',
      `{${HEAD},"expected_target_version":0,"edits":[{"match":"alpha","replace":"${'x'.repeat(5 * 1024 * 1024)}"}]}`,
      'manifest_invalid',
    ],
    ['2,001 edits', `{${HEAD},"expected_target_version":0,"edits":[${'{"match":"a","replace":"b"},'.repeat(2000)}{}]}`, 'manifest_invalid'],
  ])('%s', async (_, text, reason) => {
    const before = await rows();
    const receipt = await submit(text);
    expect(receipt).toMatchObject({ status: 'rejected', failure_reason: reason, pdcp_log_id: expect.any(String) as string });
    expect(await rows()).toBe(before + 1);
  });
});

describe('without a target there is no row, and the answer says so', () => {
  test.each([
    ['no arguments', '{}', 'context_invalid'],
    ['a malformed id', '{"target_file_id":"x"}', 'context_invalid'],
    ['an id that is a number', '{"target_file_id":5}', 'context_invalid'],
    ['an unknown id', '{"target_file_id":"00000000-0000-4000-8000-000000000000"}', 'target_not_found'],
  ])('%s', async (_, text, reason) => {
    const before = await rows();
    for (const tool of ['patchdiff_submit_edits', 'patchdiff_submit_operations', 'patchdiff_submit_replacement']) {
      expect(await submit(text, tool)).toMatchObject({ status: 'rejected', failure_reason: reason, pdcp_log_id: null });
    }
    expect(await rows()).toBe(before);
  });
});

describe('a call that waits for a lock', () => {
  const submission = (text: string): object => ({
    target_file_id: TARGET,
    intent: 'wait',
    expected_target_version: 0,
    edits: [{ match: 'alpha', replace: text }],
  });

  async function whileLocked(work: () => Promise<void>): Promise<void> {
    const other = await database.client('admin');
    await other.query('begin');
    await other.query('select from patchdiff_store.cloud_target_files where target_file_id = $1 for update', [TARGET]);
    await work();
    await other.query('rollback');
    await other.end();
  }

  async function waiting(): Promise<number> {
    const admin = await database.client('admin');
    const found = await admin.query<{ count: string }>(
      `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    await admin.end();
    return Number(found.rows[0]?.count);
  }

  async function untilWaiting(wanted: number): Promise<void> {
    for (let tries = 0; tries < 100; tries += 1) {
      if ((await waiting()) === wanted) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`never ${wanted} waiting`);
  }

  test('is cancelled in the database when the host cancels it, and leaves no row', async () => {
    const before = await rows();
    await whileLocked(async () => {
      pipe.send({
        jsonrpc: '2.0',
        id: 'slow',
        method: 'tools/call',
        params: { name: 'patchdiff_submit_edits', arguments: submission('a') },
      });
      await untilWaiting(1);
      pipe.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } });
      await untilWaiting(0);
    });
    expect((await pipe.request('after-cancel', 'ping')).result).toBeDefined();
    expect(pipe.replies().some((reply) => reply.id === 'slow')).toBe(false);
    expect(await rows()).toBe(before);
  });

  test('is cancelled in the database when the server is told to end', async () => {
    const other = new RawPipe(SERVER, [], { DATABASE_URL: database.url('writer') });
    await other.initialize();
    await whileLocked(async () => {
      other.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'patchdiff_submit_edits', arguments: submission('b') } });
      await untilWaiting(1);
      other.child.kill('SIGTERM');
      expect(await other.exit()).toEqual({ code: 0, signal: null });
      await untilWaiting(0);
    });
  });

  test('ends as a failure with a code when the lock does not come, never as a rejection', async () => {
    const before = await rows();
    await whileLocked(async () => {
      const { result } = await pipe.call('locked', 'patchdiff_submit_edits', submission('c'));
      expect(result).toMatchObject({ isError: true });
      const [content] = result?.['content'] as [{ text: string }];
      expect(JSON.parse(content.text)).toMatchObject({ status: 'error', code: 'lock_timeout' });
    });
    expect(await rows()).toBe(before);
  });
});
