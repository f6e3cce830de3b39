import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/service/index.ts';
import { sha256 } from '../db/support/attacks.ts';
import { BROKEN } from './support/broken.ts';
import { vandal } from './support/damage.ts';
import { newTarget, useService } from './support/service.ts';

const context = useService();
let admin: pg.Client;

beforeAll(async () => {
  admin = await vandal(context.server);
});

const INITIAL = 'one\ntwo\n';
const END = 'three\n';

interface History {
  id: string;
  /** Ids of the attempts, in log order: a tx/1, a rejection, a tx/2 with adjacency, a tx/3. */
  attempts: string[];
  payloads: string[];
}

async function history(): Promise<History> {
  const id = await newTarget(context.service, INITIAL);
  const args = (version: number, more: JsonObject): JsonObject => ({
    target_file_id: id,
    intent: 'i',
    expected_target_version: version,
    ...more,
  });
  const receipts = [
    await context.service.submit('patchdiff-tx/1', args(0, { edits: [{ match: 'one', replace: '1' }] })),
    await context.service.submit('patchdiff-tx/1', args(1, { edits: [{ match: 'absent', replace: '' }] })),
    await context.service.submit(
      'patchdiff-tx/2',
      args(1, { operations: [{ op: 'span', start: 0, end: 1, expected_text: '1', replace: '!', expected_after: '\n' }] }),
    ),
    await context.service.submit('patchdiff-tx/3', args(2, { replacement: END })),
  ];
  expect(receipts.map(({ status }) => status)).toEqual(['accepted', 'rejected', 'accepted', 'accepted']);
  const { rows } = await admin.query<{ id: string; payload: string }>(
    `select pdcp_log_id as id, pdcp_content as payload from patchdiff_store.append_only_pdcp_logs where target_file_id = $1 order by log_sequence`,
    [id],
  );
  return { id, attempts: rows.map((row) => row.id), payloads: rows.map(({ payload }) => payload) };
}

const replayed = (id: string, more: JsonObject = {}): Promise<JsonObject> => context.service.replayTarget({ target_file_id: id, ...more });

const UNCOMPARED = {
  materialized_state_matches: null,
  materialized_state_checks: { content_matches: null, stored_hash_matches: null, recomputed_hash_matches: null, version_matches: null },
};

describe('a sound history', () => {
  test('arrives at the stored row', async () => {
    const { id } = await history();
    expect(await replayed(id)).toEqual({
      target_file_id: id,
      status: 'success',
      steps: 3,
      reconstructed_version: 3,
      reconstructed_hash: sha256(END),
      reconstructed_chars: END.length,
      materialized_state_matches: true,
      materialized_state_checks: { content_matches: true, stored_hash_matches: true, recomputed_hash_matches: true, version_matches: true },
      first_failing_step: null,
    });
  });

  test('stops at a version that was asked for, and compares only at the current one', async () => {
    const { id } = await history();
    for (const [version, text] of [
      [0, INITIAL],
      [1, '1\ntwo\n'],
      [2, '!\ntwo\n'],
    ] as const) {
      expect(await replayed(id, { up_to_version: version })).toMatchObject({
        status: 'success',
        steps: version,
        reconstructed_version: version,
        reconstructed_hash: sha256(text),
        ...UNCOMPARED,
      });
    }
    for (const current of [3, null])
      expect(await replayed(id, { up_to_version: current })).toMatchObject({ steps: 3, materialized_state_matches: true });
    for (const version of [4, -1, 1.5, '1', true, 2 ** 53])
      expect(await replayed(id, { up_to_version: version })).toMatchObject({ status: 'invalid_argument', argument: 'up_to_version' });
    expect(await replayed(id, { up_to_version: 4 })).toMatchObject({ rule: 'an integer from 0 to 3, the current version' });
  });

  test('of a target without attempts is its first text', async () => {
    const id = await newTarget(context.service, '');
    expect(await replayed(id)).toMatchObject({ status: 'success', steps: 0, reconstructed_version: 0, materialized_state_matches: true });
    expect(await replayed(id, { up_to_version: 0 })).toMatchObject({ materialized_state_matches: true });
    expect(await replayed(id, { up_to_version: 1 })).toMatchObject({ status: 'invalid_argument' });
  });
});

