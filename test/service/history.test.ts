import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/service/index.ts';
import { edit, newTarget, useService } from './support/service.ts';

const context = useService();
const TX1 = 'patchdiff-tx/1';
const sequences = (page: JsonObject, name: string): number[] => (page['entries'] as JsonObject[]).map((entry) => entry[name] as number);

async function targetWithTen(): Promise<string> {
  const id = await newTarget(context.service, '0\n');
  for (let version = 0; version < 10; version += 1)
    await context.service.submit(TX1, edit(id, version, `${version}\n`, `${version + 1}\n`));
  return id;
}

describe('pages', () => {
  test('attempts newest first, ledger newest page oldest first', async () => {
    const id = await targetWithTen();
    const log = await context.service.getPdcpLog({ target_file_id: id, limit: 3 });
    expect([sequences(log, 'log_sequence'), log['has_more'], log['next_sequence']]).toEqual([[10, 9, 8], true, 8]);
    const ledger = await context.service.getManifestLedger({ target_file_id: id, limit: 3 });
    expect([sequences(ledger, 'ledger_sequence'), ledger['has_more'], ledger['next_sequence']]).toEqual([[8, 9, 10], true, 8]);
    const earlier = await context.service.getManifestLedger({ target_file_id: id, limit: 3, before_sequence: 8 });
    expect([sequences(earlier, 'ledger_sequence'), earlier['next_sequence']]).toEqual([[5, 6, 7], 5]);
    const first = await context.service.getPdcpLog({ target_file_id: id, before_sequence: 3 });
    expect([sequences(first, 'log_sequence'), first['has_more'], first['next_sequence']]).toEqual([[2, 1], false, null]);
  });

  test('limits: null is 50, above 200 is 200, the rest is refused', async () => {
    const id = await newTarget(context.service, 'a\n');
    for (const limit of [null, 50, 201, 9_007_199_254_740_991])
      expect(await context.service.getPdcpLog({ target_file_id: id, limit })).toMatchObject({ status: 'ok', entries: [] });
    for (const limit of [0, -1, true, '5', 1.5, 2 ** 60]) {
      expect(await context.service.getManifestLedger({ target_file_id: id, limit })).toMatchObject({
        status: 'invalid_argument',
        argument: 'limit',
        entries: [],
        has_more: false,
        next_sequence: null,
      });
    }
    for (const flag of ['true', 1, 0])
      expect(await context.service.getManifestLedger({ target_file_id: id, include_previous_cycles: flag })).toMatchObject({
        status: 'invalid_argument',
      });
  });

  test('a cycle ends with SAVE, and previous cycles are there when asked for', async () => {
    const id = await newTarget(context.service, '0\n');
    await context.service.submit(TX1, edit(id, 0, '0', '1'));
    await context.service.save({ target_file_id: id });
    expect(await context.service.getManifestLedger({ target_file_id: id })).toMatchObject({ entries: [] });
    await context.service.submit(
      TX1,
      edit(id, 1, '1', '2', { edits: [{ match: '1', replace: '2', rationale: 'why', risk: 'high', change_id: 'c' }] }),
    );
    expect(await context.service.getManifestLedger({ target_file_id: id })).toMatchObject({
      entries: [
        {
          ledger_sequence: 2,
          change_id: 'c',
          operation: 'match',
          intent: 'why',
          rationale: 'why',
          risk: 'high',
          origin: 'typed',
          before_version: 1,
          after_version: 2,
          derived: { span_start: 0, span_end: 1 },
        },
      ],
    });
    expect(
      sequences(await context.service.getManifestLedger({ target_file_id: id, include_previous_cycles: true }), 'ledger_sequence'),
    ).toEqual([1, 2]);
  });
});

