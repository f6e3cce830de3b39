import type pg from 'pg';
import { SCHEMAS } from './catalog.ts';
import { generateFile } from './generated.ts';

/** `npm run db:docs [-- --check]`: docs/spec/data-model.md, from the comments of the database itself. */
export function main(argv: readonly string[]): Promise<number> {
  return generateFile('docs/spec/data-model.md', argv, describeModel);
}

interface Relation {
  name: string;
  kind: 'table' | 'view' | 'type';
  comment: string | null;
  columns: { name: string; type: string; required: boolean; comment: string | null }[];
}

interface Routine {
  name: string;
  arguments: string;
  result: string;
  volatility: string;
  comment: string | null;
}

/** The data model as Markdown: schemas, tables, views, row types and routines, each with its comment. */
export async function describeModel(client: pg.Client): Promise<string> {
  const parts = [
    '# Data model\n\nGenerated from the comments in the database by `npm run db:docs`; change those. ' +
      'What a client calls is in `patchdiff`, what a DBA reads in `patchdiff_audit`; `patchdiff_store` is nobody’s to call.\n',
  ];
  for (const schema of SCHEMAS) {
    const { rows: about } = await client.query<{ comment: string | null }>(
      "select obj_description(oid, 'pg_namespace') as comment from pg_namespace where nspname = $1",
      [schema],
    );
    parts.push(`## ${schema}\n\n${about[0]?.comment ?? ''}\n`);
    for (const relation of await relations(client, schema)) parts.push(describeRelation(relation));
    const routines = await routinesOf(client, schema);
    if (routines.length > 0) parts.push(describeRoutines(routines));
  }
  return parts.join('\n');
}

/** Names of our schemas, tables, views, types and routines that have no comment. */
export async function undescribed(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select 'schema ' || n.nspname as name from pg_namespace as n where n.nspname = any ($1) and obj_description(n.oid, 'pg_namespace') is null
    union all
    select 'relation ' || c.oid::regclass from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where n.nspname = any ($1) and c.relkind in ('r', 'p', 'v', 'c') and coalesce(obj_description(c.oid, 'pg_class'), obj_description(c.reltype, 'pg_type')) is null
    union all
    select 'routine ' || p.oid::regprocedure from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace
    where n.nspname = any ($1) and obj_description(p.oid, 'pg_proc') is null
    order by name`,
    [SCHEMAS],
  );
  return rows.map((row) => row.name);
}

async function relations(client: pg.Client, schema: string): Promise<Relation[]> {
  const { rows } = await client.query<Relation>(
    `select c.relname as name, case c.relkind when 'v' then 'view' when 'c' then 'type' else 'table' end as kind,
      coalesce(obj_description(c.oid, 'pg_class'), obj_description(c.reltype, 'pg_type')) as comment,
      (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'required', a.attnotnull,
          'comment', col_description(c.oid, a.attnum)) order by a.attnum)
        from pg_attribute as a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'c')
    order by array_position(array['r', 'p', 'v', 'c'], c.relkind::text), c.relname`,
    [schema],
  );
  return rows;
}

async function routinesOf(client: pg.Client, schema: string): Promise<Routine[]> {
  const { rows } = await client.query<Routine>(
    `select p.proname as name, pg_get_function_arguments(p.oid) as arguments, coalesce(pg_get_function_result(p.oid), '') as result,
      case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end as volatility,
      obj_description(p.oid, 'pg_proc') as comment
    from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace
    where n.nspname = $1 order by p.proname, pg_get_function_identity_arguments(p.oid)`,
    [schema],
  );
  return rows;
}

function describeRelation({ name, kind, comment, columns }: Relation): string {
  const rows = columns.map(
    (column) => `| ${column.name} | ${cell(column.type)} | ${column.required ? 'yes' : ''} | ${cell(column.comment ?? '')} |\n`,
  );
  const heading =
    kind === 'table' ? '| column | type | not null | |\n|---|---|---|---|\n' : '| field | type | not null | |\n|---|---|---|---|\n';
  return `### ${kind} \`${name}\`\n\n${comment ?? ''}\n\n${heading}${rows.join('')}`;
}

function describeRoutines(routines: Routine[]): string {
  const rows = routines.map(
    (routine) =>
      `| \`${routine.name}(${cell(routine.arguments)})\` | ${cell(routine.result)} | ${routine.volatility} | ${cell(routine.comment ?? '')} |\n`,
  );
  return `### Routines\n\n| routine | returns | | |\n|---|---|---|---|\n${rows.join('')}`;
}

function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|');
}
