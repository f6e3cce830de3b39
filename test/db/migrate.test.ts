import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withQueries } from '../../src/db/connect.ts';
import { committedMigrations } from '../../src/db/committed.ts';
import { migrateDatabase, RevisionError } from '../../src/db/migrate.ts';
import { checkRevision, requireSupportedServer, type RevisionState } from '../../src/db/revision.ts';
import { built } from '../helpers/build.ts';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';
import { migrationsFolder } from '../helpers/migrations.ts';
import { runNode, startNode } from '../helpers/process.ts';

const ONE = 'create table public.one (n integer);';
const TWO = 'create table public.two (n integer);';
const SLOW = 'select pg_sleep(0.5); create table public.slow (n integer);';

let database: TestDatabase;
let url: string;
const folders: string[] = [];

beforeEach(async () => {
  database = await createDatabase({ empty: true });
  url = database.url('admin');
});

afterEach(async () => {
  await database.drop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folderOf(...bodies: string[]): string {
  const folder = migrationsFolder(bodies);
  folders.push(folder);
  return folder;
}

/** A process of its own that migrates and prints the states before and after. */
function migrateScript(dist: string, folder?: string): string[] {
  const script = `import { migrateDatabase } from ${JSON.stringify(path.join(dist, 'db/migrate.js'))};
    const { before, after } = await migrateDatabase(${JSON.stringify(url)}, ${JSON.stringify(folder ? { folder } : {})});
    console.log(before.state, after.state);`;
  return ['--input-type=module', '-e', script];
}

const revision = (folder: string) => withQueries(url, (run) => checkRevision(run, folder));

async function expectState(folder: string, state: RevisionState, command: string | null) {
  expect(await revision(folder)).toMatchObject({ state, command });
}

test('a fresh database is missing, a migrated one current, and each later migration makes it behind', async () => {
  const one = folderOf(ONE);
  await expectState(one, 'missing', 'patchdiff db migrate');
  const outcome = await migrateDatabase(url, { folder: one });
  expect(outcome).toMatchObject({ before: { state: 'missing' }, after: { state: 'current', applied: 1, command: null } });
  const two = folderOf(ONE, TWO);
  await expectState(two, 'behind', 'patchdiff db migrate');
  expect((await migrateDatabase(url, { folder: two })).after.applied).toBe(2);
  expect((await migrateDatabase(url, { folder: two })).before.state).toBe('current');
});

test('a database that ran more than this package brings is ahead and is refused', async () => {
  await migrateDatabase(url, { folder: folderOf(ONE, TWO) });
  const older = folderOf(ONE);
  await expectState(older, 'ahead', 'npm install patchdiff@latest');
  await expect(migrateDatabase(url, { folder: older })).rejects.toThrow(RevisionError);
});

test('a database that ran another text of the same migration is edited and is refused', async () => {
  await migrateDatabase(url, { folder: folderOf(ONE) });
  const other = folderOf(TWO);
  expect((await revision(other)).state).toBe('edited');
  await expect(migrateDatabase(url, { folder: other })).rejects.toThrow(/another text of migration 000001.sql/);
  expect((await revision(folderOf(TWO, ONE))).state).toBe('edited');
});

test('a committed file whose text was edited is found without any database row', async () => {
  const folder = folderOf(ONE, TWO);
  await migrateDatabase(url, { folder });
  appendFileSync(committedMigrations(folder)[0]?.file as string, 'select 1;\n');
  expect(committedMigrations(folder).map((file) => file.sound)).toEqual([false, true]);
  expect((await revision(folder)).state).toBe('edited');
  await expect(migrateDatabase(url, { folder })).rejects.toThrow(/its text does not hash to its header/);
});

test('a row deleted from the middle is edited, not behind', async () => {
  const folder = folderOf(ONE, TWO);
  await migrateDatabase(url, { folder });
  await withQueries(url, (run) => run(
    "update graphile_migrate.migrations set previous_hash = null; delete from graphile_migrate.migrations where filename = '000001.sql'",
  ));
  expect((await revision(folder)).state).toBe('edited');
});

test('concurrent migrations of one database queue, within a process and between processes', async () => {
  const folder = folderOf(ONE, SLOW);
  const dist = await built();
  const [first, second, ...others] = await Promise.all([
    migrateDatabase(url, { folder }),
    migrateDatabase(url, { folder }),
    ...[1, 2].map(() => runNode(migrateScript(dist, folder))),
  ]);
  expect([first.after.state, second.after.state]).toEqual(['current', 'current']);
  for (const other of others) expect(other.code, other.stderr).toBe(0);
  const befores = [first.before.state, second.before.state, ...others.map((other) => other.stdout.split(' ')[0])];
  expect(befores.filter((state) => state === 'missing')).toHaveLength(1);
  expect(befores.filter((state) => state === 'current')).toHaveLength(3);
});

test('a failing migration leaves the database where it was and says where it failed', async () => {
  const folder = folderOf(ONE, 'create table public.two (n integer);\nselect nonsense from public.two;');
  await expect(migrateDatabase(url, { folder })).rejects.toThrow(/line 2, column \d+ of "000002\.sql"[\s\S]*42703: column "nonsense" does not exist/);
  expect(await revision(folder)).toMatchObject({ state: 'behind', applied: 1 });
  const [row] = await withQueries(url, (run) => run("select to_regclass('public.two') as two"));
  expect(row?.['two']).toBeNull();
});

test('a migrator that was killed does not keep others waiting', async () => {
  const folder = folderOf('select pg_sleep(600);');
  const { child, ended } = startNode(migrateScript(await built(), folder));
  await withQueries(url, async (run) => {
    while ((await run("select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'")).length === 0);
  });
  process.kill(child.pid as number, 'SIGKILL');
  await ended;
  expect((await migrateDatabase(url, { folder: folderOf(ONE) })).after.state).toBe('current');
});

test('a database that is not in UTF-8 and a server that is too old are refused', async () => {
  await withQueries(url, requireSupportedServer);
  const name = `${database.name}_latin`;
  await withQueries(url, (run) => run(`create database ${name} template template0 encoding 'LATIN1' locale 'C' locale_provider libc`));
  try {
    const latin = new URL(url);
    latin.pathname = `/${name}`;
    await expect(withQueries(latin.href, requireSupportedServer)).rejects.toThrow(/encoded in LATIN1: PatchDIFF needs UTF8/);
    await expect(migrateDatabase(latin.href, { folder: folderOf(ONE) })).rejects.toThrow(/needs UTF8/);
  } finally {
    await withQueries(url, (run) => run(`drop database ${name}`));
  }
  const old = () => Promise.resolve([{ number: 150_004, version: '15.4', encoding: 'UTF8', database: 'x' }]);
  await expect(requireSupportedServer(old)).rejects.toThrow('PostgreSQL 15.4 is too old: PatchDIFF needs 16 or newer');
});

test('our own migrations run on an empty database from any working directory', async () => {
  const dist = await built();
  const elsewhere = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-cwd-'));
  folders.push(elsewhere);
  const { stdout, stderr } = await runNode(migrateScript(dist), { cwd: elsewhere });
  expect(stdout, stderr).toMatch(/ current\n$/);
});