describe('the log', () => {
  test('filters by outcome, payload and key, and shows payloads only when asked', async () => {
    const id = await newTarget(context.service, 'a\n');
    const rejected = await context.service.submit(TX1, edit(id, 0, 'absent', 'x'));
    const accepted = await context.service.submit(
      TX1,
      edit(id, 0, 'a', 'b', {
        client_request_id: 'key 1'.replace(' ', '-'),
        parent_pdcp_log_id: rejected['pdcp_log_id'] as string,
        attempt: 2,
        source: 'human',
      }),
    );
    const page = await context.service.getPdcpLog({ target_file_id: id, status: 'accepted' });
    const [entry] = page['entries'] as JsonObject[];
    expect(entry).toMatchObject({
      pdcp_log_id: accepted['pdcp_log_id'],
      status: 'accepted',
      failure_reason: null,
      before_version: 0,
      after_version: 1,
      protocol_version: TX1,
      runtime_version: 'patchdiff-mvp-0.2.2',
      submission_source: 'human',
      parent_pdcp_log_id: rejected['pdcp_log_id'],
      regeneration_attempt: 2,
      regeneration_source: 'model_response',
      client_request_id: 'key-1',
      actor: { host: 'test' },
      diagnostic: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/) as string,
    });
    expect(entry).not.toHaveProperty('pdcp_content');
    const byKey = await context.service.getPdcpLog({ target_file_id: id, client_request_id: 'key-1', include_content: true });
    expect(JSON.parse((byKey['entries'] as JsonObject[])[0]?.['pdcp_content'] as string)).toMatchObject({
      format: TX1,
      target_file_id: id,
      edits: [{ match: 'a', replace: 'b' }],
    });
    const byHash = await context.service.getPdcpLog({ target_file_id: id, content_hash: entry?.['pdcp_content_hash'] as string });
    expect(sequences(byHash, 'log_sequence')).toEqual([2]);
    expect(await context.service.getPdcpLog({ target_file_id: id, client_request_id: '' })).toMatchObject({ entries: [] });
    for (const key of ['a\0', '\ud800', 5])
      expect(await context.service.getPdcpLog({ target_file_id: id, client_request_id: key })).toMatchObject({
        status: 'invalid_argument',
        argument: 'client_request_id',
      });
  });

  test('a page of large payloads ends early and goes on where it ended', async () => {
    const id = await newTarget(context.service, 'a\n');
    for (let i = 0; i < 4; i += 1) {
      await context.service.submit('patchdiff-tx/3', {
        target_file_id: id,
        intent: 'x',
        expected_target_version: i,
        replacement: `${i}${'x'.repeat(400_000)}`,
      });
    }
    const seen: number[] = [];
    for (let before: unknown; seen.length < 9;) {
      const page = await context.service.getPdcpLog({
        target_file_id: id,
        include_content: true,
        ...(typeof before === 'number' ? { before_sequence: before } : {}),
      });
      seen.push(...sequences(page, 'log_sequence'));
      expect((page['entries'] as unknown[]).length).toBe(2);
      before = page['next_sequence'];
      if (page['has_more'] === false) break;
    }
    expect(seen).toEqual([4, 3, 2, 1]);
  });
});

describe('replay', () => {
  test('page by page over more attempts than a page holds', async () => {
    const id = await newTarget(context.service, '0\n');
    for (let version = 0; version < 120; version += 1)
      await context.service.submit(TX1, edit(id, version, `${version}\n`, `${version + 1}\n`));
    await context.service.submit(TX1, edit(id, 120, 'absent', 'x'));
    const progress: number[] = [];
    const answer = await context.service.replayTarget({ target_file_id: id }, { onProgress: (done) => progress.push(done) });
    expect(answer).toMatchObject({
      status: 'success',
      reconstructed_version: 120,
      steps: 120,
      reconstructed_chars: 4,
      materialized_state_matches: true,
      materialized_state_checks: { content_matches: true, stored_hash_matches: true, recomputed_hash_matches: true, version_matches: true },
      first_failing_step: null,
    });
    expect(progress).toEqual([50, 100]);
    expect(answer).not.toHaveProperty('reconstructed_content');
    expect(await context.service.replayTarget({ target_file_id: id, up_to_version: 50 })).toMatchObject({
      status: 'success',
      reconstructed_version: 50,
      materialized_state_matches: null,
      materialized_state_checks: { content_matches: null, version_matches: null },
    });
    expect(await context.service.replayTarget({ target_file_id: id, up_to_version: 120 })).toMatchObject({
      materialized_state_matches: true,
    });
    expect(await context.service.replayTarget({ target_file_id: id, up_to_version: 0 })).toMatchObject({
      reconstructed_version: 0,
      steps: 0,
    });
    expect(await context.service.replayTarget({ target_file_id: id, up_to_version: 121 })).toMatchObject({
      status: 'invalid_argument',
      argument: 'up_to_version',
    });
  });

  test('CR corruption of the row fails only the comparison of the text', async () => {
    const id = await newTarget(context.service, 'a\nb\n');
    const admin = await context.server.client('admin');
    await admin.query(`update patchdiff_store.cloud_target_files set current_content = e'a\\r\\nb\\r\\n' where target_file_id = $1`, [id]);
    expect(await context.service.replayTarget({ target_file_id: id })).toMatchObject({
      status: 'success',
      materialized_state_matches: false,
      materialized_state_checks: {
        content_matches: false,
        stored_hash_matches: true,
        recomputed_hash_matches: true,
        version_matches: true,
      },
    });
  });
});