describe('a damaged row over a sound history', () => {
  test.each<[edit: string, failing: string[]]>([
    [`current_content = replace(current_content, e'\\n', e'\\r\\n')`, ['content_matches']],
    [`current_content = current_content || 'x'`, ['content_matches', 'recomputed_hash_matches']],
    [`current_hash = repeat('0', 64)`, ['stored_hash_matches']],
    ['version = 4', ['version_matches']],
    ['version = 2', ['version_matches']],
    [
      `current_content = 'x', current_hash = encode(sha256('x'), 'hex')`,
      ['content_matches', 'stored_hash_matches', 'recomputed_hash_matches'],
    ],
  ])('succeeds and says what differs: %s', async (edit, failing) => {
    const { id } = await history();
    await admin.query(`update patchdiff_store.cloud_target_files set ${edit} where target_file_id = $1`, [id]);
    const before = await admin.query('select * from patchdiff_store.cloud_target_files where target_file_id = $1', [id]);
    const result = await replayed(id);
    expect(result).toMatchObject({
      status: 'success',
      first_failing_step: null,
      reconstructed_version: 3,
      materialized_state_matches: false,
    });
    const checks = Object.entries(result['materialized_state_checks'] as Record<string, boolean>);
    expect(checks.filter(([, held]) => !held).map(([name]) => name)).toEqual(failing);
    // Nothing is repaired.
    expect((await admin.query('select * from patchdiff_store.cloud_target_files where target_file_id = $1', [id])).rows).toEqual(
      before.rows,
    );
  });
});

describe('a history that does not hold', () => {
  test.each(BROKEN)('%s: %s at row %s after %s steps (case %#)', async (check, reason, row, steps, edit) => {
    const { id, attempts, payloads } = await history();
    const { rowCount } = await admin.query(...edit(id, payloads));
    expect(rowCount).toBe(1);
    const result = await replayed(id);
    const failing = { check, reason, log_sequence: row, pdcp_log_id: row === null ? null : attempts[row - 1] };
    expect(result).toMatchObject({ status: 'failed', steps, reconstructed_version: steps, ...UNCOMPARED, first_failing_step: failing });
    const { detail } = result['first_failing_step'] as { detail: string };
    expect(detail).toMatch(check === 'protocol' ? /^UnsupportedRuntimeVersionError: / : /^\S/);
    // What lies above the version that was asked for is not looked at.
    if (steps > 0) expect(await replayed(id, { up_to_version: steps })).toMatchObject({ status: 'success', steps });
  });

  test('of another target is not read as its own', async () => {
    const [first, second] = [await history(), await newTarget(context.service, INITIAL)];
    await admin.query(
      `update patchdiff_store.append_only_pdcp_logs set target_file_id = $2 where target_file_id = $1 and log_sequence = 1`,
      [first.id, second],
    );
    expect(await replayed(second)).toMatchObject({
      status: 'failed',
      first_failing_step: { check: 'decode', reason: 'replay_protocol_invalid', pdcp_log_id: first.attempts[0] },
    });
  });

  test('whose last attempts are gone is sound, and not what is stored', async () => {
    const { id } = await history();
    await admin.query(`delete from patchdiff_store.append_only_pdcp_logs where target_file_id = $1 and log_sequence >= 3`, [id]);
    expect(await replayed(id)).toMatchObject({
      status: 'success',
      steps: 1,
      reconstructed_version: 1,
      materialized_state_matches: false,
      materialized_state_checks: { content_matches: false, version_matches: false },
    });
  });
});
