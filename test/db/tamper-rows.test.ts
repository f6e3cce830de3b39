import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { useService } from '../service/support/service.ts';
import { richTarget } from './support/rich-target.ts';
import { disarm, findings, storeTables, undone, type Finding, type StoreTable } from './support/vandal.ts';

const own = useService();
let admin: pg.Client;
let tables: StoreTable[];
let target: string;
let other: string;

beforeAll(async () => {
  admin = await own.server.client('admin');
  const owner = await own.server.client('owner');
  target = (await richTarget(owner, own.service, 'a.txt')).id;
  other = (await richTarget(owner, own.service, 'b.txt')).id;
  await disarm(admin);
  tables = await storeTables(admin);
});

const rowOf = (table: StoreTable, key: string): string =>
  `target_file_id = '${target}' and ${table.key}::text = '${key}'`;

async function keysOf(table: StoreTable): Promise<string[]> {
  const { rows } = await admin.query<{ key: string }>(
    `select ${table.key}::text as key from patchdiff_store.${table.name} where target_file_id = $1 order by ${table.key}`,
    [target],
  );
  return rows.map(({ key }) => key);
}

/** The findings after the statements, which are taken back. */
async function after(...statements: string[]): Promise<Finding[]> {
  const found = await undone(admin, statements, () => findings(admin, target));
  if (found === null) throw new Error(`nothing was changed by ${statements.join('; ')}`);
  return found;
}

const names = (found: Finding[], table: string, row: string): boolean =>
  found.some(({ table_name, row_key }) => table_name === table && row_key === row);

/** A table whose rows of one target are numbered. */
const isNumbered = ({ key }: StoreTable): boolean => /_(sequence|cycle)$/.test(key);

describe('a row that is removed', () => {
  test('is missed by its table and number, wherever it stood', async () => {
    const missed: string[] = [];
    for (const table of tables) {
      const keys = await keysOf(table);
      // Of the keys each one, since they are of several kinds.
      const some = table.name === 'request_keys' ? keys : [...new Set([keys[0]!, keys[keys.length >> 1]!, keys.at(-1)!])];
      for (const key of some) {
        const chained = await admin.query<{ place: string | null }>(
          `select to_jsonb(t) ->> 'chain_sequence' as place from patchdiff_store.${table.name} as t where ${rowOf(table, key)}`,
        );
        const found = await after(`delete from patchdiff_store.${table.name} where ${rowOf(table, key)}`);
        const isMissed =
          names(found, table.name, `${table.key}=${key}`) || names(found, table.name, `chain_sequence=${String(chained.rows[0]?.place)}`);
        if (!isMissed) missed.push(`${table.name} ${key}: ${JSON.stringify(found)}`);
      }
    }
    expect(missed).toEqual([]);
  });

  test('is missed with all its neighbours too', async () => {
    for (const table of tables) {
      const found = await after(`delete from patchdiff_store.${table.name} where target_file_id = '${target}'`);
      expect(found.map(({ table_name }) => table_name), table.name).toContain(table.name);
    }
  });
});

describe('a row that is put in', () => {
  test('is found in the middle, with all later ones moved up', async () => {
    const missed: string[] = [];
    for (const table of tables.filter(isNumbered)) {
      const keys = await keysOf(table);
      const at = Number(keys[keys.length >> 1]);
      const columns = table.columns.map(({ name }) => name).filter((name) => name !== table.key).join(', ');
      const found = await after(
        `update patchdiff_store.${table.name} set ${table.key} = ${table.key} + 1000 where target_file_id = '${target}' and ${table.key} >= ${at}`,
        `update patchdiff_store.${table.name} set ${table.key} = ${table.key} - 999 where target_file_id = '${target}' and ${table.key} >= 1000`,
        `insert into patchdiff_store.${table.name} (${columns}, ${table.key})
         select ${columns}, ${at} from patchdiff_store.${table.name} where ${rowOf(table, String(at + 1))}`,
      );
      if (!names(found, table.name, `${table.key}=${at}`) && !names(found, table.name, `${table.key}=${at + 1}`))
        missed.push(`${table.name} ${at}: ${JSON.stringify(found)}`);
    }
    expect(missed).toEqual([]);
  });

  test('is found at the end', async () => {
    for (const table of tables.filter(isNumbered)) {
      const keys = await keysOf(table);
      const columns = table.columns.map(({ name }) => name).filter((name) => name !== table.key);
      // With an id of its own, as a row of its own would have.
      const values = columns.map((name) => (/^(pdcp_log|snapshot|publication)_id$/.test(name) ? 'gen_random_uuid()' : name));
      const found = await after(
        `insert into patchdiff_store.${table.name} (${columns.join(', ')}, ${table.key})
         select ${values.join(', ')}, ${table.key} + 1 from patchdiff_store.${table.name} where ${rowOf(table, keys.at(-1)!)}`,
      );
      expect(found.map(({ table_name }) => table_name), table.name).toContain(table.name);
    }
  });

  test('is found as a forged key of a submission and of a SAVE', async () => {
    const forge = (from: string): Promise<Finding[]> =>
      after(`insert into patchdiff_store.request_keys
        select (jsonb_populate_record(k, '{"client_request_id": "forged"}')).* from patchdiff_store.request_keys as k
        where k.target_file_id = '${target}' and k.client_request_id = '${from}'`);
    for (const from of ['edit-1', 'miss-1', 'save-1', 'save-2', 'save-3', 'file-1'])
      expect(names(await forge(from), 'request_keys', 'client_request_id=forged'), from).toBe(true);
  });
});

