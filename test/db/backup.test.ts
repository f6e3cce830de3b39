import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureServer, stopServer } from '../../src/db/embedded/index.ts';
import { migrateWithCurrent } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/pool.ts';
import { createService } from '../../src/service/index.ts';
import { blocksOf } from '../docs/blocks.ts';
import { PACKAGE_ROOT } from '../helpers/build.ts';
import { createDatabase } from '../helpers/database.ts';
import { useService } from '../service/support/service.ts';
import { expectRestored, heads } from './support/keys-recover.ts';
import { richTarget } from './support/rich-target.ts';
import { NO_HISTORY } from './support/vandal.ts';

const GUIDE = 'docs/guides/backup.md';
const own = useService();
let folder: string;
const running: string[] = [];

beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-backup-'));
  chmodSync(folder, 0o711);
});
afterAll(async () => {
  for (const home of running) await stopServer({ home });
  rmSync(folder, { recursive: true, force: true });
});

/** The statements of the guide's block with this marker, with `:'folder'` filled in. */
function statements(marker: string, prefix: string): string {
  const block = blocksOf(readFileSync(path.join(PACKAGE_ROOT, GUIDE), 'utf8')).find((each) => each.marker === `run-by test/db/backup.test.ts ${marker}`);
  if (block === undefined) throw new Error(`${GUIDE} has no block ${marker}`);
  return block.text.replace(/:'folder'\s*\|\|\s*'\/([\w.]+)'|'\/backup\/([\w.]+)'/g, (_whole, one?: string, two?: string) => `'${prefix}${one ?? two ?? ''}'`);
}

test('a copy of the stopped embedded server is the database, keys and all', { timeout: 120_000 }, async () => {
  const [home, copy] = [path.join(folder, 'home'), path.join(folder, 'copy')];
  running.push(home, copy);
  const { adminUrl, writerUrl } = await ensureServer({ home, durable: false });
  await migrateWithCurrent(adminUrl);
  const service = await using(writerUrl, adminUrl, async (made, admin) => {
    const target = await richTarget(admin, made, 'a.txt');
    return { target, before: await heads(admin) };
  });
  await stopServer({ home });
  execFileSync('cp', ['-a', home, copy]);
  const restored = await ensureServer({ home: copy, durable: false });
  await using(restored.writerUrl, restored.adminUrl, (made, admin) => expectRestored(admin, made, service.before, service.target));
});

async function using<T>(writerUrl: string, adminUrl: string, work: (service: ReturnType<typeof createService>, admin: pg.Client) => Promise<T>): Promise<T> {
  const database = openDatabase({ connectionString: writerUrl });
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    return await work(createService({ database, actor: { host: 'test' } }), admin);
  } finally {
    await admin.end();
    await database.close();
  }
}

test('table by table into a freshly migrated database, as the guide says', async () => {
  const source = await own.server.client('admin');
  const target = await richTarget(await own.server.client('owner'), own.service, 'a.txt');
  const before = await heads(source);
  const { rows } = await source.query<{ data_directory: string }>('show data_directory');
  // Where the server itself can write, in a container too.
  const prefix = `${rows[0]!.data_directory}/backup-${randomBytes(4).toString('hex')}-`;
  const copy = await createDatabase();
  const database = openDatabase({ connectionString: copy.url('writer') });
  try {
    const admin = await copy.client('admin');
    await source.query(statements('out', prefix));
    await admin.query(statements('in', prefix));
    const tables = await source.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class as c where c.relnamespace = 'patchdiff_store'::regnamespace and c.relkind = 'r'`,
    );
    for (const { name } of tables.rows.filter((table) => !(table.name.replace('patchdiff_store.', '') in NO_HISTORY))) {
      const all = `select md5(string_agg(t::text, ',' order by t::text)) as digest from ${name} as t`;
      expect((await admin.query(all)).rows, `${name} is in the guide`).toEqual((await source.query(all)).rows);
    }
    await expectRestored(admin, createService({ database, actor: { host: 'test' } }), before, target);
    // The guards of the fresh database are its own, and on.
    await expect(admin.query('delete from patchdiff_store.append_only_pdcp_logs')).rejects.toMatchObject({ code: 'PD001' });
    await expect(admin.query('alter table patchdiff_store.target_heads disable trigger all')).rejects.toMatchObject({ code: 'PD002' });
  } finally {
    await source.query(`copy (select 1) to program 'cat > /dev/null; rm -f ${prefix}*'`);
    await database.close();
    await copy.drop();
  }
});

test('a dump that was edited on its way is found', async () => {
  const source = await own.server.client('admin');
  const copy = await createDatabase();
  try {
    const admin = await copy.client('admin');
    const { rows } = await source.query<{ data_directory: string }>('show data_directory');
    const prefix = `${rows[0]!.data_directory}/backup-${randomBytes(4).toString('hex')}-`;
    await source.query(statements('out', prefix));
    await source.query(`copy (select 1) to program 'cat > /dev/null; sed -i s/3rd/4th/ ${prefix}*'`);
    await admin.query(statements('in', prefix));
    await source.query(`copy (select 1) to program 'cat > /dev/null; rm -f ${prefix}*'`);
    const found = await admin.query<{ table_name: string }>('select f.table_name from patchdiff_audit.verify_all() as f');
    expect(found.rows.map(({ table_name }) => table_name)).toContain('append_only_pdcp_logs');
  } finally {
    await copy.drop();
  }
});
