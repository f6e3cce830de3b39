import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.ts';
import { BOUND, ENTRY_CALLS, TARGET, TEXT } from './support/entry-calls.ts';

const database = useDatabase();
let admin: pg.Client;
let definers: { name: string; auditor: boolean }[];
let shadows: string;

beforeAll(async () => {
  admin = await database.client('admin');
  await admin.query(`select patchdiff.create_target('${TARGET}', 'doc', '${TEXT}'),
    patchdiff.create_target('${BOUND}', 'bound', '${TEXT}', null, '{"root":"/r","path":"bound","root_device":"1","root_inode":"2"}')`);
  definers = (
    await admin.query<{ name: string; auditor: boolean }>(`
      select distinct p.oid::regproc::text as name, has_function_privilege('patchdiff_auditor', p.oid, 'execute') as auditor
      from pg_proc as p where p.prosecdef and p.pronamespace::regnamespace::text like 'patchdiff%' order by 1`)
  ).rows;
  shadows = await shadowing(admin);
});

/**
 * A temporary schema with a namesake of every base type, table, row type and routine of ours and of the ones that SQL names;
 * each runs the caller's code when it is used, which ends the call with ZZ999 when that is the owner's right.
 */
async function shadowing(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ sql: string }>(`
    select format('create domain pg_temp.%I as pg_catalog.%I check (pg_temp.evil())', t.typname, t.typname) as sql
    from pg_type as t where t.typnamespace = 'pg_catalog'::regnamespace and t.typtype = 'b' and t.typelem = 0 and t.typname !~ '^(pg_|reg|_)'
    union all
    select format('create temporary table %I (a pg_catalog.int4)', c.relname)
    from pg_class as c where c.relnamespace::regnamespace::text like 'patchdiff%' and c.relkind in ('r', 'v', 'c')
    group by c.relname
    union all
    select distinct format('create or replace function pg_temp.%I(%s) returns pg_catalog.text language plpgsql as $f$ begin perform pg_temp.evil(); return null; end $f$',
      p.proname, (select string_agg(a::regtype::text, ', ') from unnest(p.proargtypes) as a))
    from pg_proc as p
    where p.pronamespace = 'pg_catalog'::regnamespace and p.prokind = 'f'
    and not exists (select from unnest(p.proargtypes) as a join pg_type as t on t.oid = a where t.typtype = 'p')
    and p.proname in ('sha256', 'encode', 'convert_to', 'convert_from', 'length', 'octet_length', 'clock_timestamp', 'lower', 'left', 'format', 'overlay', 'md5')
    union all
    select distinct format('create or replace function pg_temp.%I() returns pg_catalog.text language plpgsql as $f$ begin perform pg_temp.evil(); return null; end $f$', p.proname)
    from pg_proc as p where p.pronamespace::regnamespace::text like 'patchdiff%'
    union all
    select format('create operator pg_temp.%s (leftarg = pg_catalog.text, rightarg = pg_catalog.text, function = pg_temp.joined)', o)
    from unnest(array['=', '<>', '||', '~', '<']) as o`);
  const evil = `
    create function pg_temp.evil() returns pg_catalog.bool language plpgsql as $$
    begin
      if current_user like '%owner' then raise exception 'ran as %', current_user using errcode = 'ZZ999'; end if;
      return true;
    end $$;
    create function pg_temp.joined(pg_catalog.text, pg_catalog.text) returns pg_catalog.bool language plpgsql as $$
    begin return pg_temp.evil(); end $$;`;
  return [evil, ...rows.map(({ sql }) => sql)].join(';\n');
}

/** What the calls answer, or the SQLSTATE one ends with, all taken back. */
async function answers(client: pg.Client, calls: string[]): Promise<unknown> {
  await client.query('begin');
  try {
    const said: unknown[] = [];
    for (const call of calls) said.push((await client.query<Record<string, unknown>>(call)).rows);
    return said;
  } catch (error) {
    return `${(error as { code?: string }).code ?? 'no code'}: ${(error as Error).message}`;
  } finally {
    await client.query('rollback');
  }
}

/** The calls that a role makes of every routine it may execute: a writer all, an auditor the ones that need no writing. */
const callsOf = (role: 'writer' | 'auditor'): string[][] =>
  definers
    .filter(({ auditor }) => role === 'writer' || auditor)
    .flatMap(({ name }) => (role === 'writer' ? (ENTRY_CALLS[name] ?? []) : (ENTRY_CALLS[name] ?? []).slice(0, 1)));

