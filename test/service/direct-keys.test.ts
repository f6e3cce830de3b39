import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/service/index.ts';
import type { Format } from '../../src/transaction/index.ts';
import { callDirect, type DirectCall, type Receipt } from '../db/support/direct.ts';
import { findingsOf, logOf } from '../db/support/attempts.ts';
import { newTarget, textOf, useService } from './support/service.ts';

const it = useService();
let writer: pg.Client;
let admin: pg.Client;

beforeAll(async () => {
  writer = await it.server.client('writer');
  admin = await it.server.client('admin');
});

interface Pair {
  format: Format;
  call: (id: string) => DirectCall;
  args: (id: string) => JsonObject;
}

const common = (id: string): Record<string, unknown> => ({
  p_target_file_id: id,
  p_intent: 'i',
  p_expected_target_version: 0,
  p_client_request_id: 'key',
});
const given = (id: string): JsonObject => ({ target_file_id: id, intent: 'i', expected_target_version: 0, client_request_id: 'key' });
const operation = { start: 5, end: 6, expected_text: 'x', replace: '𝒳\r\n' };

/** The same submission by both ways, one that is accepted and one that is rejected for each format. */
const PAIRS: Record<string, Pair> = {
  'an accepted match': {
    format: 'patchdiff-tx/1',
    call: (id) => ({
      routine: 'commit_match',
      values: { ...common(id), p_match: 'x', p_replace: 'y', p_occurrence_index: 2, p_rationale: 'r' },
    }),
    args: (id) => ({ ...given(id), edits: [{ rationale: 'r', occurrence_index: 2, match: 'x', replace: 'y' }] }),
  },
  'a rejected match': {
    format: 'patchdiff-tx/1',
    call: (id) => ({ routine: 'commit_match', values: { ...common(id), p_match: 'x', p_replace: 'y' } }),
    args: (id) => ({ ...given(id), edits: [{ match: 'x', replace: 'y' }] }),
  },
  'accepted spans': {
    format: 'patchdiff-tx/2',
    call: (id) => ({ routine: 'commit_spans', values: { ...common(id), p_spans: JSON.stringify([operation]) } }),
    args: (id) => ({ ...given(id), operations: [{ op: 'span', ...operation }] }),
  },
  'rejected spans': {
    format: 'patchdiff-tx/2',
    call: (id) => ({
      routine: 'commit_spans',
      values: { ...common(id), p_spans: JSON.stringify([{ ...operation, hint: [1, { b: 1, a: 2 }] }]) },
    }),
    args: (id) => ({ ...given(id), operations: [{ op: 'span', ...operation, hint: [1, { a: 2, b: 1 }] }] }),
  },
  'spans of text that cannot be stored': {
    format: 'patchdiff-tx/2',
    call: (id) => ({ routine: 'commit_spans', values: { ...common(id), p_spans: String.raw`[{"replace":"\uD800\u0000\ue000é"}]` } }),
    args: (id) => ({ ...given(id), operations: [{ op: 'span', replace: '\ud800\0\ue000é' }] }),
  },
  'an accepted replacement': {
    format: 'patchdiff-tx/3',
    call: (id) => ({ routine: 'commit_replacement', values: { ...common(id), p_replacement: 'new' } }),
    args: (id) => ({ ...given(id), replacement: 'new' }),
  },
  'a rejected replacement': {
    format: 'patchdiff-tx/3',
    call: (id) => ({ routine: 'commit_replacement', values: { ...common(id), p_replacement: 'new', p_intent: ' ' } }),
    args: (id) => ({ ...given(id), replacement: 'new', intent: ' ' }),
  },
};

test.each(Object.keys(PAIRS))('%s: a commit by SQL and a retry of its key by the service recover each other', async (name) => {
  const { format, call, args } = PAIRS[name]!;
  for (const first of ['sql', 'service']) {
    const id = await newTarget(it.service, 'text x text x');
    const bySql = async (): Promise<Receipt> => callDirect(writer, call(id));
    const byService = (): Promise<JsonObject> => it.service.submit(format, args(id));
    const made = first === 'sql' ? await bySql() : await byService();
    // However far the target has moved.
    await it.service.submit('patchdiff-tx/3', {
      target_file_id: id,
      intent: 'i',
      expected_current_hash: (made['current_hash'] ?? made['after_hash']) as string,
      replacement: 'elsewhere',
    });
    const again = [await bySql(), await byService(), await bySql()];
    expect(made['deduplicated']).toBe(false);
    for (const one of again) expect(one).toMatchObject({ deduplicated: true, pdcp_log_id: made['pdcp_log_id'] });
    expect(again.map((one) => one['outcome'] ?? one['status'])).toEqual(Array(3).fill(/accepted/.test(name) ? 'accepted' : 'rejected'));
    expect(await textOf(it.service, id)).toBe('elsewhere');
    expect(await logOf(admin, id)).toHaveLength(2);
    expect(await findingsOf(admin, id)).toEqual([]);
  }
});

test('the key of one request refuses another, whichever way either came', async () => {
  const { call, args } = PAIRS['an accepted match']!;
  const id = await newTarget(it.service, 'text x text x');
  await callDirect(writer, call(id));
  expect(await it.service.submit('patchdiff-tx/1', { ...args(id), intent: 'another' })).toMatchObject({
    failure_code: 'request_key_conflict',
  });
  const other = await newTarget(it.service, 'text x text x');
  await it.service.submit('patchdiff-tx/1', args(other));
  const conflict = call(other);
  conflict.values['p_intent'] = 'another';
  expect(await callDirect(writer, conflict)).toMatchObject({ outcome: 'rejected', failure_code: 'request_key_conflict' });
});
