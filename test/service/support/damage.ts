import type pg from 'pg';
import type { TestDatabase } from '../../helpers/database.ts';

const TABLES = ['append_only_pdcp_logs', 'target_snapshots', 'cloud_target_files', 'append_only_manifest_ledger'];

/** A superuser who has switched off everything that guards the tables of this database: event triggers, triggers, checks. */
export async function vandal(database: TestDatabase): Promise<pg.Client> {
  const client = await database.client('admin');
  await client.query('select patchdiff_guard.guard_ddl(false)');
  const { rows } = await client.query<{ name: string; owner: string }>(
    `select quote_ident(c.conname) as name, c.conrelid::regclass::text as owner from pg_constraint as c
     where c.contype = 'c' and c.conrelid = any ($1::regclass[])`,
    [TABLES.map((table) => `patchdiff_store.${table}`)],
  );
  for (const { name, owner } of rows) await client.query(`alter table ${owner} drop constraint ${name}`);
  for (const table of TABLES) await client.query(`alter table patchdiff_store.${table} disable trigger all`);
  return client;
}