/** Settings that are text or numbers, at values that change how something is read or written. */
const TEXTS = [
  `set TimeZone = 'Pacific/Kiritimati'`,
  `set DateStyle = 'German, DMY'`,
  `set IntervalStyle = 'sql_standard'`,
  `set extra_float_digits = -15`,
  `set from_collapse_limit = 1`,
  `set join_collapse_limit = 1`,
  `set work_mem = 64`,
  `set plpgsql.variable_conflict = 'use_column'`,
  `set plpgsql.extra_errors = 'all'`,
  `set plpgsql.check_asserts = off`,
  `set default_text_search_config = 'simple'`,
  `set application_name = 'mine'`,
];

test('every routine that runs as its owner has a call here', () => {
  expect(definers.length).toBeGreaterThan(20);
  expect(definers.map(({ name }) => name).filter((name) => !(name in ENTRY_CALLS))).toEqual([]);
});

describe.each(['writer', 'auditor'] as const)('the %s', (role) => {
  test.each(['reset search_path', 'set search_path = pg_temp, pg_catalog'])(
    'gains nothing by a temporary schema that shadows types, tables, routines and operators: %s',
    async (path) => {
      const [plain, hostile] = [await database.client(role), await database.client(role)];
      await hostile.query(`${shadows};\n${path}`);
      for (const calls of callsOf(role)) {
        const said = await answers(plain, calls);
        expect(said, calls.join('\n')).toBeInstanceOf(Array);
        expect(await answers(hostile, calls), calls.join('\n')).toEqual(said);
      }
    },
  );

  test('the shadows would be noticed', async () => {
    const client = await database.client('admin');
    await client.query(`${shadows}; set role patchdiff_owner`);
    for (const sql of [`select 'a'::text`, `select pg_temp.sha256('a'::pg_catalog.bytea)`, `select 'a'::pg_catalog.text operator(pg_temp.||) 'b'::pg_catalog.text`])
      expect(await answers(client, [sql]), sql).toMatch(/^ZZ999/);
  });
});

/** Settings that any login may change and that end the session, forbid writing as such, or only make debugging slow. */
const OF_THEIR_OWN = ['debug_parallel_query', 'exit_on_error', 'default_transaction_read_only', 'transaction_read_only', 'transaction_deferrable', 'transaction_isolation'];

describe('settings of the session', () => {
  test('any login may change change nothing in what is answered and recorded', async () => {
    const { rows: settings } = await admin.query<{ name: string; values: string[] }>(
      `select s.name, case s.vartype when 'bool' then array[case s.setting when 'on' then 'off' else 'on' end] else s.enumvals end as values
       from pg_settings as s where s.context = 'user' and s.vartype in ('bool', 'enum') and s.name <> all ($1) order by s.name`,
      [OF_THEIR_OWN],
    );
    expect(settings.length).toBeGreaterThan(60);
    const plain = await database.client('writer');
    // The last list of a routine's is the one that does most.
    const lists = definers.map(({ name }) => ENTRY_CALLS[name]?.at(-1) ?? []);
    const expected: unknown[] = [];
    for (const calls of lists) expected.push(await answers(plain, calls));
    // The n-th session has every setting at its n-th other value; the few with more than four are levels of messages.
    for (let place = 0; place < 4; place += 1) {
      const client = await database.client('writer');
      const ways = settings.map(({ name, values }) => `set ${name} = '${values[place % values.length]!}'`);
      for (const way of [...ways, ...TEXTS]) await client.query(way).catch(() => undefined);
      for (const [at, calls] of lists.entries()) expect(await answers(client, calls), calls.join('\n')).toEqual(expected[at]);
    }
  });

  test('that forbid writing end a call that writes, and record nothing', async () => {
    const client = await database.client('writer');
    await client.query('set default_transaction_read_only = on');
    expect(await answers(client, [`select r.outcome from patchdiff.commit_replacement('${TARGET}', 'x', 'i', 0) as r`])).toMatch(/^25006/);
    expect(await answers(client, [`select * from patchdiff_audit.verify_all()`])).toEqual([[]]);
  });
});
