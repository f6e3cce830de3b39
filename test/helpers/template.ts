import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrateWithCurrent } from '../../src/db/migrate.ts';
import { loadPgTap } from './pgtap.ts';

/** What a test worker needs to reach the server of this run; it travels as plain data. */
export interface Template {
  /** The superuser's URL of the maintenance database. */
  serverUrl: string;
  /** The database that every test file copies: db/committed, db/current and pgTAP in schema `tap`. */
  name: string;
  /** Logins of this run, members of our three roles, whose own passwords are left alone. */
  logins: Record<'owner' | 'writer' | 'auditor', string>;
  password: string;
}

const ROLES = ['owner', 'writer', 'auditor'] as const;

/** Builds the template database and the logins of this run. Throws with the place in the SQL when db/ does not run. */
export async function buildTemplate(serverUrl: string): Promise<Template> {
  const run = `pdtest_${process.pid}_${randomBytes(3).toString('hex')}`;
  const template: Template = {
    serverUrl,
    name: `${run}_template`,
    logins: { owner: `${run}_owner`, writer: `${run}_writer`, auditor: `${run}_auditor` },
    password: randomBytes(12).toString('hex'),
  };
  await withServer(serverUrl, async (client) => {
    // Roles belong to the server: two runs that build at once would race to create them.
    await client.query("select pg_advisory_lock(hashtext('patchdiff test template'))");
    await client.query(`create database ${template.name} template template0 encoding 'UTF8'`);
    const url = databaseUrl(template, template.name);
    await migrateWithCurrent(url);
    await withServer(url, loadPgTap);
    for (const role of ROLES) {
      await client.query(`create role ${template.logins[role]} login password '${template.password}' in role patchdiff_${role}`);
    }
  });
  return template;
}

/** Drops everything of this run that is still there. */
export async function dropTemplate(template: Template): Promise<void> {
  await withServer(template.serverUrl, async (client) => {
    const prefix = template.name.replace(/template$/, '');
    const databases = await client.query<{ datname: string }>('select datname from pg_database where starts_with(datname, $1)', [prefix]);
    for (const { datname } of databases.rows) await client.query(`drop database ${datname} with (force)`);
    for (const role of ROLES) await client.query(`drop role if exists ${template.logins[role]}`);
  });
}

/** The superuser's URL of another database of the same server. */
export function databaseUrl(template: Pick<Template, 'serverUrl'>, name: string): string {
  const url = new URL(template.serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export async function withServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
