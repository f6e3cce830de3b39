import type pg from 'pg';

/** Our schemas. */
export const SCHEMAS = ['patchdiff', 'patchdiff_audit', 'patchdiff_store', 'patchdiff_guard'];

/** Who owns: our own role by its name, and whoever migrated by none, since that differs between servers. */
const owner = (column: string) =>
  `case when ${column}::regrole::text like 'patchdiff\\_%' then ${column}::regrole::text else '<the migrating login>' end`;

interface Section {
  title: string;
  sql: string;
}

// Every query gives one column `line`, in a fixed order. $1 is the list of our schemas.
const SECTIONS: Section[] = [
  {
    title: 'Schemas',
    sql: `select format('schema %I owner %s', n.nspname, ${owner('n.nspowner')}) as line
      from pg_namespace as n where n.nspname = any ($1) order by n.nspname`,
  },
  {
    title: 'Composite types',
    sql: `select format(E'type %s (\\n%s\\n)', c.oid::regclass, string_agg(format('  %I %s', a.attname, format_type(a.atttypid, a.atttypmod)), E',\\n' order by a.attnum)) as line
      from pg_class as c join pg_namespace as n on n.oid = c.relnamespace join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where n.nspname = any ($1) and c.relkind = 'c' group by n.nspname, c.relname, c.oid order by n.nspname, c.relname`,
  },
  {
    title: 'Tables',
    sql: `select format(E'table %s owner %s%s (\\n%s\\n)', c.oid::regclass, ${owner('c.relowner')}, coalesce(' with (' || array_to_string(c.reloptions || t.toast, ', ') || ')', ''),
        (select string_agg(format('  %I %s%s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
            case when a.attcollation <> ty.typcollation then ' collate ' || quote_ident(co.collname) else '' end,
            case when a.attnotnull then ' not null' else '' end,
            coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), ''),
            case when a.attstorage <> ty.typstorage then ' storage ' || case a.attstorage when 'e' then 'external' when 'm' then 'main' when 'p' then 'plain' else 'extended' end else '' end), E',\\n' order by a.attnum)
          from pg_attribute as a join pg_type as ty on ty.oid = a.atttypid left join pg_collation as co on co.oid = a.attcollation
          left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)) as line
      from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
      left join lateral (select array(select 'toast.' || o from unnest(tc.reloptions) as o) as toast from pg_class as tc where tc.oid = c.reltoastrelid) as t on true
      where n.nspname = any ($1) and c.relkind in ('r', 'p') order by n.nspname, c.relname`,
  },
  {
    // PostgreSQL 18 lists not-null constraints here; the columns say so already.
    title: 'Constraints',
    sql: `select format('constraint %s on %s: %s', o.conname, o.conrelid::regclass, pg_get_constraintdef(o.oid)) as line
      from pg_constraint as o join pg_class as c on c.oid = o.conrelid join pg_namespace as n on n.oid = c.relnamespace
      where n.nspname = any ($1) and o.contype <> 'n' order by n.nspname, c.relname, o.conname`,
  },
  {
    title: 'Indexes',
    sql: `select pg_get_indexdef(i.indexrelid) as line
      from pg_index as i join pg_class as c on c.oid = i.indrelid join pg_class as x on x.oid = i.indexrelid join pg_namespace as n on n.oid = c.relnamespace
      where n.nspname = any ($1) and c.relkind in ('r', 'p') order by n.nspname, c.relname, x.relname`,
  },
  {
    title: 'Triggers',
    sql: `select format('%s%s', pg_get_triggerdef(t.oid), case t.tgenabled when 'A' then ' [always]' when 'D' then ' [disabled]' when 'R' then ' [replica]' else '' end) as line
      from pg_trigger as t join pg_class as c on c.oid = t.tgrelid join pg_namespace as n on n.oid = c.relnamespace
      where n.nspname = any ($1) and not t.tgisinternal order by n.nspname, c.relname, t.tgname`,
  },
  {
    title: 'Views',
    sql: `select format(E'view %s owner %s as\\n%s', c.oid::regclass, ${owner('c.relowner')}, pg_get_viewdef(c.oid)) as line
      from pg_class as c join pg_namespace as n on n.oid = c.relnamespace where n.nspname = any ($1) and c.relkind = 'v' order by n.nspname, c.relname`,
  },
  {
    title: 'Routines',
    sql: `select format(E'%s %I.%I (%s)\\n  returns %s\\n  owner %s, language %s, %s%s%s%s\\n  body md5 %s',
        case p.prokind when 'p' then 'procedure' else 'function' end, n.nspname, p.proname, pg_get_function_arguments(p.oid),
        coalesce(pg_get_function_result(p.oid), 'nothing'), ${owner('p.proowner')}, l.lanname,
        case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
        case when p.prosecdef then ', security definer' else '' end, case when p.proisstrict then ', strict' else '' end,
        coalesce(', set ' || array_to_string(p.proconfig, ', '), ''), md5(p.prosrc)) as line
      from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace join pg_language as l on l.oid = p.prolang
      where n.nspname = any ($1) order by n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)`,
  },
  {
    title: 'Event triggers',
    sql: `select format('event trigger %I on %s execute %s [%s]', e.evtname, e.evtevent, e.evtfoid::regproc, e.evtenabled) as line
      from pg_event_trigger as e join pg_proc as p on p.oid = e.evtfoid join pg_namespace as n on n.oid = p.pronamespace
      where n.nspname = any ($1) order by e.evtname`,
  },
  {
    title: 'Grants (to others than the owner)',
    sql: `select format('%s %s: %s', g.kind, g.name, string_agg(g.grantee || ' may ' || g.rights, ', ' order by g.grantee)) as line
      from (
        select o.kind, o.name, coalesce(nullif(a.grantee, 0)::regrole::text, 'public') as grantee, string_agg(lower(a.privilege_type), ' ' order by a.privilege_type) as rights
        from (
          select 'schema' as kind, n.nspname::text as name, n.nspacl as acl, n.nspowner as owner from pg_namespace as n where n.nspname = any ($1)
          union all
          select case c.relkind when 'v' then 'view' else 'table' end, c.oid::regclass::text, c.relacl, c.relowner
          from pg_class as c join pg_namespace as n on n.oid = c.relnamespace where n.nspname = any ($1) and c.relkind in ('r', 'p', 'v')
          union all
          select 'routine', p.oid::regprocedure::text, coalesce(p.proacl, acldefault('f', p.proowner)), p.proowner
          from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace where n.nspname = any ($1)
        ) as o, lateral aclexplode(o.acl) as a
        where a.grantee <> o.owner
        group by o.kind, o.name, a.grantee
      ) as g group by g.kind, g.name order by g.kind desc, g.name`,
  },
];

/** The whole of our schemas as text: the same bytes for the same objects, on every server of one major version. */
export async function dumpSchema(client: pg.Client): Promise<string> {
  await client.query("set search_path = ''");
  const parts = ['-- Generated from the catalog by `npm run db:schema`: what db/committed and db/current build. Not a script to run.\n'];
  for (const { title, sql } of SECTIONS) {
    const { rows } = await client.query<{ line: string }>(sql, [SCHEMAS]);
    parts.push(`-- ${title}\n${rows.map((row) => `${row.line}\n`).join('')}`);
  }
  return parts.join('\n');
}
