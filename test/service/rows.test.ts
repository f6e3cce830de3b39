import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/pool.ts';
import { createService, type JsonObject } from '../../src/service/index.ts';
import { edit, newTarget, useService } from './support/service.ts';

const context = useService();
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const entriesOf = async (id: string): Promise<JsonObject[]> =>
  (await context.service.getPdcpLog({ target_file_id: id, limit: 200 }))['entries'] as JsonObject[];

async function attemptsInAll(): Promise<number> {
  const admin = await context.server.client('admin');
  const { rows } = await admin.query<{ count: number }>('select count(*)::integer as count from patchdiff_store.append_only_pdcp_logs');
  await admin.end();
  return rows[0]?.count ?? -1;
}

describe('a submission that is refused leaves a row, the text as it was and its own reason', () => {
  test.each<[string, (id: string) => JsonObject, string]>([
    ['a stale guard', (id) => edit(id, 7, 'one', 'x'), 'target_version_mismatch'],
    ['a hash of another text', (id) => edit(id, 0, 'one', 'x', { expected_current_hash: '0'.repeat(64) }), 'target_hash_mismatch'],
    ['no guard', (id) => ({ ...edit(id, 0, 'one', 'x'), expected_target_version: null }), 'context_missing'],
    ['an absent text', (id) => edit(id, 0, 'nowhere', 'x'), 'match_absent'],
    ['an ambiguous text', (id) => edit(id, 0, 'two', 'x'), 'match_ambiguous'],
    ['edits that are none', (id) => edit(id, 0, 'one', 'x', { edits: 5 }), 'manifest_missing'],
    ['an unknown field', (id) => edit(id, 0, 'one', 'x', { misspelt: 1 }), 'manifest_invalid'],
    ['a malformed key', (id) => edit(id, 0, 'one', 'x', { client_request_id: 'a b' }), 'context_invalid'],
    ['a parent of nobody', (id) => edit(id, 0, 'one', 'x', { parent_pdcp_log_id: UNKNOWN }), 'context_invalid'],
    ['text that cannot be stored', (id) => edit(id, 0, 'one', '\ud83d'), 'target_encoding_invalid'],
    [
      'nesting without end',
      (id) => edit(id, 0, 'one', 'x', { edits: JSON.parse('['.repeat(99) + ']'.repeat(99)) as JsonObject[] }),
      'manifest_invalid',
    ],
  ])('%s', async (_, args, reason) => {
    const id = await newTarget(context.service, 'one two two\n');
    const receipt = await context.service.submit('patchdiff-tx/1', args(id));
    expect(receipt).toMatchObject({ status: 'rejected', failure_reason: reason });
    expect(await entriesOf(id)).toMatchObject([
      { pdcp_log_id: receipt['pdcp_log_id'], status: 'rejected', failure_reason: reason, before_version: 0, after_version: 0 },
    ]);
    expect(await context.service.readTarget({ target_file_id: id })).toMatchObject({ version: 0, text: 'one two two\n' });
  });

  test('a key that stands for another request', async () => {
    const id = await newTarget(context.service, 'one\n');
    await context.service.submit('patchdiff-tx/1', edit(id, 0, 'one', 'two', { client_request_id: 'k' }));
    await context.service.submit('patchdiff-tx/1', edit(id, 0, 'one', 'three', { client_request_id: 'k' }));
    expect((await entriesOf(id)).map((entry) => entry['failure_code'] ?? entry['failure_reason'] ?? entry['status'])).toHaveLength(2);
  });
});

describe('what is outside the log leaves none', () => {
  test.each<[string, (id: string) => Promise<JsonObject>, string]>([
    ['an unknown target', () => context.service.submit('patchdiff-tx/1', edit(UNKNOWN, 0, 'a', 'b')), 'rejected'],
    ['a malformed id', () => context.service.submit('patchdiff-tx/1', edit('x', 0, 'a', 'b')), 'rejected'],
    ['arguments that are no object', () => context.service.submit('patchdiff-tx/1', 'x'), 'rejected'],
    ['a preview', (id) => context.service.preview({ ...edit(id, 0, 'one', 'x'), format: 'patchdiff-tx/1' }), 'would_accept'],
    ['a preview of a refusal', (id) => context.service.preview({ ...edit(id, 9, 'one', 'x'), format: 'patchdiff-tx/1' }), 'would_reject'],
    ['a read with a bad argument', (id) => context.service.readTarget({ target_file_id: id, start: -1 }), 'invalid_argument'],
    ['a search that finds nothing', (id) => context.service.findOccurrences({ target_file_id: id, text: 'nowhere' }), 'ok'],
    ['the log of an unknown target', () => context.service.getPdcpLog({ target_file_id: UNKNOWN }), 'not_found'],
    ['an import without a workspace', () => context.service.initializeTarget({ from_workspace: true, path: 'x' }), 'rejected'],
  ])('%s', async (_, call, status) => {
    const id = await newTarget(context.service, 'one\n');
    const before = await attemptsInAll();
    expect(await call(id)).toMatchObject({ status });
    expect(await attemptsInAll()).toBe(before);
  });

  test('a repeat under its key', async () => {
    const id = await newTarget(context.service, 'one\n');
    const args = edit(id, 0, 'gone', 'x', { client_request_id: 'k' });
    for (let time = 0; time < 3; time += 1) await context.service.submit('patchdiff-tx/1', args);
    expect(await entriesOf(id)).toHaveLength(1);
  });

  test('a login without rights: an error, and nothing applied', async () => {
    const id = await newTarget(context.service, 'one\n');
    const database = openDatabase({ connectionString: context.server.url('auditor') });
    try {
      const service = createService({ database, actor: null });
      await expect(service.submit('patchdiff-tx/1', edit(id, 0, 'one', 'x'))).rejects.toThrow();
    } finally {
      await database.close();
    }
    expect(await entriesOf(id)).toEqual([]);
  });

  test('a log that cannot be written: an error, and the edit is not applied', async () => {
    const id = await newTarget(context.service, 'one\n');
    const admin = await context.server.client('admin');
    await admin.query('begin');
    await admin.query('lock table patchdiff_store.append_only_pdcp_logs in share mode');
    await expect(context.service.submit('patchdiff-tx/1', edit(id, 0, 'one', 'x'))).rejects.toMatchObject({ name: 'DatabaseError' });
    await admin.query('rollback');
    expect(await context.service.readTarget({ target_file_id: id })).toMatchObject({ version: 0, text: 'one\n' });
    expect(await entriesOf(id)).toEqual([]);
    expect(await context.service.submit('patchdiff-tx/1', edit(id, 0, 'one', 'x'))).toMatchObject({ status: 'accepted', version: 1 });
  });
});
