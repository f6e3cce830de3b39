import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/service/index.ts';
import { encodeCanonical } from '../../src/transaction/index.ts';
import { importAttempt, rejectedCall } from '../db/support/imports.ts';
import { importOldHistory, KEYS, rejectedArgs, repeated } from '../db/support/old-history.ts';
import type { OldHistory } from '../db/support/old-history.ts';
import { useService } from './support/service.ts';

const context = useService();
const TX1 = 'patchdiff-tx/1';
let admin: pg.Client;
let old: OldHistory;

beforeAll(async () => {
  admin = await context.server.client('admin');
  old = await importOldHistory(await context.server.client('owner'));
});

/** The rows brought in, whole: nothing may ever touch them. */
async function imported(): Promise<unknown[]> {
  const { rows } = await admin.query<Record<string, unknown>>(
    `select md5(l::text) as row, k.* from patchdiff_store.append_only_pdcp_logs as l
     left join patchdiff_store.request_keys as k using (target_file_id, log_sequence)
     where target_file_id = $1 and l.imported_at is not null order by log_sequence`,
    [old.target],
  );
  return rows;
}

const call = (place: number): Record<string, unknown> => old.calls[place] as Record<string, unknown>;
const logOf = async (key: string): Promise<JsonObject[]> =>
  (await context.service.getPdcpLog({ target_file_id: old.target, client_request_id: key }))['entries'] as JsonObject[];

