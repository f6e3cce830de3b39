import { expect, test } from 'vitest';
import type { JsonObject, Service } from '../../src/service/index.ts';
import { edit, newTarget, useService } from './support/service.ts';

const context = useService();

const BODIES = 8;
const COPIES = 3;

test('one key, many bodies, two processes at once: one outcome, its copies, and conflicts that no repeat can mend', async () => {
  const id = await newTarget(context.service, 'one\n');
  const services = [context.service, context.another()];
  const sent = Array.from({ length: BODIES * COPIES }, (_, index) => ({
    body: edit(id, 0, 'one', `${index % BODIES}`, { client_request_id: 'the-key' }),
    by: services[index % 2] as Service,
  }));
  const receipts = await Promise.all(sent.map(({ body, by }) => by.submit('patchdiff-tx/1', body)));
  const accepted = receipts.filter((receipt) => receipt['status'] === 'accepted');
  expect(accepted).toHaveLength(COPIES);
  expect(accepted.filter((receipt) => receipt['deduplicated'] === false)).toHaveLength(1);
  expect(new Set(accepted.map((receipt) => receipt['pdcp_log_id'])).size).toBe(1);

  const refused = receipts.filter((receipt) => receipt['status'] !== 'accepted');
  expect(refused).toHaveLength((BODIES - 1) * COPIES);
  for (const receipt of refused) {
    expect(receipt).toMatchObject({
      status: 'rejected',
      deduplicated: false,
      failure_reason: 'context_invalid',
      failure_code: 'request_key_conflict',
      current_version: 1,
      diagnostic: { retryable: false, existing_pdcp_log_id: accepted[0]?.['pdcp_log_id'] },
    });
  }
  const log = await context.service.getPdcpLog({ target_file_id: id });
  expect((log['entries'] as JsonObject[]).map((entry) => entry['status']).sort()).toEqual(['accepted', ...refused.map(() => 'rejected')]);
});
