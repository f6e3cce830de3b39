import type pg from 'pg';

/** A named part of a table, with its definition as SQL and its comment. */
export interface Listed {
  name: string;
  definition: string;
  comment: string | null;
}

export interface Relation {
  name: string;
  kind: 'table' | 'view' | 'type';
  comment: string | null;
  grants: string | null;
  columns: { name: string; type: string; required: boolean; preset: string | null; comment: string | null }[];
  constraints: Listed[];
  indexes: Listed[];
  triggers: Listed[];
}

export interface Routine {
  name: string;
  arguments: string;
  result: string;
  /** Kind when it is no function, volatility, security and settings, as one line. */
  traits: string;
  grants: string | null;
  comment: string | null;
}

export interface SchemaFacts {
  comment: string | null;
  grants: string | null;
  relations: Relation[];
  routines: Routine[];
  eventTriggers: Listed[];
}

/** Who but the owner holds which rights, as one line; null when nobody does. */
const granted = (acl: string, owner: string): string => `(
  select string_agg(g.line, '; ' order by g.line) from (
    select coalesce(nullif(a.grantee, 0::oid)::regrole::text, 'PUBLIC') || ' ' || string_agg(a.privilege_type, ', ' order by a.privilege_type) as line
    from aclexplode(${acl}) as a where a.grantee <> ${owner} group by a.grantee
  ) as g)`;

const CONSTRAINTS = `(
  select coalesce(json_agg(json_build_object('name', k.conname, 'definition', '\`' || pg_get_constraintdef(k.oid) || '\`', 'comment', obj_description(k.oid, 'pg_constraint'))
    order by array_position(array['p', 'u', 'f', 'c', 'x'], k.contype::text), k.conname), '[]')
  from pg_constraint as k where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c', 'x'))`;
const INDEXES = `(
  select coalesce(json_agg(json_build_object('name', x.relname, 'comment', obj_description(x.oid, 'pg_class'),
    'definition', '\`' || regexp_replace(pg_get_indexdef(x.oid), '^CREATE (UNIQUE )?INDEX \\S+ ON \\S+ USING ', '\\1') || '\`') order by x.relname), '[]')
  from pg_index as i join pg_class as x on x.oid = i.indexrelid
  where i.indrelid = c.oid and not exists (select from pg_constraint as k where k.conindid = i.indexrelid))`;
const TRIGGERS = `(
  select coalesce(json_agg(json_build_object('name', t.tgname, 'comment', obj_description(t.oid, 'pg_trigger'),
    'definition', '\`' || regexp_replace(pg_get_triggerdef(t.oid), '^CREATE TRIGGER \\S+ ', '') || '\`' ||
      case t.tgenabled when 'A' then ', always enabled' when 'D' then ', disabled' when 'R' then ', in replica mode' else '' end) order by t.tgname), '[]')
  from pg_trigger as t where t.tgrelid = c.oid and not t.tgisinternal)`;

/** Everything in one of our schemas, from the catalog; names in full, which the caller sees to by an empty search_path. */
export async function schemaFacts(client: pg.Client, schema: string): Promise<SchemaFacts> {
  const rows = async <T extends pg.QueryResultRow>(sql: string): Promise<T[]> => (await client.query<T>(sql, [schema])).rows;
  const [about] = await rows<{ comment: string | null; grants: string | null }>(
    `select obj_description(n.oid, 'pg_namespace') as comment, ${granted('n.nspacl', 'n.nspowner')} as grants from pg_namespace as n where n.nspname = $1`,
  );
  return {
    comment: about?.comment ?? null,
    grants: about?.grants ?? null,
    relations: await rows<Relation>(
      `select c.relname as name, case c.relkind when 'v' then 'view' when 'c' then 'type' else 'table' end as kind,
        coalesce(obj_description(c.oid, 'pg_class'), obj_description(c.reltype, 'pg_type')) as comment, ${granted('c.relacl', 'c.relowner')} as grants,
        (select json_agg(json_build_object('name', a.attname, 'required', a.attnotnull, 'preset', pg_get_expr(d.adbin, d.adrelid),
            'type', format_type(a.atttypid, a.atttypmod) || case when c.relkind = 'r' and a.attcollation <> y.typcollation then ' collate ' || quote_ident(o.collname) else '' end,
            'comment', col_description(c.oid, a.attnum)) order by a.attnum)
          from pg_attribute as a join pg_type as y on y.oid = a.atttypid left join pg_collation as o on o.oid = a.attcollation
          left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
        ${CONSTRAINTS} as constraints, ${INDEXES} as indexes, ${TRIGGERS} as triggers
      from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
      where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'c')
      order by array_position(array['r', 'p', 'v', 'c'], c.relkind::text), c.relname`,
    ),
    routines: await rows<Routine>(
      `select p.proname as name, pg_get_function_arguments(p.oid) as arguments, coalesce(pg_get_function_result(p.oid), '') as result,
        concat_ws(', ', case p.prokind when 'p' then 'procedure' when 'a' then 'aggregate' end, l.lanname,
          case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end, case when p.proisstrict then 'strict' end,
          case when p.prosecdef then 'as its owner' else 'as its caller' end, 'set ' || array_to_string(p.proconfig, ', ')) as traits,
        ${granted(`coalesce(p.proacl, acldefault('f', p.proowner))`, 'p.proowner').replaceAll(` || ' ' || string_agg(a.privilege_type, ', ' order by a.privilege_type)`, '')} as grants,
        obj_description(p.oid, 'pg_proc') as comment
      from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace join pg_language as l on l.oid = p.prolang
      where n.nspname = $1 order by p.proname, pg_get_function_identity_arguments(p.oid)`,
    ),
    eventTriggers: await rows<Listed>(
      `select e.evtname as name, format('on \`%s\` executes \`%s\`', e.evtevent, e.evtfoid::regprocedure)
          || case e.evtenabled when 'A' then ', always enabled' when 'D' then ', disabled' else '' end as definition, obj_description(e.oid, 'pg_event_trigger') as comment
      from pg_event_trigger as e join pg_proc as p on p.oid = e.evtfoid join pg_namespace as n on n.oid = p.pronamespace
      where n.nspname = $1 order by e.evtname`,
    ),
  };
}
