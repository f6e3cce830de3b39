import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { fillHistory } from '../bench/histories.ts';
import { useDatabase } from '../helpers/database.ts';

/*
 * How pages of history are read, as the planner says it of every statement inside the calls: by an index, in the index's order,
 * without a look at what is stored out of line.
 */

const TARGET = '00000000-0000-4000-8000-00000000000a';
const KEYED = 'turn-7';
/** Enough that the planner would rather not read the table whole. */
const ATTEMPTS = 3000;
const HISTORY = ['append_only_pdcp_logs', 'append_only_manifest_ledger'];

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: Plan[];
}

const own = useDatabase();
let admin: pg.Client;

beforeAll(async () => {
  admin = await own.client('admin');
  await admin.query('select patchdiff.create_target($1, $2, $3)', [TARGET, 'doc', 'text\n']);
  await fillHistory(admin, { target: TARGET, format: 'patchdiff-tx/1', attempts: ATTEMPTS, characters: 4000 });
});

/** Every plan that a statement and the statements inside its functions ran by. */
async function plansOf(sql: string, mode: 'force_generic_plan' | 'force_custom_plan'): Promise<Plan[]> {
  const client = await own.client('admin');
  const plans: Plan[] = [];
  client.on('notice', ({ message }) => {
    const at = message?.indexOf('plan:\n') ?? -1;
    if (at >= 0) plans.push((JSON.parse(message?.slice(at + 6) ?? '') as { Plan: Plan }).Plan);
  });
  await client.query("load 'auto_explain'");
  for (const setting of ['log_min_duration = 0', 'log_nested_statements = on', "log_format = 'json'", "log_level = 'notice'"]) {
    await client.query(`set auto_explain.${setting}`);
  }
  await client.query(`set plan_cache_mode = ${mode}`);
  await client.query({ name: 'page', text: sql, values: [TARGET] });
  await client.end();
  return plans;
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** Rows fetched from the history's out-of-line storage by a statement. */
async function detoasted(sql: string): Promise<number> {
  await admin.query('begin');
  await admin.query(sql, [TARGET]);
  const { rows } = await admin.query<{ fetched: number }>(
    `select coalesce(sum(t.idx_tup_fetch), 0)::integer as fetched
     from pg_class as c join pg_stat_xact_all_tables as t on t.relid = c.reltoastrelid
     where c.relname = any($1)`,
    [HISTORY],
  );
  await admin.query('rollback');
  return rows[0]?.fetched ?? -1;
}

const PAGES: Record<string, string> = {
  'the newest attempts': `select * from patchdiff.read_attempts($1, 50)`,
  'attempts below a cursor': `select * from patchdiff.read_attempts($1, 50, 2000)`,
  'attempts of a status': `select * from patchdiff.read_attempts($1, 50, null, 'accepted')`,
  'attempts of a payload': `select * from patchdiff.read_attempts($1, 50, null, null, encode(sha256('7'), 'hex'))`,
  'the attempt of a key': `select * from patchdiff.read_attempts($1, 50, null, null, null, '${KEYED}')`,
  'the newest changes': `select * from patchdiff.read_ledger($1, true, 50)`,
  'changes below a cursor': `select * from patchdiff.read_ledger($1, true, 50, 2000)`,
  'changes of the open cycle': `select * from patchdiff.read_ledger($1, false, 50)`,
  'the view of attempts': `select * from patchdiff_audit.attempts where target_file_id = $1 order by log_sequence desc limit 51`,
  'the view of changes': `select * from patchdiff_audit.changes where target_file_id = $1 order by ledger_sequence desc limit 51`,
};

describe.each(Object.entries(PAGES))('%s', (_, sql) => {
  test.each(['force_generic_plan', 'force_custom_plan'] as const)('come by an index, in its order, under %s', async (mode) => {
    const nodes = (await plansOf(sql, mode)).flatMap(nodesOf);
    const scans = nodes.filter((node) => HISTORY.includes(node['Relation Name'] ?? ''));
    expect(scans).not.toEqual([]);
    expect(scans.filter((node) => !/^Index (Only )?Scan$/.test(node['Node Type']))).toEqual([]);
    expect(nodes.map((node) => node['Node Type']).filter((type) => /Sort|Hash|Materialize|Bitmap/.test(type))).toEqual([]);
  });

  test('leaves payloads where they are', async () => {
    expect(await detoasted(sql)).toBe(0);
  });
});

test('a page that is asked for the payloads reads them, so the count above can fail', async () => {
  expect(await detoasted('select * from patchdiff.read_attempts($1, 50, null, null, null, null, true)')).toBeGreaterThanOrEqual(50);
});
