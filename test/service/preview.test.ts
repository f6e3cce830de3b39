import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/service/index.ts';
import { edit, newTarget, useService } from './support/service.ts';

const context = useService();
const TX1 = 'patchdiff-tx/1';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const preview = (args: JsonObject): Promise<JsonObject> => context.service.preview({ format: TX1, ...args });

test('what would be accepted: facts, hash and a unified diff', async () => {
  const id = await newTarget(context.service, 'a\nb\nc\n');
  expect(await preview(edit(id, 0, 'b', 'B'))).toMatchObject({
    status: 'would_accept',
    would_recover: false,
    target_file_id: id,
    version: 0,
    after_version: 1,
    after_hash: sha256('a\nB\nc\n'),
    evidence: { changes: [{ change_id: 'chg_001', span_start: 2, span_end: 3 }] },
    warnings: [],
    diff: '--- before\n+++ after\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n',
    omitted: null,
  });
});

describe('stored keys', () => {
  test('the same request would recover, however the parent is spelled; another would conflict', async () => {
    const id = await newTarget(context.service, 'a\n');
    const bad = await context.service.submit(TX1, edit(id, 0, 'absent', 'x'));
    const parent = bad['pdcp_log_id'] as string;
    const args = edit(id, 0, 'a', 'b', { client_request_id: 'k', parent_pdcp_log_id: parent });
    const receipt = await context.service.submit(TX1, args);
    expect(receipt).toMatchObject({ status: 'accepted' });
    expect(await preview({ ...args, parent_pdcp_log_id: parent.toUpperCase() })).toMatchObject({
      status: 'would_recover',
      would_recover: true,
      recorded: { pdcp_log_id: receipt['pdcp_log_id'], status: 'accepted', after_version: 1 },
    });
    expect(await context.service.submit(TX1, { ...args, parent_pdcp_log_id: parent.toUpperCase() })).toMatchObject({ deduplicated: true });
    const other = { ...args, intent: 'another' };
    const previewed = await preview(other);
    const submitted = await context.service.submit(TX1, other);
    expect(previewed).toMatchObject({ status: 'would_reject', failure_code: 'request_key_conflict' });
    expect(previewed['diagnostic']).toEqual(submitted['diagnostic']);
  });

  test.each(['not-a-uuid', randomUUID(), ' '])('a parent that is %j: the same evidence as a submission', async (parent) => {
    const id = await newTarget(context.service, 'a\n');
    const args = edit(id, 0, 'a', 'b', { parent_pdcp_log_id: parent });
    const previewed = await preview(args);
    const submitted = await context.service.submit(TX1, args);
    for (const key of ['failure_reason', 'failure_code', 'failure_detail', 'diagnostic', 'validity'])
      expect([key, previewed[key]]).toEqual([key, submitted[key]]);
  });

  test('unencodable text with a stored key would recover', async () => {
    const id = await newTarget(context.service, 'a\n');
    const args = edit(id, 0, 'a', '\ud800', { client_request_id: 'k' });
    await context.service.submit(TX1, args);
    expect(await preview(args)).toMatchObject({
      status: 'would_recover',
      recorded: { status: 'rejected', failure_reason: 'target_encoding_invalid' },
    });
  });
});

test('arguments: format is required, the target is known, the rest is the decoder’s', async () => {
  const id = await newTarget(context.service, 'a\n');
  expect(await context.service.preview(edit(id, 0, 'a', 'b'))).toMatchObject({
    status: 'invalid_argument',
    argument: 'format',
    kind: 'nothing',
  });
  for (const format of ['patchdiff-tx/4', 1, true])
    expect(await preview({ ...edit(id, 0, 'a', 'b'), format })).toMatchObject({ status: 'invalid_argument', argument: 'format' });
  expect(await preview(edit(randomUUID(), 0, 'a', 'b'))).toMatchObject({ status: 'not_found' });
  expect(await preview({ target_file_id: 'x' })).toMatchObject({ status: 'invalid_argument', argument: 'target_file_id' });
  expect(await context.service.preview('x')).toMatchObject({ status: 'invalid_argument' });
  expect(await preview({ ...edit(id, 0, 'a', 'b'), edits: '[]' })).toMatchObject({
    status: 'would_reject',
    failure_reason: 'manifest_missing',
    next_step: expect.stringContaining('JSON string') as string,
  });
  expect(await preview({ ...edit(id, 0, 'a', 'b'), region_hint: 1 })).toMatchObject({
    status: 'would_reject',
    failure_code: 'unknown_field',
  });
});
