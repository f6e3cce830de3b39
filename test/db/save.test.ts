import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { untilBlocked } from '../helpers/blocked.ts';
import { useDatabase } from '../helpers/database.ts';

const database = useDatabase();
let a: pg.Client;
let b: pg.Client;
let watcher: pg.Client;

beforeAll(async () => {
  a = await database.client('writer');
  b = await database.client('writer');
  watcher = await database.client('admin');
});

async function one(client: pg.Client, sql: string, values: unknown[]): Promise<Record<string, unknown>> {
  const { rows } = await client.query<Record<string, unknown>>(sql, values);
  return rows[0] ?? {};
}

const create = (client: pg.Client, id: string, content = 'text') =>
  one(client, `select * from patchdiff.create_target($1, 'doc', $2)`, [id, content]);
const save = (client: pg.Client, id: string, key: string | null = null) =>
  one(client, 'select * from patchdiff.save_target($1, p_client_request_id => $2)', [id, key]);

/** Replaces the whole content, as a caller would, and answers the receipt's outcome. */
async function edit(client: pg.Client, id: string, content: string): Promise<unknown> {
  const receipt = await one(
    client,
    `select r.outcome
     from patchdiff.read_head($1) as h
     cross join lateral patchdiff.commit_attempt(
       $1,
       '{"expected_current_hash":null,"expected_target_version":' || h.version
         || ',"format":"patchdiff-tx/3","intent":"edit","operations":[{"op":"replace_all","replace":' || to_json($2::text)
         || '}],"target_file_id":"' || $1::text || '"}',
       null, null, null, null, null, h.current_hash, 'accepted', array[0], encode(sha256(convert_to($2, 'UTF8')), 'hex'), null, null
     ) as r`,
    [id, content],
  );
  return receipt['outcome'];
}

test('two creations of one id: the second waits, then finds the first', async () => {
  const id = randomUUID();
  await a.query('begin');
  expect(await create(a, id)).toMatchObject({ outcome: 'created' });
  const second = create(b, id);
  await untilBlocked(watcher, b);
  await a.query('commit');
  expect(await second).toMatchObject({ outcome: 'existing', chain_sequence: '1' });
});

test('a creation that is rolled back leaves the id to the second', async () => {
  const id = randomUUID();
  await a.query('begin');
  await create(a, id);
  const second = create(b, id, 'other');
  await untilBlocked(watcher, b);
  await a.query('rollback');
  expect(await second).toMatchObject({ outcome: 'created' });
});

test('two SAVEs under one key: one checkpoint, one receipt', async () => {
  const id = randomUUID();
  await create(a, id);
  expect(await edit(a, id, 'two')).toBe('accepted');
  await a.query('begin');
  const first = await save(a, id, 'key');
  expect(first).toMatchObject({ outcome: 'checkpointed', deduplicated: false });
  const second = save(b, id, 'key');
  await untilBlocked(watcher, b);
  await a.query('commit');
  expect(await second).toEqual({ ...first, deduplicated: true });
});

test('a SAVE that waits for an edit saves the edited content', async () => {
  const id = randomUUID();
  await create(a, id);
  await a.query('begin');
  expect(await edit(a, id, 'two')).toBe('accepted');
  const saved = save(b, id);
  await untilBlocked(watcher, b);
  await a.query('commit');
  expect(await saved).toMatchObject({ outcome: 'checkpointed', version: '1', editing_cycle: 2 });
  expect(await edit(b, id, 'three')).toBe('accepted');
  const { rows } = await watcher.query('select * from patchdiff_audit.verify_target($1)', [id]);
  expect(rows).toEqual([]);
});

test('at repeatable read a target that moved is a serialization failure', async () => {
  const id = randomUUID();
  await create(a, id);
  await b.query('begin isolation level repeatable read');
  await b.query('select 1 from patchdiff.read_head($1)', [id]);
  // Not even the version moved: a rejected attempt advances the head alone.
  await one(a, `select * from patchdiff.commit_attempt($1, '{}', null, null, null, null, null, null, 'none', null, null, null, null)`, [id]);
  await expect(save(b, id)).rejects.toMatchObject({ code: '40001' });
  await b.query('rollback');
});

test('at repeatable read a key that a SAVE took since the snapshot is a serialization failure, no broken key', async () => {
  const id = randomUUID();
  await create(a, id);
  await b.query('begin isolation level repeatable read');
  await b.query('select 1 from patchdiff.read_head($1)', [id]);
  // Nothing but the key is written.
  expect(await save(a, id, 'key')).toMatchObject({ outcome: 'unchanged' });
  await expect(save(b, id, 'key')).rejects.toMatchObject({ code: '40001' });
  await b.query('rollback');
  expect(await save(b, id, 'key')).toMatchObject({ outcome: 'unchanged', deduplicated: true });
});

test("a session's checks of PL/pgSQL break nothing", async () => {
  const strict = await database.client('writer');
  await strict.query("set plpgsql.extra_errors = 'all'");
  const id = randomUUID();
  const workspace = JSON.stringify({ root: '/w', path: 'strict', root_device: '1', root_inode: '2' });
  await strict.query(`select patchdiff.create_target($1, 'doc', 'text', null, $2)`, [id, workspace]);
  expect(await save(strict, id, 'key')).toMatchObject({ outcome: 'unchanged' });
  expect(await save(strict, id, 'key')).toMatchObject({ deduplicated: true });
  const opened = await one(
    strict,
    `select r.* from patchdiff.read_head($1) as h, patchdiff.open_publication(
      $1, null, null, h.version, h.current_hash, null, h.current_hash, h.content_bytes) as r`,
    [id],
  );
  await one(strict, 'select patchdiff.lock_publication($1, $2)', [id, opened['publication_id']]);
  await one(strict, `select patchdiff.record_publication($1, $2, 'published')`, [id, opened['publication_id']]);
  await one(strict, 'select patchdiff.lock_history($1)', [id]);
  await one(strict, 'select patchdiff_audit.reconstruct($1, 0)', [id]);
  await one(strict, 'select patchdiff_audit.verify_target($1)', [id]);
});

test('a lock that is held too long is an infrastructure error, after five seconds', async () => {
  const id = randomUUID();
  await create(a, id);
  await a.query('begin');
  await a.query('select 1 from patchdiff.lock_history($1)', [id]);
  await expect(save(b, id)).rejects.toMatchObject({ code: '55P03' });
  await a.query('rollback');
  expect(await save(b, id)).toMatchObject({ outcome: 'unchanged' });
});

test('reads and foreign keys pass a lock', async () => {
  const id = randomUUID();
  await create(a, id);
  await a.query('begin');
  await a.query('select 1 from patchdiff.lock_history($1)', [id]);
  expect(await one(b, 'select version from patchdiff.read_target($1)', [id])).toEqual({ version: '0' });
  await watcher.query('begin');
  await watcher.query('set local lock_timeout = 200');
  await watcher.query('select from patchdiff_store.cloud_target_files where target_file_id = $1 for key share', [id]);
  await watcher.query('rollback');
  await a.query('rollback');
});
