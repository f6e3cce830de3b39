import type pg from 'pg';

/** A table of the store and what names a row of it in a finding. */
export interface StoreTable {
  name: string;
  /** The columns of its primary key but the target; `target_file_id` itself where there is no other. */
  key: string;
  columns: { name: string; type: string; nullable: boolean; inKey: boolean }[];
}

export interface Finding {
  table_name: string;
  row_key: string;
  column_name: string | null;
  problem: string;
}

/** Tables of the store that hold no history of a target, each with the reason why nothing needs to find an edit of it. */
export const NO_HISTORY: Readonly<Record<string, string>> = {
  commit_subscriptions: 'who wants to be told of commits, and until when: leases that come and go',
};

/**
 * Switches off everything that a superuser can: event triggers, triggers, checks, foreign keys, every index but the primary
 * keys. What is left to find an edit is what verify_target recomputes.
 */
export async function disarm(client: pg.Client): Promise<void> {
  await client.query('select patchdiff_guard.guard_ddl(false); set session_replication_role = replica');
  const { rows } = await client.query<{ sql: string }>(`
    select format('alter table %s disable trigger all', c.oid::regclass) as sql, 0 as place
    from pg_class as c where c.relnamespace = 'patchdiff_store'::regnamespace and c.relkind = 'r'
    union all
    select format('alter table %s drop constraint %I cascade', k.conrelid::regclass, k.conname), case k.contype when 'f' then 1 else 2 end
    from pg_constraint as k
    where k.connamespace = 'patchdiff_store'::regnamespace and k.contype in ('c', 'f', 'u')
    union all
    select format('drop index %s', i.indexrelid::regclass), 3
    from pg_index as i
    where i.indrelid::regclass::text like 'patchdiff_store.%' and i.indisunique and not i.indisprimary
    and not exists (select from pg_constraint as k where k.conindid = i.indexrelid)
    order by place`);
  for (const { sql } of rows) await client.query(sql);
}

/** Every table of the store that is not excused, from the catalog: a new one is in the tests by itself. */
export async function storeTables(client: pg.Client): Promise<StoreTable[]> {
  const { rows } = await client.query<StoreTable>(
    `select c.relname as name,
       coalesce((
         select a.attname from pg_index as i, pg_attribute as a
         where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid and a.attnum = any (i.indkey) and a.attname <> 'target_file_id' and a.attname <> 'file_key'
       ), 'target_file_id') as key,
       (select json_agg(json_build_object(
           'name', a.attname, 'type', a.atttypid::regtype::text, 'nullable', not a.attnotnull,
           'inKey', exists (select from pg_index as i where i.indrelid = c.oid and i.indisprimary and a.attnum = any (i.indkey))
         ) order by a.attnum)
         from pg_attribute as a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
     from pg_class as c
     where c.relnamespace = 'patchdiff_store'::regnamespace and c.relkind in ('r', 'p') and c.relname <> all ($1)
     order by c.relname`,
    [Object.keys(NO_HISTORY)],
  );
  return rows;
}

/** Other values of the type than the column `c` of a row has, as SQL over the row; `fresh` of a type for a column that is null. */
export function otherValues(type: string): { change: string[]; fresh: string } {
  switch (type) {
    case 'uuid':
      return { change: ['gen_random_uuid()'], fresh: 'gen_random_uuid()' };
    case 'bigint':
    case 'integer':
      return { change: ['c + 1', 'c - 1', 'c + 1000'], fresh: '1' };
    case 'boolean':
      return { change: ['not c'], fresh: 'true' };
    case 'timestamp with time zone':
      return { change: ["c + interval '1 microsecond'", "c - interval '1 hour'"], fresh: 'now()' };
    case 'bytea':
      return { change: ['set_byte(c, 0, 255 - get_byte(c, 0))', "''"], fresh: "'\\x00'" };
    case 'json':
      return { change: [`(c::text || ' ')::json`, `'{"a": "\\u0000"}'`, "'5'"], fresh: "'{}'" };
    case 'jsonb':
      return { change: [`jsonb_build_object('a', c)`, `c || '{"a": 1}'`, "'5'"], fresh: "'{}'" };
    case 'character varying':
      return { change: [`translate(c, '0123456789abcdef', '123456789abcdef0')`, "''"], fresh: `'0'` };
    case 'text':
      return { change: [`c || 'x'`, `translate(c, '0123456789abcdef', '123456789abcdef0')`, "''"], fresh: `'0'` };
    default:
      throw new Error(`what is another value of ${type}?`);
  }
}

export async function findings(client: pg.Client, id: string, noted: [string, string] | [] = []): Promise<Finding[]> {
  const named = ['$1', '$2', '$3'].slice(0, 1 + noted.length).join(', ');
  return (await client.query<Finding>(`select * from patchdiff_audit.verify_target(${named})`, [id, ...noted])).rows;
}

/** Runs statements as a vandal would, asks, and takes them back; null when they changed nothing at all. */
export async function undone<T>(client: pg.Client, statements: string[], ask: () => Promise<T>): Promise<T | null> {
  await client.query('begin');
  try {
    let touched = 0;
    for (const sql of statements) touched += (await client.query(sql)).rowCount ?? 0;
    return touched === 0 ? null : await ask();
  } finally {
    await client.query('rollback');
  }
}
