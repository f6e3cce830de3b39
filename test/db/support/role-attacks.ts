import type pg from 'pg';

/** What there is to attack, from the catalog: a new object is attacked by itself. */
export interface Catalog {
  relations: { name: string; schema: string; kind: 'table' | 'view'; columns: string[] }[];
  routines: { name: string; schema: string; call: string; definer: boolean; header: string }[];
  types: string[];
  schemas: string[];
  triggers: { name: string; on: string }[];
  constraints: { name: string; on: string }[];
  indexes: string[];
  eventTriggers: string[];
}

/** One statement and the SQLSTATEs with which it may fail; 42501 unless it says otherwise. */
export interface Attack {
  sql: string;
  refusals: readonly string[];
  /** It cannot run inside a transaction. */
  alone?: boolean;
}

const DENIED = '42501';

export async function readCatalog(client: pg.Client): Promise<Catalog> {
  const rows = async <T>(sql: string): Promise<T[]> => (await client.query<{ row: T }>(sql)).rows.map(({ row }) => row);
  const ours = `(select n.oid from pg_namespace as n where n.nspname like 'patchdiff%')`;
  return {
    relations: await rows(`
      select json_build_object('name', c.oid::regclass::text, 'schema', c.relnamespace::regnamespace::text,
        'kind', case c.relkind when 'v' then 'view' else 'table' end,
        'columns', array(select quote_ident(a.attname) from pg_attribute as a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum)) as row
      from pg_class as c where c.relnamespace in ${ours} and c.relkind in ('r', 'p', 'v', 'm', 'f') order by c.oid::regclass::text`),
    routines: await rows(`
      select json_build_object('name', p.oid::regprocedure::text, 'schema', p.pronamespace::regnamespace::text, 'definer', p.prosecdef,
        'call', format('%s(%s)', p.oid::regproc, (select string_agg(format('null::%s', a::regtype), ', ') from unnest(p.proargtypes) as a)),
        'header', format('%s(%s)%s', p.oid::regproc, pg_get_function_arguments(p.oid), coalesce(' returns ' || pg_get_function_result(p.oid), ''))) as row
      from pg_proc as p where p.pronamespace in ${ours} order by p.oid::regprocedure::text`),
    types: await rows(`
      select to_json(t.oid::regtype::text) as row from pg_type as t left join pg_class as c on c.oid = t.typrelid
      where t.typnamespace in ${ours} and t.typelem = 0 and (t.typtype in ('d', 'e', 'r') or c.relkind = 'c') order by t.oid::regtype::text`),
    schemas: await rows(`select to_json(n.nspname) as row from pg_namespace as n where n.nspname like 'patchdiff%' order by n.nspname`),
    triggers: await rows(`
      select json_build_object('name', t.tgname, 'on', t.tgrelid::regclass::text) as row from pg_trigger as t join pg_class as c on c.oid = t.tgrelid
      where c.relnamespace in ${ours} and not t.tgisinternal order by t.tgrelid::regclass::text, t.tgname`),
    constraints: await rows(`
      select json_build_object('name', quote_ident(k.conname), 'on', k.conrelid::regclass::text) as row from pg_constraint as k
      where k.connamespace in ${ours} and k.conrelid <> 0 order by k.conrelid::regclass::text, k.conname`),
    indexes: await rows(`
      select to_json(i.indexrelid::regclass::text) as row from pg_index as i join pg_class as c on c.oid = i.indrelid
      where c.relnamespace in ${ours} order by i.indexrelid::regclass::text`),
    eventTriggers: await rows(`select to_json(e.evtname) as row from pg_event_trigger as e where e.evtname like 'patchdiff%' order by e.evtname`),
  };
}

const attack = (sql: string, ...also: string[]): Attack => ({ sql, refusals: [DENIED, ...also] });

