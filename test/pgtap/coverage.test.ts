import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.ts';

const database = useDatabase();
const folder = import.meta.dirname;

/** What the suite runs, without its comments and without the lists of names that pin the schema. */
const suite = readdirSync(folder)
  .filter((name) => name.endsWith('.sql') && name !== 'schema.sql')
  .map((name) => readFileSync(path.join(folder, name), 'utf8').replace(/--.*$/gm, ''))
  .join('\n');

/** The names that no file of the suite calls or reads. */
async function unnamed(sql: string, isNamed: (name: string) => boolean): Promise<string[]> {
  const client = await database.client('admin');
  const { rows } = await client.query<{ name: string }>(sql);
  expect(rows.length).toBeGreaterThan(0);
  return rows.map(({ name }) => name).filter((name) => !isNamed(name));
}

const escaped = (name: string): string => name.replaceAll('.', '\\.');

test('every routine that something outside enters is called by the suite', async () => {
  // In the store these are the ones that close the search path themselves: what is called by hand, and the triggers' function.
  const entered = `
    select distinct p.oid::regproc::text as name from pg_proc as p
    where p.pronamespace::regnamespace::text in ('patchdiff', 'patchdiff_audit', 'patchdiff_guard')
    or (p.pronamespace = 'patchdiff_store'::regnamespace and p.proconfig is not null and p.prorettype <> 'trigger'::regtype)
    order by 1`;
  const called = (name: string): boolean => new RegExp(`\\b${escaped(name)}\\s*\\(`).test(suite);
  // An event trigger's function is never called: the suite asks for what it raises.
  expect((await unnamed(entered, called)).filter((name) => name !== 'patchdiff_guard.forbid_ddl')).toEqual([]);
});

test('every view is read, and every table and trigger named, by the suite', async () => {
  const relations = `
    select c.oid::regclass::text as name from pg_class as c
    where (c.relnamespace = 'patchdiff_audit'::regnamespace and c.relkind = 'v')
    or (c.relnamespace = 'patchdiff_store'::regnamespace and c.relkind = 'r') order by 1`;
  const named = (name: string): boolean => new RegExp(`\\b${escaped(name.replace('patchdiff_store.', ''))}\\b`).test(suite);
  expect(await unnamed(relations, named)).toEqual([]);
  const triggers = `select distinct t.tgname as name from pg_trigger as t where t.tgrelid::regclass::text like 'patchdiff_store.%' and not t.tgisinternal`;
  expect(await unnamed(triggers, (name) => suite.includes(name))).toEqual([]);
});

test('every SQLSTATE that a routine of ours raises is asserted by the suite', async () => {
  const raised = `
    select distinct (regexp_matches(p.prosrc, 'PD[0-9]{3}', 'g'))[1] as name from pg_proc as p
    where p.pronamespace::regnamespace::text like 'patchdiff%' order by 1`;
  // Of a server that is too old or not in UTF-8, or of another login's roles, no database of this suite is.
  const elsewhere = ['PD003', 'PD004'];
  expect((await unnamed(raised, (name) => new RegExp(`'${name}\\b`).test(suite))).filter((name) => !elsewhere.includes(name))).toEqual([]);
});
