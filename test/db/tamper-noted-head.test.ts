import type pg from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { edit, useService } from '../service/support/service.ts';
import { cutOff, rechain } from './support/forger.ts';
import { richTarget } from './support/rich-target.ts';
import { disarm, findings, storeTables, type StoreTable } from './support/vandal.ts';

const own = useService();
let admin: pg.Client;
let tables: StoreTable[];
let target: string;
let noted: [string, string];
const TAMPERED = [{ table_name: 'target_heads', column_name: 'chain_head', row_key: expect.stringContaining('target_file_id=') as string }];

beforeAll(async () => {
  admin = await own.server.client('admin');
  target = (await richTarget(await own.server.client('owner'), own.service, 'a.txt')).id;
  await disarm(admin);
  tables = await storeTables(admin);
  const { rows } = await admin.query<{ chain_sequence: string; chain_head: string }>('select * from patchdiff_audit.chain_head($1)', [target]);
  noted = [rows[0]!.chain_sequence, rows[0]!.chain_head];
});

beforeEach(() => admin.query('begin'));
afterEach(() => admin.query('rollback'));

describe('history written anew from a point on, every hash computed again', () => {
  test.each([
    ['the claimed actor', `update patchdiff_store.append_only_pdcp_logs set actor = '{"host": "innocent"}' where log_sequence = 5 and target_file_id = $1`],
    ['the login', `update patchdiff_store.append_only_pdcp_logs set db_session_user = 'nobody' where log_sequence = 3 and target_file_id = $1`],
    ['the time', `update patchdiff_store.append_only_pdcp_logs set created_at = created_at - interval '1 day' where client_request_id is null and target_file_id = $1`],
    ['why it was refused', `update patchdiff_store.append_only_pdcp_logs set failure_detail = 'x' where log_sequence = 4 and target_file_id = $1`],
    ['when it was saved', `update patchdiff_store.request_keys set created_at = created_at + interval '1 day' where client_request_id = 'save-2' and target_file_id = $1`],
    ['an unchanged SAVE', `delete from patchdiff_store.request_keys where client_request_id = 'save-2' and target_file_id = $1`],
  ])('%s: invisible in itself, found against a noted head', async (_, sql) => {
    expect((await admin.query(sql, [target])).rowCount).toBeGreaterThan(0);
    expect((await findings(admin, target)).length).toBeGreaterThan(0);
    await rechain(admin, target);
    expect(await findings(admin, target)).toEqual([]);
    expect(await findings(admin, target, noted)).toMatchObject(TAMPERED);
  });

  test('computing again what was not altered gives the same head', async () => {
    await rechain(admin, target);
    expect(await findings(admin, target, noted)).toEqual([]);
  });
});

describe('an acceptance whose own guard is rewritten, in payload, columns, fingerprint and chain alike', () => {
  test.each([
    ['another version', 'expected_target_version', `'77'`, `'null'`, 'an acceptance at another version'],
    ['another content', 'expected_current_hash', 'before_version::text', `to_json(repeat('0', 64))::text`, 'an acceptance of another content'],
    ['no guard', 'expected_target_version', `'null'`, `'null'`, 'an acceptance without a guard'],
  ])('%s: contradicts the state it was applied to', async (_, column, version, hash, problem) => {
    const { rowCount } = await admin.query(
      `with forged as (
         select l.log_sequence, regexp_replace(
           l.pdcp_content, '"expected_current_hash":.*?,"expected_target_version":.*?,',
           concat('"expected_current_hash":', ${hash}, ',"expected_target_version":', ${version}, ',')) as payload
         from patchdiff_store.append_only_pdcp_logs as l
         where l.target_file_id = $1 and l.status = 'accepted' and l.imported_at is null and l.client_request_id is null
         order by l.log_sequence desc
         limit 1
       )
       update patchdiff_store.append_only_pdcp_logs as l
       set pdcp_content = f.payload,
           pdcp_content_hash = encode(sha256(convert_to(f.payload, 'UTF8')), 'hex'),
           expected_target_version = (f.payload::jsonb ->> 'expected_target_version')::bigint,
           expected_current_hash = f.payload::jsonb ->> 'expected_current_hash'
       from forged as f
       where l.target_file_id = $1 and l.log_sequence = f.log_sequence`,
      [target],
    );
    expect(rowCount).toBe(1);
    await admin.query(
      `update patchdiff_store.append_only_pdcp_logs as l
       set request_fingerprint = patchdiff_store.record_fingerprint(l, to_json(l.parent_pdcp_log_id)::text)
       where l.target_file_id = $1 and l.status = 'accepted' and l.imported_at is null and l.client_request_id is null`,
      [target],
    );
    await rechain(admin, target);
    expect(await findings(admin, target)).toMatchObject([{ table_name: 'append_only_pdcp_logs', column_name: column, problem }]);
  });
});