/** Every way to write rows of a relation, or to lock them against others. A view is refused for what it is before rights are looked at. */
export function rowAttacks({ name, kind, columns }: Catalog['relations'][number]): Attack[] {
  const also = kind === 'view' ? ['55000', '0A000', '42809', '42P10'] : [];
  const column = columns[0]!;
  return [
    `insert into ${name} default values`,
    `insert into ${name} select * from ${name}`,
    `insert into ${name} select * from ${name} on conflict do nothing`,
    `insert into ${name} select * from ${name} on conflict (${column}) do update set ${column} = excluded.${column}`,
    ...columns.map((each) => `update ${name} set ${each} = null`),
    ...columns.map((each) => `insert into ${name} (${each}) values (null)`),
    `update only ${name} set ${column} = default where false`,
    `delete from ${name}`,
    `delete from ${name} where false returning *`,
    `with gone as (delete from ${name} returning *) select * from gone`,
    `truncate ${name}`,
    `truncate ${name} restart identity cascade`,
    `merge into ${name} as t using (values (1)) as v (n) on false when not matched then insert default values`,
    `merge into ${name} as t using (values (1)) as v (n) on true when matched then update set ${column} = t.${column}`,
    `merge into ${name} as t using (values (1)) as v (n) on true when matched then delete`,
    ...['for update', 'for no key update', 'for share', 'for key share'].map((lock) => `select * from ${name} ${lock}`),
    ...['row share', 'row exclusive', 'share update exclusive', 'share', 'share row exclusive', 'exclusive', 'access exclusive'].map(
      (mode) => `lock table ${name} in ${mode} mode nowait`,
    ),
    `copy ${name} from stdin`,
    `copy ${name} from program 'true'`,
    `copy ${name} from '/etc/passwd'`,
    `do $do$ begin update ${name} set ${column} = ${column}; end $do$`,
    `do $do$ begin execute 'delete from ${name}'; end $do$`,
    `explain (analyze) update ${name} set ${column} = null`,
    // Without a fitting unique index this one is no statement; the others tell.
  ].map((sql) => attack(sql, ...also, ...(sql.includes('on conflict (') ? ['42P10'] : [])));
}

/** Every way to read a relation that a role may not read, and to carry it out of the server. */
export function readAttacks({ name, columns }: Catalog['relations'][number]): Attack[] {
  return [
    `select * from ${name} limit 1`,
    ...columns.map((column) => `select ${column} from ${name} limit 1`),
    `select count(*) from ${name}`,
    `table ${name}`,
    `copy ${name} to stdout`,
    `copy (select * from ${name}) to stdout`,
    `create temporary table taken as select * from ${name}`,
    `create temporary view seen as select * from ${name}; select * from pg_temp.seen`,
    `declare c cursor for select * from ${name}; fetch c`,
    `explain (analyze) select * from ${name}`,
  ].map((sql) => attack(sql));
}

/** DDL on a relation, and everything that would hang something of the attacker's on it. */
export function relationDdl({ name, kind, columns }: Catalog['relations'][number]): Attack[] {
  const column = columns[0]!;
  const both = [
    `alter ${kind} ${name} rename to gone`,
    `alter ${kind} ${name} set schema public`,
    `alter ${kind} ${name} owner to current_user`,
    `alter ${kind} ${name} rename column ${column} to gone`,
    `alter ${kind} ${name} alter column ${column} set default null`,
    `drop ${kind} ${name} cascade`,
    `drop owned by patchdiff_owner cascade`,
    `reassign owned by patchdiff_owner to current_user`,
    `comment on ${kind} ${name} is 'mine'`,
    `comment on column ${name}.${column} is 'mine'`,
    `create or replace rule r as on insert to ${name} do instead nothing`,
    `create trigger mine instead of insert on ${name} for each row execute function pg_catalog.suppress_redundant_updates_trigger()`,
    `security label on ${kind} ${name} is 'mine'`,
  ];
  const table = [
    `alter table ${name} disable trigger all`,
    `alter table ${name} disable trigger user`,
    `alter table ${name} enable row level security`,
    `alter table ${name} add column mine integer`,
    `alter table ${name} drop column ${column} cascade`,
    `alter table ${name} alter column ${column} type text using null`,
    `alter table ${name} add constraint mine check (false)`,
    `alter table ${name} set unlogged`,
    `alter table ${name} set (fillfactor = 10)`,
    `alter table ${name} inherit ${name}`,
    `alter table ${name} replica identity nothing`,
    `alter table ${name} cluster on mine`,
    `create trigger mine before insert on ${name} for each row execute function pg_catalog.suppress_redundant_updates_trigger()`,
    `create policy mine on ${name} using (false)`,
    `create index on ${name} (${column})`,
    `create statistics mine on ${columns.slice(0, 2).join(', ')} from ${name}`,
    `create temporary table child () inherits (${name})`,
    `create temporary table pointing (a uuid references ${name})`,
    `create publication mine for table ${name}`,
    `reindex table ${name}`,
    `cluster ${name}`,
  ];
  const view = [
    `create or replace view ${name} as select 1 as one`,
    `alter view ${name} set (security_invoker = true)`,
    `alter view ${name} reset (security_barrier)`,
  ];
  const also: Record<string, string[]> = {
    // Said of the kind of relation before its owner is looked at.
    trigger: ['42809', '42P17'],
    security: ['22023'],
    pointing: ['42P16'],
  };
  return [...both, ...(kind === 'table' ? table : view)].map((sql) =>
    attack(sql, ...Object.entries(also).flatMap(([word, codes]) => (sql.includes(word) ? codes : []))),
  );
}