describe('a key of older rules', () => {
  test('returns the recorded acceptance, however far the target has moved', async () => {
    const before = await imported();
    const request = { ...repeated(old.target, 0), parent_pdcp_log_id: call(0)['pdcp_log_id'] as string };
    const receipt = await context.service.submit(TX1, request);
    expect(receipt).toMatchObject({
      status: 'accepted',
      deduplicated: true,
      pdcp_log_id: call(2)['pdcp_log_id'],
      before_version: 0,
      version: 1,
      current_version: old.versions.length - 1,
      after_hash: call(2)['after_hash'],
      evidence: { changes: [{ change_id: ' any\r\n id', span_start: 0, span_end: 2 }] },
      warnings: [],
    });
    // Even though today's rules would refuse its key and its change id.
    expect(await context.service.submit(TX1, request)).toEqual(receipt);
    // The parent is part of the request.
    expect(await context.service.submit(TX1, repeated(old.target, 0))).toMatchObject({ failure_code: 'request_key_conflict' });
    expect(await imported()).toEqual(before);
  });

  test('returns the recorded rejection as it was, without the context it never had', async () => {
    const receipt = await context.service.submit(TX1, { ...rejectedArgs(old.target), client_request_id: KEYS.rejected });
    expect(receipt).toMatchObject({
      status: 'rejected',
      deduplicated: true,
      pdcp_log_id: call(0)['pdcp_log_id'],
      failure_reason: 'match_absent',
      failure_detail: 'gone',
      current_version: old.versions.length - 1,
      current_context: { version: old.versions.length - 1 },
    });
    expect(receipt).not.toHaveProperty('diagnostic');
  });

  test('returns it whatever its length', async () => {
    expect(await context.service.submit(TX1, repeated(old.target, 3))).toMatchObject({
      deduplicated: true,
      pdcp_log_id: call(5)['pdcp_log_id'],
    });
  });

  test('stands for no other request, and does not become one', async () => {
    const before = await imported();
    for (const key of [KEYS.accepted, KEYS.rejected, KEYS.long]) {
      const other = { ...repeated(old.target, 0), intent: 'another', client_request_id: key };
      const receipt = await context.service.submit(TX1, other);
      expect(receipt).toMatchObject({
        status: 'rejected',
        deduplicated: false,
        failure_reason: 'context_invalid',
        failure_code: 'request_key_conflict',
        diagnostic: { submitted_client_request_id: [...key].slice(0, 256).join('') },
      });
      expect((await logOf(key)).map((entry) => entry['pdcp_log_id'])).not.toContain(receipt['pdcp_log_id']);
    }
    expect(await imported()).toEqual(before);
  });

  test('recorded without a fingerprint is compared with what its payload says, and keeps none', async () => {
    const before = await imported();
    const again = repeated(old.target, 6);
    expect(again['client_request_id']).toBe(KEYS.bare);
    expect(await context.service.submit('patchdiff-tx/2', again)).toMatchObject({
      deduplicated: true,
      pdcp_log_id: call(8)['pdcp_log_id'],
    });
    expect(await context.service.submit('patchdiff-tx/2', { ...again, intent: 'another' })).toMatchObject({
      status: 'rejected',
      failure_code: 'request_key_conflict',
      diagnostic: { existing_pdcp_log_id: call(8)['pdcp_log_id'] },
    });
    expect(await imported()).toEqual(before);
  });

  test('is found in the log exactly as it is', async () => {
    const found: [string, number][] = [
      [KEYS.accepted, 2],
      [KEYS.rejected, 0],
      [KEYS.long, 5],
      [KEYS.bare, 8],
    ];
    for (const [key, place] of found) {
      expect((await logOf(key)).map((entry) => [entry['pdcp_log_id'], entry['client_request_id']])).toEqual([
        [call(place)['pdcp_log_id'], key],
      ]);
      for (const near of [key.trim(), key.normalize('NFD'), key.toUpperCase(), `${key} `])
        if (near !== key) expect(await logOf(near)).toEqual([]);
    }
  });

  test('recovers a request that today would be wrapped for its text', async () => {
    const owner = await context.server.client('owner');
    const made = await context.service.initializeTarget({ content: 'abc', display_name: 'nul' });
    const target = made['target_file_id'] as string;
    const args = { target_file_id: target, intent: 'nul', expected_target_version: 0, edits: [{ match: 'a\0', replace: 'b' }] };
    const recorded = rejectedCall(
      { target, content: 'abc', version: 0 },
      [TX1, 'patchdiff-mvp-0.2.2'],
      encodeCanonical({ ...args, expected_current_hash: null, format: TX1 }),
      ['transaction_applicability', 'match_absent', null],
      { client_request_id: 'nul key', diagnostic: '{"b": 1,  "a": "as it was"}' },
    );
    await importAttempt(owner, recorded);
    const receipt = await context.service.submit(TX1, { ...args, client_request_id: 'nul key' });
    expect(receipt).toMatchObject({ status: 'rejected', deduplicated: true, failure_reason: 'match_absent' });
    expect(receipt['diagnostic']).toEqual({ b: 1, a: 'as it was' });
    expect(await context.service.submit(TX1, { ...args, intent: 'nu\0', client_request_id: 'nul key' })).toMatchObject({
      failure_code: 'request_key_conflict',
    });
  });

  test('that nobody brought in is refused as ever', async () => {
    expect(await context.service.submit(TX1, { ...repeated(old.target, 0), client_request_id: 'ein neuer Schlüssel' })).toMatchObject({
      failure_code: 'invalid_client_request_id',
    });
  });
});

describe('what was brought in', () => {
  test('replays to the stored text, under every profile', async () => {
    expect(await context.service.replayTarget({ target_file_id: old.target })).toMatchObject({
      status: 'success',
      steps: old.versions.length - 1,
      materialized_state_matches: true,
      first_failing_step: null,
    });
  });

  test('is where the next submission goes on, and can be what it retries', async () => {
    const version = old.versions.length - 1;
    const args = { target_file_id: old.target, intent: 'new', expected_target_version: version };
    expect(
      await context.service.submit('patchdiff-tx/3', {
        ...args,
        parent_pdcp_log_id: call(1)['pdcp_log_id'] as string,
        replacement: 'today\n',
      }),
    ).toMatchObject({ status: 'accepted', version: version + 1 });
    expect(await context.service.replayTarget({ target_file_id: old.target })).toMatchObject({ materialized_state_matches: true });
    expect((await admin.query('select * from patchdiff_audit.verify_target($1)', [old.target])).rows).toEqual([]);
  });
});
