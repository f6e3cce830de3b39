import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type pg from 'pg';
import { commitAttempt } from '../../src/db/calls/commit-attempt.ts';
import type { Database } from '../../src/db/port.ts';
import { openDatabase } from '../../src/db/pool.ts';
import { applyTransaction, decodeSubmission, prepareSubmission, profileOf } from '../../src/transaction/index.ts';
import type { JsonObject } from '../../src/service/index.ts';
import { sha256 } from '../db/support/attacks.ts';
import { bareCall, findingsOf } from '../db/support/attempts.ts';
import { vandal } from './support/damage.ts';
import { newTarget, useService } from './support/service.ts';
import { WARNED } from './support/warned.ts';
import type { Warned } from './support/warned.ts';

const context = useService();
let admin: pg.Client;
let writer: Database;

beforeAll(async () => {
  admin = await vandal(context.server);
  writer = openDatabase({ connectionString: context.server.url('writer') });
});
afterAll(() => writer.close());

const argsOf = (id: string, { body }: Warned, more: JsonObject = {}): JsonObject => ({
  target_file_id: id,
  intent: 'i',
  expected_target_version: 0,
  ...body,
  ...more,
});

/** The column of the only row, as the text that is stored; null where there is none. */
async function storedOf(id: string): Promise<string | null> {
  const { rows } = await admin.query<{ warnings: string | null }>(
    'select warnings::text from patchdiff_store.append_only_pdcp_logs where target_file_id = $1',
    [id],
  );
  expect(rows).toHaveLength(1);
  return rows[0]?.warnings ?? null;
}

const stored = ({ warnings }: Warned): string | null => (warnings.length === 0 ? null : JSON.stringify(warnings));

describe.each(WARNED.map((warned) => [warned.name, warned] as const))('%s', (_, warned) => {
  test('is warned of by preview and submission, kept, recovered and shown in the history', async () => {
    const id = await newTarget(context.service, warned.content);
    const args = argsOf(id, warned, { client_request_id: 'k' });
    const previewed = await context.service.preview({ ...args, format: warned.format });
    expect(previewed).toMatchObject({ status: 'would_accept', warnings: warned.warnings });
    expect((await context.service.submit(warned.format, args))['warnings']).toEqual(warned.warnings);
    expect(await storedOf(id)).toBe(stored(warned));
    const again = await context.another().submit(warned.format, args);
    expect(again).toMatchObject({ status: 'accepted', deduplicated: true, warnings: warned.warnings });
    const log = await context.service.getPdcpLog({ target_file_id: id });
    expect((log['entries'] as JsonObject[])[0]?.['warnings']).toEqual(warned.warnings.length === 0 ? null : warned.warnings);
    expect(await findingsOf(admin, id)).toEqual([]);
  });

  test('by the procedure alone: what it derives itself, and of a caller only advice about a change that is there', async () => {
    const id = await newTarget(context.service, warned.content);
    const submission = prepareSubmission(warned.format, argsOf(id, warned));
    const decoded = decodeSubmission(submission);
    if (!decoded.ok) expect.fail(decoded.fault.detail);
    const applied = applyTransaction(warned.content, decoded.transaction, profileOf(submission.record), sha256);
    if (!applied.ok) expect.fail(applied.fault.detail);
    const claim = {
      baseHash: sha256(warned.content),
      verdict: 'accepted',
      resolvedStarts: applied.resolvedStarts,
      afterHash: applied.afterHash,
      // Neither no-op code is the caller's to give, here or for a change that is not there.
      warnings: JSON.stringify([
        { code: 'no_op_change', change_id: 'chg_001' },
        { code: 'no_op_transaction', change_id: null },
        { code: 'grapheme_boundary_split', change_id: 'nowhere' },
        { code: 'occurrence_index_basis_shift', change_id: null },
      ]),
    } as const;
    const receipt = await commitAttempt(writer, bareCall(submission, id, claim));
    const derived = warned.warnings.filter(({ code }) => code.startsWith('no_op'));
    expect(receipt.outcome).toBe('accepted');
    expect(receipt.warnings ?? []).toEqual(derived);
    expect(await storedOf(id)).toBe(derived.length === 0 ? null : JSON.stringify(derived));
  });
});

describe('warnings that were tampered with', () => {
  const [quiet, loud] = [WARNED[0] as Warned, WARNED.at(-1) as Warned];
  const tampered = async (warned: Warned, warnings: string | null): Promise<{ id: string; replayed: JsonObject; findings: unknown[] }> => {
    const id = await newTarget(context.service, warned.content);
    expect(await context.service.submit(warned.format, argsOf(id, warned))).toMatchObject({ status: 'accepted' });
    await admin.query('update patchdiff_store.append_only_pdcp_logs set warnings = $2::json where target_file_id = $1', [id, warnings]);
    return { id, replayed: await context.service.replayTarget({ target_file_id: id }), findings: await findingsOf(admin, id) };
  };

  test.each<[string, Warned, string | null]>([
    ['removed', loud, null],
    ['made fewer', loud, JSON.stringify(loud.warnings.slice(1))],
    ['written with a blank more', loud, `${JSON.stringify(loud.warnings)} `],
    ['added', quiet, JSON.stringify([{ code: 'grapheme_boundary_split', change_id: 'chg_001' }])],
    ['of a shape that never was', quiet, '{"code":7}'],
  ])('%s: replay asks nothing of them, and the chain names the row', async (_, warned, warnings) => {
    const { replayed, findings } = await tampered(warned, warnings);
    expect(replayed).toMatchObject({ status: 'success', materialized_state_matches: true });
    expect(findings).toMatchObject([{ table_name: 'append_only_pdcp_logs', row_key: 'log_sequence=1', column_name: 'row_hash' }]);
  });
});
