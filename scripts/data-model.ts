import type pg from 'pg';
import { SCHEMAS } from './catalog.ts';
import { generateFile } from './generated.ts';
import { schemaFacts, type Listed, type Relation, type Routine } from './data-model-facts.ts';

/** `npm run db:docs [-- --check]`: docs/spec/data-model.md, from the catalog and the comments of the database itself. */
export function main(argv: readonly string[]): Promise<number> {
  return generateFile('docs/spec/data-model.md', argv, describeModel);
}

/**
 * The data model as Markdown: schemas, tables with columns, keys, checks, indexes, triggers and grants, views, row types, routines
 * with signature, volatility, security, settings and grants, and event triggers, each with its comment.
 */
export async function describeModel(client: pg.Client): Promise<string> {
  await client.query("set search_path = ''");
  const parts = [
    '# Data model\n\nGenerated from the comments in the database by `npm run db:docs`; change those. ' +
      'What a client calls is in `patchdiff`, what a DBA reads in `patchdiff_audit`; `patchdiff_store` is nobody’s to call. ' +
      'Everything belongs to `patchdiff_owner`, but what stands in `patchdiff_guard`; that belongs to the migrating login. ' +
      'Nothing is granted to PUBLIC.\n',
  ];
  for (const schema of SCHEMAS) {
    const { comment, grants, relations, routines, eventTriggers } = await schemaFacts(client, schema);
    parts.push(`## ${schema}\n\n${comment ?? ''}${grantsLine(grants)}\n`);
    for (const relation of relations) parts.push(describeRelation(relation));
    if (routines.length > 0) parts.push(describeRoutines(routines));
    if (eventTriggers.length > 0) parts.push(`### Event triggers\n\n${list(eventTriggers)}`);
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

function describeRelation(relation: Relation): string {
  const { name, kind, comment, columns, grants } = relation;
  const isTable = kind === 'table';
  const heading = isTable ? '| column | type | null | default | |\n|---|---|---|---|---|\n' : '| field | type | |\n|---|---|---|\n';
  const rows = columns.map(({ name: column, type, required, preset, comment: about }) =>
    isTable
      ? `| ${column} | ${cell(type)} | ${required ? 'no' : 'yes'} | ${cell(preset ?? '')} | ${cell(about ?? '')} |\n`
      : `| ${column} | ${cell(type)} | ${cell(about ?? '')} |\n`,
  );
  const sections = (
    [
      ['Keys and checks', relation.constraints],
      ['Indexes', relation.indexes],
      ['Triggers', relation.triggers],
    ] as const
  )
    .filter(([, items]) => items.length > 0)
    .map(([title, items]) => `\n${title}:\n\n${list(items)}`);
  return `### ${kind} \`${name}\`\n\n${comment ?? ''}${grantsLine(grants)}\n\n${heading}${rows.join('')}${sections.join('')}`;
}

function describeRoutines(routines: Routine[]): string {
  const rows = routines.map(
    ({ name, arguments: given, result, traits, grants, comment }) =>
      `| \`${name}(${cell(given)})\` | ${cell(result)} | ${cell(traits)} | ${cell(grants ?? '')} | ${cell(comment ?? '')} |\n`,
  );
  return `### Routines\n\n| routine | returns | how it runs | executed by | |\n|---|---|---|---|---|\n${rows.join('')}`;
}

const grantsLine = (grants: string | null): string => (grants === null ? '' : `\n\nGranted: ${grants}.`);

const list = (items: Listed[]): string =>
  items
    .map(({ name, definition, comment }) => `* \`${name}\`: ${definition}${comment === null ? '' : ` — ${comment.replace(/\s+/g, ' ')}`}\n`)
    .join('');

function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|');
}
