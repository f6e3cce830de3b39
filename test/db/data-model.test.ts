import { expect, test } from 'vitest';
import { describeModel } from '../../scripts/data-model.ts';
import { useDatabase } from '../helpers/database.ts';

const database = useDatabase();

test('the data model page names everything that the catalog holds, with every comment', async () => {
  const client = await database.client('admin');
  const page = await describeModel(client);
  const { rows } = await client.query<{ kind: string; text: string }>(`
    with ours as (select n.oid, n.nspname from pg_catalog.pg_namespace as n where n.nspname like 'patchdiff%')
    select 'schema' as kind, '## ' || o.nspname as text from ours as o
    union all
    select 'relation', format('### %s \`%s\`', case c.relkind when 'v' then 'view' when 'c' then 'type' else 'table' end, c.relname)
    from pg_catalog.pg_class as c join ours as o on o.oid = c.relnamespace where c.relkind in ('r', 'p', 'v', 'm', 'f', 'c', 'S')
    union all
    select 'column', format('| %s | %s', a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod))
    from pg_catalog.pg_attribute as a join pg_catalog.pg_class as c on c.oid = a.attrelid join ours as o on o.oid = c.relnamespace
    where c.relkind in ('r', 'v', 'c') and a.attnum > 0 and not a.attisdropped
    union all
    select 'constraint', format('* \`%s\`: \`%s\`', k.conname, pg_catalog.pg_get_constraintdef(k.oid))
    from pg_catalog.pg_constraint as k join ours as o on o.oid = k.connamespace where k.conrelid <> 0 and k.contype not in ('n', 't')
    union all
    select 'index', format('\`%s\`: ', c.relname)
    from pg_catalog.pg_index as i join pg_catalog.pg_class as c on c.oid = i.indexrelid join ours as o on o.oid = c.relnamespace
    union all
    select 'trigger', format('* \`%s\`: ', t.tgname)
    from pg_catalog.pg_trigger as t join pg_catalog.pg_class as c on c.oid = t.tgrelid join ours as o on o.oid = c.relnamespace where not t.tgisinternal
    union all
    select 'routine', format('| \`%s(%s)\` | %s |', p.proname, pg_catalog.pg_get_function_arguments(p.oid), pg_catalog.pg_get_function_result(p.oid))
    from pg_catalog.pg_proc as p join ours as o on o.oid = p.pronamespace
    union all
    select 'event trigger', format('* \`%s\`: ', e.evtname) from pg_catalog.pg_event_trigger as e where e.evtname like 'patchdiff%'
    union all
    select 'domain or enum', t.typname
    from pg_catalog.pg_type as t join ours as o on o.oid = t.typnamespace where t.typtype in ('d', 'e', 'r')
    union all
    select 'comment', pg_catalog.regexp_replace(d.description, '\\s+', ' ', 'g')
    from pg_catalog.pg_description as d
    where d.description <> '' and (
      (d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objoid in (
        select c.oid from pg_catalog.pg_class as c join ours as o on o.oid = c.relnamespace))
      or (d.classoid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objoid in (
        select p.oid from pg_catalog.pg_proc as p join ours as o on o.oid = p.pronamespace))
      or (d.classoid = 'pg_catalog.pg_type'::pg_catalog.regclass and d.objoid in (
        select t.oid from pg_catalog.pg_type as t join ours as o on o.oid = t.typnamespace))
      or (d.classoid = 'pg_catalog.pg_namespace'::pg_catalog.regclass and d.objoid in (select o.oid from ours as o))
    )`);
  const flat = page.replaceAll('\\|', '|');
  expect(rows.length).toBeGreaterThan(1000);
  expect(rows.filter(({ text }) => !flat.includes(text))).toEqual([]);
});
