import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, useDatabase } from '../helpers/database.ts';
import { otherDdl, readAttacks, readCatalog, relationDdl, routineDdl, rowAttacks, type Attack, type Catalog } from './support/role-attacks.ts';
import { serverAttacks } from './support/server-attacks.ts';

const database = useDatabase();
let admin: pg.Client;
let catalog: Catalog;
const clients = {} as Record<'writer' | 'auditor', pg.Client>;

beforeAll(async () => {
  admin = await database.client('admin');
  await admin.query(`select patchdiff.create_target(null, 'doc', 'text')`);
  catalog = await readCatalog(admin);
  clients.writer = await database.client('writer');
  clients.auditor = await database.client('auditor');
});

/** The SQLSTATE a statement ends with inside a transaction that is rolled back; null when it passes. */
async function outcome(client: pg.Client, sql: string, alone = false): Promise<string | null> {
  if (!alone) await client.query('begin');
  try {
    await client.query(sql);
    return null;
  } catch (error) {
    return (error as { code?: string }).code ?? 'no code';
  } finally {
    if (!alone) await client.query('rollback');
  }
}

/** The attacks that get through, or are refused for another reason than they may be. */
async function passing(client: pg.Client, attacks: Attack[]): Promise<string[]> {
  const found: string[] = [];
  for (const { sql, refusals, alone } of attacks) {
    const code = await outcome(client, sql, alone);
    if (code === null || !refusals.includes(code)) found.push(`${code ?? 'passed'}: ${sql}`);
  }
  return found;
}

describe.each(['writer', 'auditor'] as const)('the %s', (role) => {
  const mayRead = (schema: string): boolean => schema === 'patchdiff_audit' || (role === 'auditor' && schema === 'patchdiff_store');
  // Of what a client calls, an auditor only asks to be told of commits.
  const mayCall = ({ name, schema }: Catalog['routines'][number]): boolean =>
    schema === 'patchdiff_audit' || (schema === 'patchdiff' && (role === 'writer' || /subscribe_commits/.test(name)));

  test('writes and locks no row of any relation, in no way', async () => {
    expect(catalog.relations.length).toBeGreaterThan(12);
    expect(await passing(clients[role], catalog.relations.flatMap(rowAttacks))).toEqual([]);
  });

  test('reads and carries away no relation but its own', async () => {
    const barred = catalog.relations.filter(({ schema }) => !mayRead(schema));
    expect(await passing(clients[role], barred.flatMap(readAttacks))).toEqual([]);
    const open = catalog.relations.filter(({ schema }) => mayRead(schema));
    for (const { name } of open) expect(await outcome(clients[role], `select * from ${name}`), name).toBeNull();
  });

  test('alters, drops, comments on and hangs nothing on a relation', async () => {
    expect(await passing(clients[role], catalog.relations.flatMap(relationDdl))).toEqual([]);
  });

  test('replaces, alters and drops no routine', async () => {
    expect(await passing(clients[role], catalog.routines.flatMap(routineDdl))).toEqual([]);
  });

  test('calls no routine that is not its own', async () => {
    const barred = catalog.routines.filter((routine) => !mayCall(routine));
    expect(barred.length).toBeGreaterThan(100);
    expect(await passing(clients[role], barred.map(({ call }) => ({ sql: `select ${call}`, refusals: ['42501'] })))).toEqual([]);
  });

  test('changes no type, schema, trigger, constraint, index or event trigger, and adds none', async () => {
    expect(await passing(clients[role], otherDdl(catalog))).toEqual([]);
  });

  test('becomes nobody else, changes no setting of the server and reaches no file', async () => {
    const { rows } = await admin.query<{ admin: string; pid: number; database: string }>(
      'select quote_ident(current_user) as admin, pg_backend_pid() as pid, quote_ident(current_database()) as database',
    );
    const { admin: name, pid, database: own } = rows[0]!;
    expect(await passing(clients[role], serverAttacks({ admin: name, adminPid: pid, database: own }))).toEqual([]);
    expect((await admin.query('select 1 as alive')).rows).toEqual([{ alive: 1 }]);
  });

  test('executes its entry points and no helper', async () => {
    const rights = await clients[role].query<{ name: string; may: boolean }>(
      `select p.oid::regprocedure::text as name, has_function_privilege(p.oid, 'execute') and has_schema_privilege(p.pronamespace, 'usage') as may
       from pg_proc as p where p.pronamespace::regnamespace::text like 'patchdiff%' order by 1`,
    );
    expect(rights.rows.filter(({ may }) => may).map(({ name }) => name)).toEqual(catalog.routines.filter(mayCall).map(({ name }) => name));
  });

  test('passes no right on', async () => {
    const rights = `
      select c.oid::regclass::text as name, c.relacl::text as acl from pg_class as c where c.relnamespace::regnamespace::text like 'patchdiff%'
      union all
      select p.oid::regprocedure::text, p.proacl::text from pg_proc as p where p.pronamespace::regnamespace::text like 'patchdiff%'
      union all
      select n.nspname, n.nspacl::text from pg_namespace as n where n.nspname like 'patchdiff%'
      union all
      select t.oid::regtype::text, t.typacl::text from pg_type as t where t.typnamespace::regnamespace::text like 'patchdiff%'
      order by name, acl`;
    const { rows: before } = await admin.query(rights);
    // Without a grant option such a grant is refused, or passes with a warning and does nothing.
    const grants = [
      ...catalog.relations.map(({ name }) => `all on ${name}`),
      ...catalog.routines.map(({ name }) => `all on function ${name}`),
      ...catalog.schemas.map((name) => `all on schema ${name}`),
      ...catalog.types.map((name) => `all on type ${name}`),
    ];
    for (const grant of grants) {
      await clients[role].query(`grant ${grant} to public`).catch(() => undefined);
      await clients[role].query(`revoke ${grant} from patchdiff_auditor, patchdiff_writer`).catch(() => undefined);
    }
    expect((await admin.query(rights)).rows).toEqual(before);
  });

  test('changes nothing by a definer routine of its own or by a notification', async () => {
    // A routine in the temporary schema runs as its caller, whatever it is called.
    await clients[role].query('begin');
    await clients[role].query(`create function pg_temp.act() returns void language plpgsql security definer as $$
      begin delete from patchdiff_store.append_only_pdcp_logs; end $$`);
    expect(await clients[role].query('select pg_temp.act()').catch((error: unknown) => (error as { code: string }).code)).toBe('42501');
    await clients[role].query('rollback');
    // Harmless, and known: both are open to every login.
    for (const sql of ['listen patchdiff_commits', `notify patchdiff_commits, 'forged'`]) expect(await outcome(clients[role], sql)).toBeNull();
  });
});

