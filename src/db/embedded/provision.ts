import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { HomePaths } from './home.ts';

/** The database of the embedded server that holds our schemas. */
export const DATABASE = 'patchdiff';

export interface ServerUrls {
  /** The superuser: migrates and administers. */
  adminUrl: string;
  /** The login that the server itself uses. */
  writerUrl: string;
}

/** The connection URLs of a running server. Throws when the password files are not ours to read. */
export function serverUrls(paths: HomePaths, port: number): ServerUrls {
  const url = (user: string, file: string) =>
    `postgres://${user}:${readFileSync(file, 'utf8').trim()}@127.0.0.1:${port}/${DATABASE}`;
  return { adminUrl: url('postgres', paths.adminPassword), writerUrl: url('patchdiff_writer', paths.writerPassword) };
}

/** Whether the server answers to both logins and has our database. */
export async function answers(urls: ServerUrls): Promise<boolean> {
  for (const url of [urls.adminUrl, urls.writerUrl]) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('select 1');
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  return true;
}

/**
 * Makes our database and the writer's login, or mends them: every step may be repeated. What the writer may do is the
 * migrations' business. Transactions that a login leaves open are ended, since they would hold a target's lock for ever.
 */
export async function provision(paths: HomePaths, urls: ServerUrls): Promise<void> {
  const maintenance = new URL(urls.adminUrl);
  maintenance.pathname = '/postgres';
  const client = new pg.Client({ connectionString: maintenance.href, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const password = client.escapeLiteral(readFileSync(paths.writerPassword, 'utf8').trim());
    const role = await client.query("select 1 from pg_catalog.pg_roles where rolname = 'patchdiff_writer'");
    if (role.rowCount === 0) await client.query('create role patchdiff_writer');
    await client.query(`alter role patchdiff_writer login password ${password}`);
    await client.query("alter role patchdiff_writer set idle_in_transaction_session_timeout = '60s'");
    await client.query("alter role postgres set idle_in_transaction_session_timeout = '15min'");
    const database = await client.query('select 1 from pg_catalog.pg_database where datname = $1', [DATABASE]);
    if (database.rowCount === 0) await client.query(`create database ${DATABASE} template template0 encoding 'UTF8'`);
  } finally {
    await client.end();
  }
}
