import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importOldHistory, KEYS, rejectedArgs, repeated } from '../db/support/old-history.ts';
import type { OldHistory } from '../db/support/old-history.ts';
import { createDatabase } from '../helpers/database.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { connectNew, connectOld } from './support/hosts.ts';
import type { Host } from './support/hosts.ts';

/** A history that its owner brought in, through real hosts: both clients refuse an answer that does not fit its output schema. */
describe.each([
  ['the 2.x client', connectNew],
  ['the 1.x client', connectOld],
])('a history of older rules, with %s', (_, connect) => {
  let database: TestDatabase;
  let host: Host;
  let old: OldHistory;

  beforeAll(async () => {
    database = await createDatabase();
    old = await importOldHistory(await database.client('owner'));
    host = await connect({ env: { DATABASE_URL: database.url('writer') } });
  });
  afterAll(async () => {
    await host.close();
    await database.drop();
  });

  async function answer(tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
    const result = await host.call(tool, args);
    expect(result.isError, result.text).toBe(false);
    return JSON.parse(result.text) as Record<string, unknown>;
  }

  test('is found by its key, exactly', async () => {
    for (const [key, place] of [
      [KEYS.accepted, 2],
      [KEYS.rejected, 0],
      [KEYS.long, 5],
      [KEYS.bare, 8],
    ] as const) {
      const entry = { pdcp_log_id: old.calls[place]?.['pdcp_log_id'], client_request_id: key };
      const page = await answer('patchdiff_get_pdcp_log', {
        target_file_id: old.target,
        client_request_id: key,
        include_content: place === 0,
      });
      expect(page).toMatchObject({ status: 'ok', entries: [entry], has_more: false });
    }
    const page = await answer('patchdiff_get_pdcp_log', { target_file_id: old.target, client_request_id: KEYS.rejected.trim() });
    expect(page['entries']).toEqual([]);
  });

  test('answers its requests as it did then', async () => {
    const parent = old.calls[0]?.['pdcp_log_id'];
    const accepted = await answer('patchdiff_submit_edits', { ...repeated(old.target, 0), parent_pdcp_log_id: parent });
    expect(accepted).toMatchObject({ status: 'accepted', deduplicated: true, pdcp_log_id: old.calls[2]?.['pdcp_log_id'] });
    const rejected = await answer('patchdiff_submit_edits', { ...rejectedArgs(old.target), client_request_id: KEYS.rejected });
    expect(rejected).toMatchObject({ status: 'rejected', deduplicated: true, pdcp_log_id: parent, failure_reason: 'match_absent' });
  });

  test('is read, listed and replayed like any other', async () => {
    const ledger = await answer('patchdiff_get_manifest_ledger', { target_file_id: old.target, limit: 200 });
    expect((ledger['entries'] as { change_id: string }[])[0]?.change_id).toBe(' any\r\n id');
    expect(await answer('patchdiff_replay_target', { target_file_id: old.target })).toMatchObject({
      status: 'success',
      materialized_state_matches: true,
      reconstructed_version: old.versions.length - 1,
    });
  });
});