/** Replacing, altering, dropping, taking over or passing on a routine. */
export function routineDdl({ name, header }: Catalog['routines'][number]): Attack[] {
  return [
    `create or replace function ${header} language sql as 'select null'`,
    `drop function ${name} cascade`,
    `alter function ${name} rename to gone`,
    `alter function ${name} owner to current_user`,
    `alter function ${name} set schema public`,
    `alter function ${name} security invoker`,
    `alter function ${name} reset all`,
    `alter function ${name} set search_path = pg_temp`,
    `alter function ${name} cost 1`,
    `comment on function ${name} is 'mine'`,
  ].map((sql) => attack(sql));
}

export function otherDdl(catalog: Catalog): Attack[] {
  const { types, schemas, triggers, constraints, indexes, eventTriggers } = catalog;
  return [
    ...types.flatMap((name) => [
      `drop type ${name} cascade`,
      `alter type ${name} rename to gone`,
      `alter type ${name} owner to current_user`,
      `alter type ${name} set schema public`,
      `comment on type ${name} is 'mine'`,
      `create cast (${name} as text) with inout`,
    ]),
    ...schemas.flatMap((schema) => [
      `create table ${schema}.mine (a integer)`,
      `create view ${schema}.mine as select 1 as a`,
      `create materialized view ${schema}.mine as select 1 as a`,
      `create sequence ${schema}.mine`,
      `create type ${schema}.mine as (a integer)`,
      `create domain ${schema}.mine as integer`,
      `create function ${schema}.mine() returns integer language sql return 1`,
      `create procedure ${schema}.mine() language sql as ''`,
      `create aggregate ${schema}.mine(integer) (sfunc = int4pl, stype = integer)`,
      `create operator ${schema}.@@@ (leftarg = integer, rightarg = integer, function = int4pl)`,
      `create collation ${schema}.mine from "C"`,
      `create text search configuration ${schema}.mine (copy = simple)`,
      `drop schema ${schema} cascade`,
      `alter schema ${schema} rename to mine`,
      `alter schema ${schema} owner to current_user`,
      `comment on schema ${schema} is 'mine'`,
      `alter default privileges for role patchdiff_owner in schema ${schema} grant select on tables to public`,
    ]),
    ...triggers.flatMap(({ name, on }) => [
      `drop trigger ${name} on ${on}`,
      `alter trigger ${name} on ${on} rename to gone`,
      `alter table ${on} disable trigger ${name}`,
      `comment on trigger ${name} on ${on} is 'mine'`,
    ]),
    ...constraints.flatMap(({ name, on }) => [
      `alter table ${on} drop constraint ${name} cascade`,
      `alter table ${on} rename constraint ${name} to gone`,
      `comment on constraint ${name} on ${on} is 'mine'`,
    ]),
    ...indexes.flatMap((name) => [`drop index ${name} cascade`, `alter index ${name} rename to gone`, `comment on index ${name} is 'mine'`]),
    ...eventTriggers.flatMap((name) => [
      `drop event trigger ${name}`,
      `alter event trigger ${name} disable`,
      `alter event trigger ${name} owner to current_user`,
      `comment on event trigger ${name} is 'mine'`,
    ]),
  ].map((sql) => attack(sql));
}