test('a history from before creations and SAVE keys were chained verifies as it is', async () => {
  await admin.query(`update patchdiff_store.target_snapshots set creation = null, hash_version = 1 where target_file_id = $1`, [target]);
  await admin.query(
    `update patchdiff_store.request_keys set chain_sequence = null, hash_version = null, prev_hash = null, row_hash = null where target_file_id = $1`,
    [target],
  );
  await rechain(admin, target);
  expect(await findings(admin, target)).toEqual([]);
});

describe('the newest rows taken away, content and head put back', () => {
  test('invisible in itself, found against a noted head', async () => {
    await cutOff(admin, target);
    expect(await findings(admin, target)).toEqual([]);
    expect(await findings(admin, target, noted)).toMatchObject(TAMPERED);
  });

  test('still found when others have grown in their place', async () => {
    await cutOff(admin, target);
    await admin.query('commit');
    const { version } = (await own.service.readTarget({ target_file_id: target })) as { version: number };
    for (const [match, replace] of [['LINE', 'a'], ['a', 'b'], ['all', 'c']])
      await own.service.submit('patchdiff-tx/1', edit(target, version, match!, replace!));
    expect(await findings(admin, target)).toEqual([]);
    expect(await findings(admin, target, noted)).toMatchObject(TAMPERED);
  });
});

describe('what only a list of targets and heads, kept elsewhere, can show', () => {
  test('a target that was taken away whole: unknown then, and no finding of verify_all', async () => {
    for (const { name } of tables) await admin.query(`delete from patchdiff_store.${name} where target_file_id = $1`, [target]);
    expect((await admin.query('select * from patchdiff_audit.verify_all()')).rows).toEqual([]);
    await expect(findings(admin, target, noted)).rejects.toMatchObject({ code: 'PD104' });
  });

  test('a target that the owner put in by the ordinary call', async () => {
    await admin.query(`select patchdiff.create_target(null, 'planted', 'text')`);
    expect((await admin.query('select * from patchdiff_audit.verify_all()')).rows).toEqual([]);
  });
});

test('a target that was put in row by row without its chain is found', async () => {
  await admin.query(
    `insert into patchdiff_store.cloud_target_files (target_file_id, display_name, current_hash, version, content_bytes, content_chars, created_at, updated_at, current_content)
     values ('00000000-0000-0000-0000-0000000000bb', 'planted', encode(sha256('x'), 'hex'), 0, 1, 1, now(), now(), 'x')`,
  );
  const { rows } = await admin.query('select * from patchdiff_audit.verify_all()');
  expect(rows).toContainEqual(expect.objectContaining({ target_file_id: '00000000-0000-0000-0000-0000000000bb', table_name: 'target_heads' }));
});

test('a head that is set back is found by every number it holds', async () => {
  for (const { name } of tables.find(({ name }) => name === 'target_heads')!.columns.filter(({ type }) => type === 'bigint' || type === 'integer')) {
    await admin.query('savepoint before');
    await admin.query(`update patchdiff_store.target_heads set ${name} = ${name} - 1 where target_file_id = $1`, [target]);
    expect(await findings(admin, target)).toContainEqual(expect.objectContaining({ table_name: 'target_heads', column_name: name }));
    await admin.query('rollback to before');
  }
});
