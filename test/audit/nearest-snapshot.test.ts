import type pg from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.ts';
import { vandal } from '../service/support/damage.ts';
import { History } from './support/history.ts';

const database = useDatabase();
let admin: pg.Client;
let history: History;

// Versions 0 to 9, with snapshots at 0, 3 and 6.
beforeEach(async () => {
  admin ??= await vandal(database);
  history = await History.create(await database.client('writer'), 'start\n');
  while (history.version < 9) {
    await history.splice([0, 0, `${history.version}\n`]);
    if (history.version % 3 === 0 && history.version < 9) await history.save();
  }
  await history.flush();
});

/** Of each version the text, or the SQLSTATE of the refusal. */
async function rebuilt(): Promise<string[]> {
  const answers: string[] = [];
  for (const version of history.contents.keys()) {
    const query = admin.query<{ text: string }>('select patchdiff_audit.reconstruct($1, $2) as text', [history.id, version]);
    answers.push(await query.then(({ rows }) => rows[0]?.text ?? '').catch((error: unknown) => (error as { code: string }).code));
  }
  return answers;
}

const expected = (broken: readonly number[]): string[] =>
  history.contents.map((text, version) => (broken.includes(version) ? 'PD106' : text));

test.each<[name: string, statement: string, broken: number[]]>([
  ['nothing is damaged', 'select $1::uuid', []],
  ['a payload', `update patchdiff_store.append_only_pdcp_logs set pdcp_content = '{}' where target_file_id = $1 and log_sequence = 2`, [2]],
  [
    'a ledger row',
    'update patchdiff_store.append_only_manifest_ledger set start_byte = 1 where target_file_id = $1 and log_sequence = 4',
    [4, 5],
  ],
  ['the first text', `update patchdiff_store.target_snapshots set content = 'other' where target_file_id = $1 and version = 0`, [0, 1, 2]],
  ['a snapshot', `update patchdiff_store.target_snapshots set content = 'other' where target_file_id = $1 and version = 6`, [6, 7, 8, 9]],
  ['an attempt is gone', 'delete from patchdiff_store.append_only_pdcp_logs where target_file_id = $1 and after_version = 7', [7, 8, 9]],
  [
    'the stored text, which is not read',
    `update patchdiff_store.cloud_target_files set current_content = 'other' where target_file_id = $1`,
    [],
  ],
  [
    'all before the last snapshot',
    `delete from patchdiff_store.append_only_pdcp_logs where target_file_id = $1 and after_version <= 6`,
    [1, 2, 4, 5],
  ],
])('%s: exactly the versions between it and the next snapshot are refused', async (_name, statement, broken) => {
  await admin.query(statement, [history.id]);
  expect(await rebuilt()).toEqual(expected(broken));
});

test('blame, which has to begin at the initial upload, says when it cannot', async () => {
  await admin.query(`update patchdiff_store.append_only_pdcp_logs set pdcp_content = '{}' where target_file_id = $1 and log_sequence = 2`, [
    history.id,
  ]);
  await admin.query('select * from patchdiff_audit.blame($1, 1)', [history.id]);
  for (const version of [2, 5, 9])
    await expect(admin.query('select * from patchdiff_audit.blame($1, $2)', [history.id, version])).rejects.toMatchObject({
      code: 'PD106',
    });
});