describe('rows that are exchanged', () => {
  test('are found, both', async () => {
    const missed: string[] = [];
    for (const table of tables.filter(({ key }) => key !== 'target_file_id')) {
      const keys = await keysOf(table);
      const pairs = [[keys[0]!, keys[1]!], [keys[1]!, keys.at(-1)!]] as const;
      for (const [one, two] of pairs) {
        const set = (from: string, to: string): string => `update patchdiff_store.${table.name} set ${table.key} = '${to}' where ${rowOf(table, from)}`;
        const found = await after(set(one, '999'), set(two, one), set('999', two));
        for (const key of [one, two])
          if (!names(found, table.name, `${table.key}=${key}`)) missed.push(`${table.name} ${one} and ${two}: ${JSON.stringify(found)}`);
      }
    }
    expect(missed).toEqual([]);
  });

  test.each([
    ['append_only_pdcp_logs', 'log_sequence', ['pdcp_content'], '3', '5'],
    ['append_only_pdcp_logs', 'log_sequence', ['pdcp_content', 'pdcp_content_hash'], '3', '5'],
    ['append_only_pdcp_logs', 'log_sequence', ['pdcp_content', 'pdcp_content_hash'], '4', '8'],
    ['target_snapshots', 'snapshot_sequence', ['content'], '1', '2'],
    ['target_snapshots', 'snapshot_sequence', ['content', 'content_hash'], '2', '3'],
    ['request_keys', 'client_request_id', ['save_receipt'], 'save-1', 'save-2'],
    ['request_keys', 'client_request_id', ['log_sequence'], 'edit-1', 'miss-1'],
    ['append_only_manifest_ledger', 'ledger_sequence', ['derived_json'], '2', '3'],
  ])('%s: what %s … %j of two rows say', async (name, key, columns, one, two) => {
    const list = columns.join(', ');
    const found = await after(
      `update patchdiff_store.${name} as t set (${list}) = (
         select ${list} from patchdiff_store.${name} as o
         where o.target_file_id = t.target_file_id and o.${key}::text = case t.${key}::text when '${one}' then '${two}' else '${one}' end
       ) where t.target_file_id = '${target}' and t.${key}::text in ('${one}', '${two}')`,
    );
    expect(names(found, name, `${key}=${one}`) && names(found, name, `${key}=${two}`), JSON.stringify(found)).toBe(true);
  });
});

describe('a row that is given to another target', () => {
  test('is missed where it was and found where it is', async () => {
    const missed: string[] = [];
    for (const table of tables) {
      const keys = await keysOf(table);
      const key = keys.at(-1)!;
      for (const to of [other, '00000000-0000-0000-0000-0000000000aa']) {
        const moved = isNumbered(table) ? `, ${table.key} = ${table.key} + 500` : '';
        const move = `update patchdiff_store.${table.name} set target_file_id = '${to}'${moved} where ${rowOf(table, key)}`;
        if (to === other && !isNumbered(table)) continue;
        const all = await undone(admin, [move], async () => [await findings(admin, target), await findings(admin, to), await everything()] as const);
        if (!all?.[0].some(({ table_name }) => table_name === table.name)) missed.push(`${table.name}: not missed`);
        if (all?.[1].length === 0) missed.push(`${table.name}: not found under ${to}`);
        if (!all?.[2].includes(to) || !all[2].includes(target)) missed.push(`${table.name}: not found by verify_all`);
      }
    }
    expect(missed).toEqual([]);
  });
});

async function everything(): Promise<string[]> {
  const { rows } = await admin.query<{ id: string }>('select distinct target_file_id::text as id from patchdiff_audit.verify_all()');
  return rows.map(({ id }) => id);
}

describe('content that is altered', () => {
  test.each([
    ['one character more', `current_content || 'x'`],
    ['one character, the same length', `overlay(current_content placing 'X' from 2 for 1)`],
    ['CRLF', `replace(current_content, e'\\n', e'\\r\\n')`],
    ['no final newline', `rtrim(current_content, e'\\n')`],
    ['one more newline', `current_content || e'\\n'`],
    ['nothing left', `''`],
    ['another normal form', `replace(current_content, 'ñ', e'n\\u0303')`],
  ])('%s: of the target, also with hash and sizes set after it', async (_, value) => {
    const content = `update patchdiff_store.cloud_target_files set current_content = ${value} where target_file_id = '${target}'`;
    const consistent = `update patchdiff_store.cloud_target_files set current_hash = encode(sha256(convert_to(current_content, 'UTF8')), 'hex'),
      content_bytes = octet_length(current_content), content_chars = length(current_content) where target_file_id = '${target}'`;
    const head = `update patchdiff_store.target_heads as h set accepted_hash = t.current_hash from patchdiff_store.cloud_target_files as t
      where t.target_file_id = h.target_file_id and t.target_file_id = '${target}'`;
    for (const found of [await after(content), await after(content, consistent), await after(content, consistent, head)]) {
      const columns = found.filter(({ table_name }) => table_name === 'cloud_target_files').map(({ column_name }) => column_name);
      expect(columns).toContain('current_content');
    }
  });

  test.each(['1', '2', '5'])('of snapshot %s, also with its hash', async (key) => {
    const content = `update patchdiff_store.target_snapshots set content = content || 'x' where target_file_id = '${target}' and snapshot_sequence = ${key}`;
    const hash = `update patchdiff_store.target_snapshots set content_hash = encode(sha256(convert_to(content, 'UTF8')), 'hex')
      where target_file_id = '${target}' and snapshot_sequence = ${key}`;
    for (const found of [await after(content), await after(content, hash)]) expect(names(found, 'target_snapshots', `snapshot_sequence=${key}`)).toBe(true);
  });
});