describe('what these attacks would notice', () => {
  test('a table, a column, a routine and a schema that are granted by mistake', async () => {
    const broken = await createDatabase();
    try {
      const owner = await broken.client('admin');
      await owner.query('select patchdiff_guard.guard_ddl(false)');
      await owner.query(`set role patchdiff_owner;
        create table patchdiff_store.newcomer (target_file_id uuid, a integer);
        grant insert on patchdiff_store.newcomer to patchdiff_auditor;
        grant update (a) on patchdiff_store.newcomer to patchdiff_auditor;
        create function patchdiff_store.newcomer(integer) returns integer language sql return 1;
        grant execute on function patchdiff_store.newcomer(integer) to patchdiff_auditor;
        grant create on schema patchdiff_store to patchdiff_auditor`);
      await owner.query('reset role');
      const there = await readCatalog(owner);
      const auditor = await broken.client('auditor');
      const table = there.relations.filter(({ name }) => name === 'patchdiff_store.newcomer');
      const rows = await passing(auditor, table.flatMap(rowAttacks));
      expect(rows).toContain('passed: insert into patchdiff_store.newcomer default values');
      expect(rows).toContain('passed: update patchdiff_store.newcomer set a = null');
      expect(rows).not.toContain('passed: delete from patchdiff_store.newcomer');
      const routine = there.routines.filter(({ name }) => name === 'patchdiff_store.newcomer(integer)');
      expect(await passing(auditor, routine.map(({ call }) => ({ sql: `select ${call}`, refusals: ['42501'] })))).toEqual([
        'passed: select patchdiff_store.newcomer(null::integer)',
      ]);
      expect(await passing(auditor, otherDdl(there))).toContain('passed: create table patchdiff_store.mine (a integer)');
      expect(await passing(auditor, table.flatMap(relationDdl))).toEqual([]);
    } finally {
      await broken.drop();
    }
  });
});
