import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { evaluate, prepareSubmission, type Format, type JsonObject } from '../../src/transaction/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { sha256 } from './support/attacks.ts';

const DENIED = '42501';
const TARGET = '00000000-0000-0000-0000-000000000001';
const TEXT = 'text';
/** One accepted and one rejected submission of every format, so that a call of each goes all the way. */
const SUBMISSIONS: [Format, JsonObject][] = [
  ['patchdiff-tx/1', { edits: [{ match: 'ex', replace: 'oas' }] }],
  ['patchdiff-tx/1', { edits: [{ match: 't', replace: 'T', occurrence_index: 2 }] }],
  ['patchdiff-tx/1', { edits: [{ match: 't', replace: 'T' }] }],
  ['patchdiff-tx/2', { operations: [{ op: 'span', start: 1, end: 3, expected_text: 'ex', replace: 'oas' }] }],
  ['patchdiff-tx/2', { operations: [{ op: 'span', start: 1, end: 3, expected_text: 'no', replace: 'oas' }] }],
  ['patchdiff-tx/3', { replacement: 'another text' }],
];

/** Direct calls that end in an acceptance and in a rejection each. */
const DIRECT = [
  `commit_match('${TARGET}', 'ex', 'oas', 'i', 0)`,
  `commit_match('${TARGET}', 't', 'T', 'i', 0, p_occurrence_index => 2, p_anchor_before => 'x', p_client_request_id => 'key')`,
  `commit_match('${TARGET}', 't', 'T', 'i', 0, p_source => repeat('s', 9000))`,
  `commit_spans('${TARGET}', '[{"start":1,"end":3,"expected_text":"ex","replace":"oas"},{"op":"match","match":"t","occurrence_index":2,"replace":"é"}]', 'i', 0)`,
  `commit_spans('${TARGET}', '[{"start":1.5,"end":1e22,"expected_text":"\\ud800","replace":{"a":[]}}]', 'i', 0)`,
  `commit_replacement('${TARGET}', 'another text', 'i', 0)`,
  `commit_replacement('${TARGET}', null, ' ', 9223372036854775807)`,
];

/** The statement that commits a submission with an honest claim, and fails when it is neither accepted nor rejected as claimed. */
function committing([format, members]: [Format, JsonObject]): string {
  const submission = prepareSubmission(format, { target_file_id: TARGET, intent: 'i', expected_target_version: 0, ...members });
  const claim = evaluate(submission, TEXT, sha256);
  const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  const claimed =
    claim.verdict === 'accepted'
      ? `'{${claim.applied.resolvedStarts.join(',')}}', '${claim.applied.afterHash}', null`
      : `null, null, ${literal(JSON.stringify({ failure_reason: claim.fault.reason }))}`;
  return `select 1 / (r.decided_by = 'runtime')::integer from patchdiff.commit_attempt(
    '${TARGET}', ${literal(submission.payload)}, 'key', null, null, null, null, '${sha256(TEXT)}', '${claim.verdict}', ${claimed}, null) as r`;
}
const database = useDatabase();

interface Relation {
  name: string;
  schema: string;
  column: string;
  view: boolean;
}

let admin: pg.Client;
let relations: Relation[];
let routines: { name: string; schema: string; kind: string; trigger: boolean }[];
const clients = {} as Record<'writer' | 'auditor', pg.Client>;

beforeAll(async () => {
  admin = await database.client('admin');
  await admin.query(`select patchdiff.create_target('${TARGET}', 'doc', '${TEXT}')`);
  relations = (
    await admin.query<Relation>(`
      select c.oid::regclass::text as name, n.nspname as schema, a.attname as column, c.relkind = 'v' as view
      from pg_class as c
      join pg_namespace as n on n.oid = c.relnamespace
      join pg_attribute as a on a.attrelid = c.oid and a.attnum = 1
      where n.nspname like 'patchdiff%' and c.relkind in ('r', 'v')
      order by 1`)
  ).rows;
  routines = (
    await admin.query<{ name: string; schema: string; kind: string; trigger: boolean }>(`
      select p.oid::regprocedure::text as name, n.nspname as schema, p.prokind as kind,
        p.prorettype in ('trigger'::regtype, 'event_trigger'::regtype) as trigger
      from pg_proc as p
      join pg_namespace as n on n.oid = p.pronamespace
      where n.nspname like 'patchdiff%'
      order by 1`)
  ).rows;
  clients.writer = await database.client('writer');
  clients.auditor = await database.client('auditor');
});

