import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { dumpSchema, SCHEMAS } from '../../scripts/catalog.ts';
import { describeModel, undescribed } from '../../scripts/data-model.ts';
import { DATABASE_FOLDER } from '../../src/db/committed.ts';
import { PACKAGE_ROOT } from '../helpers/build.ts';
import { useDatabase } from '../helpers/database.ts';

const database = useDatabase();
const procedures = path.join(DATABASE_FOLDER, 'procedures');
const files = readdirSync(procedures, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sql'));

test('the deployed procedures are the living ones: applying all of db/procedures again changes nothing', async () => {
  const admin = await database.client('admin');
  const before = await dumpSchema(admin);
  const guard = (file: string) => file.startsWith('patchdiff_guard/');
  const apply = async (name: string) => admin.query(readFileSync(path.join(procedures, name), 'utf8'));
  // In one transaction, as a migration would: the guard refuses DDL while it is on.
  await admin.query('begin; select patchdiff_guard.guard_ddl(false); set local role patchdiff_owner');
  for (const file of files.filter((name) => !guard(name))) await apply(file);
  await admin.query('reset role');
  for (const file of files.filter(guard)) await apply(file);
  await admin.query('select patchdiff_guard.guard_ddl(true); commit');
  expect(await dumpSchema(admin)).toBe(before);
});

test('each routine and view has one file, named after it, and each file is deployed', async () => {
  const admin = await database.client('admin');
  const { rows } = await admin.query<{ name: string }>(
    `select format('%s/%s.sql', n.nspname, p.proname) as name from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace where n.nspname = any ($1)
    union all
    select format('%s/%s.sql', n.nspname, c.relname) from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where n.nspname = any ($1) and c.relkind = 'v'`,
    [SCHEMAS],
  );
  expect(rows.map((row) => row.name).sort()).toEqual([...files].sort());
});

test('db/schema.sql is what the migrations build (npm run db:schema)', async () => {
  const made = await dumpSchema(await database.client('admin'));
  expect(made).toBe(readFileSync(path.join(DATABASE_FOLDER, 'schema.sql'), 'utf8'));
});

test('docs/spec/data-model.md is what the comments say (npm run db:docs), and nothing lacks a comment', async () => {
  const admin = await database.client('admin');
  expect(await undescribed(admin)).toEqual([]);
  expect(await describeModel(admin)).toBe(readFileSync(path.join(PACKAGE_ROOT, 'docs/spec/data-model.md'), 'utf8'));
});
