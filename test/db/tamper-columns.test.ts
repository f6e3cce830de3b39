import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { useService } from '../service/support/service.ts';
import { richTarget } from './support/rich-target.ts';
import { disarm, findings, NO_HISTORY, otherValues, storeTables, undone, type StoreTable } from './support/vandal.ts';

/**
 * The columns that are no evidence, all of them: an edit of one is found by nothing and misleads nobody about the history.
 * Everything else in the store is found when it is altered, column by column.
 */
const NO_EVIDENCE: Readonly<Record<string, string>> = {
  'cloud_target_files.updated_at': 'when the row was last written, for lists; every write has its own chained row with its own time',
};

/** What no other record repeats: the finding says that the row is not what was hashed, and cannot say which column. */
const BY_HASH_ALONE: Readonly<Record<string, readonly string[]>> = {
  append_only_pdcp_logs: [
    ...['pdcp_log_id', 'created_at', 'regeneration_attempt', 'decided_by', 'failure_reason', 'failure_code', 'failed_change_id'],
    ...['failure_detail', 'runtime_version', 'submission_source', 'db_session_user', 'db_application_name', 'db_client_addr'],
    ...['db_transaction_id', 'actor', 'diagnostic_json', 'warnings'],
  ],
  target_snapshots: [
    ...['snapshot_id', 'created_at', 'request_fingerprint', 'db_session_user', 'db_application_name', 'db_client_addr'],
    ...['db_transaction_id', 'actor'],
  ],
  workspace_publications: [
    ...['publication_id', 'created_at', 'request_fingerprint', 'db_session_user', 'db_application_name'],
    ...['db_client_addr', 'db_transaction_id', 'actor'],
  ],
  observed_scopes: ['start_char', 'end_char', 'kind', 'qualified_path'],
  request_keys: ['client_request_id'],
  scope_observations: [
    ...['observation_sequence', 'bundle_id', 'created_at', 'has_errors', 'language', 'grammar_name', 'grammar_version', 'grammar_sha256'],
    ...['db_session_user', 'db_application_name', 'db_client_addr', 'db_transaction_id', 'actor'],
  ],
};

const own = useService();
let admin: pg.Client;
let tables: StoreTable[];
let target: string;
const namedByColumn = new Set<string>();

beforeAll(async () => {
  admin = await own.server.client('admin');
  target = (await richTarget(await own.server.client('owner'), own.service, 'a.txt')).id;
  await disarm(admin);
  tables = await storeTables(admin);
});

/** Keys of the first and the last row of a table whose column is null (or not). */
async function samples(table: StoreTable, column: string, isNull: boolean): Promise<string[]> {
  const { rows } = await admin.query<{ key: string }>(
    `select ${table.key}::text as key from patchdiff_store.${table.name}
     where target_file_id = $1 and ${column} is ${isNull ? '' : 'not'} null order by ${table.key}`,
    [target],
  );
  const keys = rows.map(({ key }) => key);
  return [...new Set([keys[0], keys.at(-1)])].filter((key) => key !== undefined);
}

interface Edit {
  label: string;
  sql: string;
  table: StoreTable;
  column: string;
  key: string;
}

/** Every kind of other value on one row of each column, one kind on the others. */
async function editsOf(table: StoreTable): Promise<Edit[]> {
  const edits: Edit[] = [];
  for (const { name, type, nullable, inKey } of table.columns) {
    if (`${table.name}.${name}` in NO_EVIDENCE) continue;
    const { change, fresh } = otherValues(type);
    // A neighbour has the next number of a key; rows that are exchanged are a case of their own.
    const changes = inKey && name !== 'target_file_id' ? change.filter((value) => !/ [+-] 1$/.test(value)) : change;
    const edit = (key: string, value: string): Edit => {
      const of = value.replace(/\bc\b/g, () => name);
      const where = `target_file_id = '${target}' and ${table.key}::text = '${key}'`;
      return {
        label: `${table.name} ${key}: ${name} = ${of}`,
        sql: `update patchdiff_store.${table.name} set ${name} = ${of} where ${where} and ${name}::text is distinct from (${of})::text`,
        table,
        column: name,
        key,
      };
    };
    const held = await samples(table, name, false);
    edits.push(...held.flatMap((key, place) => (place === held.length - 1 ? changes : changes.slice(0, 1)).map((value) => edit(key, value))));
    if (nullable) edits.push(...held.slice(-1).map((key) => edit(key, 'null')));
    edits.push(...(await samples(table, name, true)).slice(-1).map((key) => edit(key, fresh)));
  }
  return edits;
}

/** What of an edit verify_target does not say: the table and the row, by the key the row had or, where the key was edited, has now. */
async function unfound({ label, sql, table, column, key }: Edit): Promise<string | null> {
  return undone(admin, [sql], async () => {
    const named = (await findings(admin, target)).filter(({ table_name }) => table_name === table.name);
    if (named.some(({ column_name }) => column_name === column)) namedByColumn.add(`${table.name}.${column}`);
    const isNamed = named.some(({ row_key }) => row_key === `${table.key}=${key}`);
    if (isNamed || (column === table.key && named.length > 0) || (column === 'target_file_id' && named.length > 0)) return null;
    return `${label}: ${JSON.stringify(named)}`;
  });
}

test('the target is whole before anything is touched', async () => {
  expect(await findings(admin, target)).toEqual([]);
});

test('every table of the store is one of a target, or excused', () => {
  expect(tables.filter(({ columns }) => !columns.some(({ name }) => name === 'target_file_id'))).toEqual([]);
  expect(tables.length + Object.keys(NO_HISTORY).length).toBeGreaterThanOrEqual(9);
});

test('the excused columns exist', () => {
  const columns = tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`));
  expect(Object.keys(NO_EVIDENCE).filter((name) => !columns.includes(name))).toEqual([]);
});

describe('each column of each table, altered alone', () => {
  test('is found, and the finding names table and row', { timeout: 300_000 }, async () => {
    const missed: string[] = [];
    let tried = 0;
    for (const table of tables) {
      for (const edit of await editsOf(table)) {
        tried += 1;
        const said = await unfound(edit).catch((error: unknown) => `${edit.label}: ${String(error)}`);
        if (said !== null) missed.push(said);
      }
    }
    expect(missed).toEqual([]);
    const columns = tables.flatMap(({ name, columns }) => columns.map((column) => ({ table: name, column: column.name })));
    expect(tried).toBeGreaterThan(columns.length);
    const byHashAlone = columns.filter(
      ({ table, column }) =>
        column !== 'target_file_id' && !(`${table}.${column}` in NO_EVIDENCE) && !namedByColumn.has(`${table}.${column}`),
    );
    expect(byHashAlone).toEqual(
      columns.filter(({ table, column }) => BY_HASH_ALONE[table]?.includes(column)),
    );
  });
});
