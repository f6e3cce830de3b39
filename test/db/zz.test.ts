import { test } from 'vitest';
import { useDatabase } from '../helpers/database.ts';
const d = useDatabase();
test('x', async () => {
  const a = await d.client('admin');
  const { rows } = await a.query(`select target_file_id as id, current_hash as h from patchdiff.create_target(null,'d','abc def')`);
  try {
    const r = await a.query(`select * from patchdiff.observe_scopes($1,0,$2,'rust','{"name":"t","version":"1","sha256":null}',false,'[{"kind":"k","name":"n","qualified_path":"p","start":0,"end":3}]',null)`, [rows[0].id, rows[0].h]);
    const id = rows[0].id, sc = r.rows[0].scopes[0].scope_id;
    const payload = JSON.stringify({bundle_id: r.rows[0].bundle_id, expected_current_hash: null, expected_target_version: 0, format: 'patchdiff-observed-batch/1', groups: [{operations: [{match: 'b', op: 'match', replace: 'X'}], scope_id: sc}], intent: 'i', target_file_id: id});
    console.log((await a.query(`select * from patchdiff.commit_attempt($1,$2,null,null,null,null,null,$3,'rejected',null,null,'{"failure_reason":"match_absent"}',null)`, [id, payload, rows[0].h])).rows);
  } catch (e) { console.log((e as Error).message, (e as any).where); }
});
