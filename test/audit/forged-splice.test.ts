import { expect, test } from 'vitest';
import { disarm } from '../db/support/vandal.ts';
import { useDatabase } from '../helpers/database.ts';

const database = useDatabase();

test('a splice that cuts a character in two, under a hash made to fit, is a history that contradicts itself', async () => {
  const admin = await database.client('admin');
  await disarm(admin);
  const { rows } = await admin.query<{ id: string }>(`select target_file_id as id from patchdiff.create_target(null, 'doc', 'é one')`);
  const id = rows[0]?.id;
  await admin.query(`select patchdiff.commit_match($1, 'é', 'x', 'i', 0)`, [id]);
  await admin.query(`update patchdiff_store.append_only_manifest_ledger set deleted_bytes = 1 where target_file_id = $1`, [id]);
  await admin.query(
    String.raw`update patchdiff_store.append_only_pdcp_logs
       set after_hash = encode(sha256('x'::bytea || '\xa9'::bytea || ' one'::bytea), 'hex') where target_file_id = $1`,
    [id],
  );
  for (const call of ['reconstruct($1, 1)', 'blame($1, 1)', 'diff($1, 0, 1)']) {
    await expect(admin.query(`select * from patchdiff_audit.${call}`, [id]), call).rejects.toMatchObject({ code: 'PD106' });
  }
  const found = await admin.query('select * from patchdiff_audit.verify_target($1)', [id]);
  expect(found.rows).toContainEqual(expect.objectContaining({ problem: 'the splice cuts a character in two' }));
});
