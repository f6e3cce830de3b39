import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dumpSchema } from '../../scripts/catalog.ts';
import { committedMigrations, DATABASE_FOLDER } from '../../src/db/committed.ts';
import { withQueries } from '../../src/db/connect.ts';
import { commitCurrent, migrateDatabase } from '../../src/db/migrate.ts';
import { createDatabase, type TestDatabase, useDatabase } from '../helpers/database.ts';

const template = useDatabase();
let folder: string;
let main: TestDatabase;
let urls: { main: string; shadow: string; root: string };

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-commit-'));
  for (const part of ['current', 'procedures', 'committed']) {
    if (existsSync(path.join(DATABASE_FOLDER, part))) cpSync(path.join(DATABASE_FOLDER, part), path.join(folder, part), { recursive: true });
  }
  symlinkSync('procedures', path.join(folder, 'fixtures'));
  writeFileSync(path.join(folder, 'current', '900-probe.sql'), "comment on schema public is 'probe';\n");
  main = await createDatabase({ empty: true });
  const shadow = new URL(main.url('admin'));
  shadow.pathname = `/${main.name}_shadow`;
  urls = { main: main.url('admin'), shadow: shadow.href, root: template.url('admin') };
});

afterAll(async () => {
  await main.drop();
  await withQueries(template.url('admin'), (run) => run(`drop database if exists ${main.name}_shadow`));
  rmSync(folder, { recursive: true, force: true });
});

test('the open migration is frozen with its includes and leaves one empty file; what ships alone gives the same schema', async () => {
  const earlier = committedMigrations(folder).length;
  await commitCurrent(urls, 'probe the commit', { folder });
  const committed = committedMigrations(folder);
  expect(committed.map((migration) => migration.sound)).toEqual(committed.map(() => true));
  expect(committed).toHaveLength(earlier + 1);
  expect(committed.at(-1)?.file).toMatch(/-probe-the-commit\.sql$/);
  const current = path.join(folder, 'current');
  const left = readdirSync(current);
  expect(left).toHaveLength(1);
  expect(readFileSync(path.join(current, left[0] as string), 'utf8')).toMatch(/^--[^\n]*\n$/);

  for (const part of ['current', 'procedures', 'fixtures']) rmSync(path.join(folder, part), { recursive: true });
  const fresh = await createDatabase({ empty: true });
  try {
    expect((await migrateDatabase(fresh.url('admin'), { folder })).after.state).toBe('current');
    expect(await dumpSchema(await fresh.client('admin'))).toBe(await dumpSchema(await template.client('admin')));
  } finally {
    await fresh.drop();
  }
});

test('a text that holds a placeholder of graphile-migrate is refused', async () => {
  const other = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-placeholder-'));
  try {
    cpSync(folder, other, { recursive: true });
    cpSync(path.join(DATABASE_FOLDER, 'current'), path.join(other, 'current'), { recursive: true });
    writeFileSync(path.join(other, 'current', '900-probe.sql'), "comment on schema public is ':DATABASE_NAME';\n");
    await expect(commitCurrent(urls, 'placeholder', { folder: other })).rejects.toThrow(/900-probe\.sql holds :DATABASE_NAME/);
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});
