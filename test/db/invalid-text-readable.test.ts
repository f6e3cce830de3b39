import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/transaction/index.ts';
import { Random } from '../helpers/random.ts';
import { newTarget, textOf, useService } from '../service/support/service.ts';
import { fullArguments, INVALID, invalid, spoil } from './support/invalid-text.ts';

const context = useService();
const CONTENT = 'alpha beta\n';
const SCHEMAS = ['patchdiff_store', 'patchdiff_audit'];
let admin: pg.Client;
let auditor: pg.Client;
let id: string;
let attempts: string[];

beforeAll(async () => {
  admin = await context.server.client('admin');
  auditor = await context.server.client('auditor');
  id = await newTarget(context.service, CONTENT);
  const random = new Random(41);
  const submit = async (args: JsonObject, format: 'patchdiff-tx/1' | 'patchdiff-tx/2' | 'patchdiff-tx/3' = 'patchdiff-tx/1'): Promise<JsonObject> =>
    context.service.submit(format, { target_file_id: id, intent: 'i', expected_target_version: 0, ...args });
  attempts = [];
  for (let round = 0; round < 60; round += 1) {
    const { format, args } = fullArguments(random, id, 0);
    const receipt = await submit({ ...(spoil(random, args) as JsonObject), client_request_id: `k${round}` }, format);
    attempts.push(receipt['pdcp_log_id'] as string);
  }
  // Beside the record: each text in each place, alone, in an array, as a key; as a parent that is kept, too.
  for (const name of ['client_request_id', 'parent_pdcp_log_id', 'attempt', 'source', 'correlation_id', 'expected_target_version', 'expected_current_hash']) {
    for (const text of INVALID) {
      for (const value of [text, [text], { [text]: invalid(random) }] as JsonValue[]) await submit({ edits: [{ match: 'x', replace: 'y' }], [name]: value });
    }
  }
  // A conflict, a deep one and one over the limits, all with such text in them.
  let deep: JsonValue = '\0';
  for (let level = 0; level < 3_000; level += 1) deep = [deep];
  for (const args of [{ client_request_id: 'k0', intent: '\0' }, { deep }, { edits: Array.from({ length: 2_100 }, () => ({ match: '\ud800' })) }] as JsonObject[]) {
    expect(await submit(args)).toMatchObject({ status: 'rejected' });
  }
  await submit({ edits: [{ match: 'alpha', replace: 'gamma' }], parent_pdcp_log_id: attempts[0]!, attempt: 2 });
});

interface Column {
  relation: string;
  name: string;
  type: string;
}

/** Every column of every table and view of ours. */
async function columns(): Promise<Column[]> {
  const { rows } = await admin.query<Column>(
    `select format('%I.%I', c.table_schema, c.table_name) as relation, quote_ident(c.column_name) as name, c.data_type as type
     from information_schema.columns as c where c.table_schema = any ($1) order by 1, 2`,
    [SCHEMAS],
  );
  return rows;
}

test('every JSON column of every row can be read and cast in any way', async () => {
  const json = (await columns()).filter(({ type }) => type === 'json' || type === 'jsonb');
  expect(json.map(({ relation, name }) => `${relation}.${name}`)).toEqual(
    expect.arrayContaining(['patchdiff_store.append_only_pdcp_logs.diagnostic_json', 'patchdiff_store.append_only_pdcp_logs.actor', 'patchdiff_audit.attempts.diagnostic']),
  );
  for (const { relation, name } of json) {
    const readings = [
      `${name} ->> 'failure_code'`,
      `${name}::jsonb ->> 'raw_source'`,
      `${name}::jsonb #>> '{failure_context,text}'`,
      `jsonb_path_query_array(${name}::jsonb, 'strict $.**', silent => true)::text`,
      `${name}::text::jsonb::text::json::text`,
      `(select string_agg(e.key || e.value, '') from json_each_text(case json_typeof(${name}::json) when 'object' then ${name}::json end) as e)`,
    ];
    await admin.query(`select ${readings.map((reading) => `max(length(${reading}))`).join(', ')} from ${relation}`);
  }
});

test('every row of every table and view can be read whole, as JSON too', async () => {
  const relations = [...new Set((await columns()).map(({ relation }) => relation))];
  expect(relations.length).toBeGreaterThan(12);
  for (const relation of relations) await admin.query(`select to_jsonb(r)::text, row_to_json(r)::jsonb, r::text from ${relation} as r`);
});

test('the payload column of each such row is JSON whose every member can be read, and inputs is a string', async () => {
  const { rows } = await admin.query<{ kind: string; rows: number }>(
    `select jsonb_typeof(pdcp_content::jsonb -> 'inputs') as kind, count(*)::integer as rows,
            max(length(pdcp_content::jsonb ->> 'inputs')), max(pdcp_content::json ->> 'runtime_version')
     from patchdiff_store.append_only_pdcp_logs
     where target_file_id = $1 and failure_reason = 'target_encoding_invalid' group by 1`,
    [id],
  );
  expect(rows.map(({ kind }) => kind)).toEqual(['string']);
  expect(rows[0]!.rows).toBeGreaterThan(250);
});

test('the audit functions and the reads of the log work on such rows', async () => {
  const call = async (text: string, values: unknown[]): Promise<unknown[]> => (await auditor.query<Record<string, unknown>>(text, values)).rows;
  expect(await call('select * from patchdiff_audit.verify_target($1)', [id])).toEqual([]);
  expect(await call('select * from patchdiff_audit.verify_all()', [])).toEqual([]);
  expect(await call('select * from patchdiff_audit.reconstruct($1, 1)', [id])).toHaveLength(1);
  expect(await call('select * from patchdiff_audit.chain_head($1)', [id])).toHaveLength(1);
  expect(await call('select * from patchdiff_audit.version_at($1, now())', [id])).toHaveLength(1);
  expect(await call('select * from patchdiff_audit.retry_tree($1)', [attempts[0]])).toHaveLength(2);
  let before: unknown = null;
  let seen = 0;
  do {
    const page = await context.service.getPdcpLog({ target_file_id: id, limit: 200, include_content: true, before_sequence: before as number });
    expect(page['status']).toBe('ok');
    seen += (page['entries'] as unknown[]).length;
    before = page['next_sequence'];
  } while (before !== null);
  expect(seen).toBeGreaterThan(250);
  expect(await context.service.getManifestLedger({ target_file_id: id })).toMatchObject({ status: 'ok' });
});

test('none of it was applied, and none is replayed', async () => {
  expect(await textOf(context.service, id)).toBe('gamma beta\n');
  expect(await context.service.replayTarget({ target_file_id: id })).toMatchObject({ status: 'success', materialized_state_matches: true });
});
