import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import { databaseUrl, withServer } from './template.ts';

/** Who connects: a superuser, or a login that is a member of one of our roles (`owner` also becomes it). */
export type TestRole = 'admin' | 'owner' | 'writer' | 'auditor';

export interface TestDatabase {
  readonly name: string;
  url(role?: TestRole): string;
  /** A connected client; it is closed with the database at the latest. */
  client(role?: TestRole): Promise<pg.Client>;
  pool(role?: TestRole, config?: pg.PoolConfig): pg.Pool;
  /** Closes what was opened here and drops the database. */
  drop(): Promise<void>;
}

/** This test file's own copy of the template: made before its tests, dropped after them. Usable inside tests and hooks only. */
export function useDatabase(): TestDatabase {
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(async () => {
    await database?.drop();
  });
  const made = () => {
    if (!database) throw new Error('the database exists only inside tests and hooks');
    return database;
  };
  return {
    get name() {
      return made().name;
    },
    url: (role) => made().url(role),
    client: (role) => made().client(role),
    pool: (role, config) => made().pool(role, config),
    drop: () => made().drop(),
  };
}

/** One more database: a copy of the template, or with `empty` a fresh one without our schemas. The caller drops it. */
export async function createDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const template = inject('template');
  const name = template.name.replace(/template$/, () => randomBytes(5).toString('hex'));
  const source = options.empty ? `template0 encoding 'UTF8'` : template.name;
  await withServer(template.serverUrl, (client) => client.query(`create database ${name} template ${source}`));
  const clients: pg.Client[] = [];
  const pools: pg.Pool[] = [];
  const url = (role: TestRole = 'writer') => {
    const address = new URL(databaseUrl(template, name));
    if (role === 'admin') return address.href;
    address.username = template.logins[role];
    address.password = template.password;
    if (role === 'owner') address.searchParams.set('options', '-c role=patchdiff_owner');
    return address.href;
  };
  return {
    name,
    url,
    client: async (role) => {
      const client = new pg.Client({ connectionString: url(role) });
      client.on('error', () => undefined);
      await client.connect();
      clients.push(client);
      return client;
    },
    pool: (role, config) => {
      const pool = new pg.Pool({ connectionString: url(role), ...config });
      pool.on('error', () => undefined);
      pools.push(pool);
      return pool;
    },
    drop: async () => {
      await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
      await Promise.all(pools.filter((pool) => !pool.ended).map((pool) => pool.end()));
      await withServer(template.serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}