/** The SQLSTATE a statement ends with inside a transaction that is rolled back; null when it passes. */
async function outcome(client: pg.Client, sql: string): Promise<string | null> {
  await client.query('begin');
  try {
    await client.query(sql);
    return null;
  } catch (error) {
    return (error as { code?: string }).code ?? 'no code';
  } finally {
    await client.query('rollback');
  }
}

async function outcomes(client: pg.Client, statements: string[]): Promise<Record<string, string | null>> {
  const found: Record<string, string | null> = {};
  for (const sql of statements) found[sql] = await outcome(client, sql);
  return found;
}

const allDenied = (statements: string[]) => Object.fromEntries(statements.map((sql) => [sql, DENIED]));

describe.each(['writer', 'auditor'] as const)('the %s', (role) => {
  test('changes no row of any relation, in no way', async () => {
    expect(relations.length).toBeGreaterThan(10);
    const statements = relations.flatMap(({ name, column }) => [
      `insert into ${name} default values`,
      `insert into ${name} select * from ${name} on conflict do nothing`,
      `update ${name} set ${column} = ${column}`,
      `delete from ${name}`,
      `truncate ${name}`,
      `truncate ${name} cascade`,
      `merge into ${name} as t using (values (1)) as v (n) on false when not matched then do nothing when matched then delete`,
      `select * from ${name} for update`,
      `lock table ${name} in exclusive mode`,
      `copy ${name} from program 'true'`,
    ]);
    const found = await outcomes(clients[role], statements);
    // A view with a join is refused for what it is before anybody's rights are looked at.
    const refusedForWhatItIs = new Set(['55000', '0A000', '42809', '42P10']);
    const views = new Set(relations.filter(({ view }) => view).map(({ name }) => name));
    const passing = Object.entries(found).filter(([sql, code]) => {
      if (code === DENIED) return false;
      return !([...views].some((view) => sql.includes(view)) && code !== null && refusedForWhatItIs.has(code));
    });
    expect(passing).toEqual([]);
  });

  test('reads what it is granted and nothing else', async () => {
    const found = await outcomes(
      clients[role],
      relations.map(({ name }) => `select * from ${name} limit 1`),
    );
    expect(found).toEqual(
      Object.fromEntries(
        relations.map(({ name, schema }) => [
          `select * from ${name} limit 1`,
          schema === 'patchdiff_audit' || role === 'auditor' ? null : DENIED,
        ]),
      ),
    );
  });

  test('changes, drops and creates nothing in our schemas', async () => {
    const statements = [
      ...relations.flatMap(({ name, view }) => [
        `alter ${view ? 'view' : 'table'} ${name} rename to gone`,
        `drop ${view ? 'view' : 'table'} ${name} cascade`,
        `comment on ${view ? 'view' : 'table'} ${name} is 'mine'`,
      ]),
      ...relations
        .filter(({ view }) => !view)
        .flatMap(({ name }) => [
          `alter table ${name} disable trigger all`,
          `alter table ${name} enable row level security`,
          `create rule r as on insert to ${name} do instead nothing`,
          `create index on ${name} ((0))`,
          `create table public.child () inherits (${name})`,
        ]),
      ...['patchdiff', 'patchdiff_audit', 'patchdiff_store', 'patchdiff_guard'].flatMap((schema) => [
        `create table ${schema}.mine (a integer)`,
        `create function ${schema}.mine() returns integer language sql return 1`,
        `drop schema ${schema} cascade`,
        `alter schema ${schema} rename to mine`,
      ]),
      'set session_replication_role = replica',
      'set role patchdiff_owner',
      'alter event trigger patchdiff_forbid_ddl disable',
      'drop event trigger patchdiff_forbid_ddl',
      'create event trigger mine on ddl_command_end execute function patchdiff_guard.forbid_ddl()',
      'create table public.mine (a integer)',
      'create schema mine',
      'create extension plpgsql',
      "select pg_read_file('/etc/passwd')",
      "copy (select 1) to program 'true'",
      'alter role patchdiff_owner login',
    ];
    const found = await outcomes(clients[role], statements);
    // 42710: an extension that is there already.
    expect(Object.entries(found).filter(([, code]) => code !== DENIED && code !== '42710')).toEqual([]);
  });

  test('replaces and drops no routine', async () => {
    const statements = routines.flatMap(({ name }) => [
      `drop function ${name} cascade`,
      `alter function ${name} security invoker`,
      `alter function ${name} reset all`,
    ]);
    expect(await outcomes(clients[role], statements)).toEqual(allDenied(statements));
  });

  test('passes no right on', async () => {
    const rights = `
      select c.oid::regclass::text as name, c.relacl::text as acl from pg_class as c where c.relnamespace::regnamespace::text like 'patchdiff%'
      union all
      select p.oid::regprocedure::text, p.proacl::text from pg_proc as p where p.pronamespace::regnamespace::text like 'patchdiff%'
      order by name`;
    const { rows: before } = await admin.query(rights);
    // Without a grant option such a grant is refused, or passes with a warning and does nothing.
    for (const { name } of relations) await clients[role].query(`grant all on ${name} to public`).catch(() => undefined);
    for (const { name } of routines) await clients[role].query(`grant all on function ${name} to public`).catch(() => undefined);
    expect((await admin.query(rights)).rows).toEqual(before);
  });

  test('executes its entry points and no helper', async () => {
    const rights = await clients[role].query<{ name: string; may: boolean }>(
      `select p.oid::regprocedure::text as name, has_function_privilege(p.oid, 'execute') and has_schema_privilege(p.pronamespace, 'usage') as may
       from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace where n.nspname like 'patchdiff%' order by 1`,
    );
    // Of what a client calls, an auditor only asks to be told of commits.
    const mayEnter = ({ name, schema }: { name: string; schema: string }): boolean =>
      schema === 'patchdiff_audit' || (schema === 'patchdiff' && (role === 'writer' || /subscribe_commits/.test(name)));
    expect(rights.rows.filter(({ may }) => may).map(({ name }) => name)).toEqual(routines.filter(mayEnter).map(({ name }) => name));
  });

  test('gains nothing by a temporary schema that shadows types, tables and functions', async () => {
    const temporary = `
      create function pg_temp.evil() returns boolean language plpgsql as $$
      begin
        if current_user like '%owner' then raise exception 'ran as %', current_user using errcode = 'ZZ999'; end if;
        return true;
      end $$;
      create domain pg_temp.text as pg_catalog.text check (pg_temp.evil());
      create domain pg_temp.uuid as pg_catalog.uuid check (pg_temp.evil());
      create domain pg_temp.jsonb as pg_catalog.jsonb check (pg_temp.evil());
      create domain pg_temp.bytea as pg_catalog.bytea check (pg_temp.evil());
      create domain pg_temp.timestamptz as pg_catalog.timestamptz check (pg_temp.evil());
      ${relations.map(({ name }) => `create temporary table if not exists ${name.replace(/^.*\./, '')} (a integer);`).join('\n')}`;
    const target = `'${TARGET}'`;
    const calls = [
      `select * from patchdiff_audit.verify_target(${target})`,
      `select patchdiff_audit.reconstruct(${target})`,
      'select * from patchdiff_audit.verify_all()',
      `select patchdiff.subscribe_commits('shadowed'), patchdiff.unsubscribe_commits('shadowed')`,
      ...(role === 'auditor'
        ? []
        : [
            `select * from patchdiff.create_target(null, 'doc', 'x')`,
            `select * from patchdiff.save_target(${target})`,
            `select * from patchdiff.read_attempts(${target})`,
            `select * from patchdiff.commit_attempt(${target}, '{}', null, null, null, null, null, null, 'none', null, null, null, null)`,
            ...SUBMISSIONS.map(committing),
            ...DIRECT.map((call) => `select patchdiff.subscribe_commits('shadowed'); select 1 / (r.decided_by = 'database')::integer from patchdiff.${call} as r`),
          ]),
    ].map((call) => temporary + call);
    expect(Object.values(await outcomes(clients[role], calls))).toEqual(calls.map(() => null));
  });
});

