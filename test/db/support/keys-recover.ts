import { expect } from 'vitest';
import type pg from 'pg';
import type { Service } from '../../../src/service/index.ts';
import { edit } from '../../service/support/service.ts';
import type { RichTarget } from './rich-target.ts';

/** The head of every chain, to be compared before and after. */
export async function heads(client: pg.Client): Promise<unknown[]> {
  const { rows } = await client.query<Record<string, unknown>>(
    'select t.target_file_id, t.chain_sequence, t.chain_head from patchdiff_audit.targets as t order by t.target_file_id',
  );
  return rows;
}

/** Holds a restored database to what it was: whole, the same heads, every key answered as recorded, and open to new commits. */
export async function expectRestored(admin: pg.Client, service: Service, before: unknown[], { id, keyed }: RichTarget): Promise<void> {
  expect((await admin.query('select * from patchdiff_audit.verify_all()')).rows).toEqual([]);
  expect(await heads(admin)).toEqual(before);
  expect(keyed.length).toBeGreaterThan(6);
  for (const { key, answer, again } of keyed) {
    const id_of_row = 'pdcp_log_id' in answer ? 'pdcp_log_id' : 'chain_head';
    expect(await again(service), key).toMatchObject({ status: answer['status'], deduplicated: true, [id_of_row]: answer[id_of_row] });
  }
  expect(await heads(admin)).toEqual(before);
  const { version } = (await service.readTarget({ target_file_id: id })) as { version: number };
  expect(await service.submit('patchdiff-tx/1', edit(id, version, '3rd', 'third'))).toMatchObject({ status: 'accepted', version: version + 1 });
  expect((await admin.query('select * from patchdiff_audit.verify_all()')).rows).toEqual([]);
}
