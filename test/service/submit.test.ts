import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/service/index.ts';
import { edit, newTarget, textOf, useService } from './support/service.ts';

const context = useService();
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const TX1 = 'patchdiff-tx/1';
const rows = async (id: string): Promise<number> =>
  ((await context.service.getPdcpLog({ target_file_id: id, limit: 200 }))['entries'] as unknown[]).length;

describe('a receipt', () => {
  test('accepted: the facts of what was applied', async () => {
    const id = await newTarget(context.service, 'alpha\nbeta\n');
    const receipt = await context.service.submit(TX1, edit(id, 0, 'beta', '$& gamma'));
    expect(receipt).toEqual({
      status: 'accepted',
      deduplicated: false,
      pdcp_log_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      target_file_id: id,
      before_version: 0,
      version: 1,
      before_hash: hash('alpha\nbeta\n'),
      after_hash: hash('alpha\n$& gamma\n'),
      current_version: 1,
      current_hash: hash('alpha\n$& gamma\n'),
      validity: { protocol_valid: true, transaction_valid: true, task_correct: 'not_evaluated', semantic: 'not_evaluated' },
      evidence: {
        changes: [
          {
            ordinal: 1,
            change_id: 'chg_001',
            operation: 'match',
            span_start: 6,
            span_end: 10,
            matched_chars: 4,
            replacement_chars: 8,
            matched_sha256: hash('beta'),
            replacement_sha256: hash('$& gamma'),
          },
        ],
      },
      warnings: [],
    });
    expect(await textOf(context.service, id)).toBe('alpha\n$& gamma\n');
  });

  test('rejected: reason, evidence, where things stand, near misses and the next step', async () => {
    const id = await newTarget(context.service, 'The quick brown fox\njumps over\n');
    const receipt = await context.service.submit(TX1, edit(id, 0, 'The quikc brown fox', 'x'));
    expect(receipt).toMatchObject({
      status: 'rejected',
      deduplicated: false,
      target_file_id: id,
      before_version: 0,
      version: 0,
      current_version: 0,
      validity: { protocol_valid: true, transaction_valid: false },
      failure_reason: 'match_absent',
      failure_code: 'match_absent',
      failed_change_id: 'chg_001',
      diagnostic: { validation_stage: 'transaction_applicability', retryable: true, requires_new_submission: true, decided_by: 'runtime' },
      current_context: { version: 0, start: 0, text: 'The quick brown fox\njumps over\n' },
      near_misses: [{ start: 0, end: 19, line: 1, text: 'The quick brown fox' }],
      near_miss_search: { complete: true },
      next_step: expect.stringContaining('near_misses') as string,
    });
    expect(await rows(id)).toBe(1);
  });

  test('recovered: the recorded outcome as it was, the current state as it is, and no near misses', async () => {
    const id = await newTarget(context.service, 'one\n');
    const bad = edit(id, 0, 'absent', 'x', { client_request_id: 'k1' });
    const first = await context.service.submit(TX1, bad);
    const good = edit(id, 0, 'one', 'two', { client_request_id: 'k2' });
    const accepted = await context.service.submit(TX1, good);
    await context.service.submit(TX1, edit(id, 1, 'two', 'three'));
    const again = await context.another().submit(TX1, bad);
    expect(again).toEqual({
      ...first,
      deduplicated: true,
      near_misses: [],
      near_miss_search: null,
      current_version: 2,
      version: 2,
      current_hash: hash('three\n'),
      current_context: expect.objectContaining({ version: 2, text: 'three\n' }) as JsonObject,
    });
    expect(await context.service.submit(TX1, good)).toEqual({
      ...accepted,
      deduplicated: true,
      current_version: 2,
      current_hash: hash('three\n'),
    });
    expect(await rows(id)).toBe(3);
  });
});

describe('without a row', () => {
  test.each([
    ['no object', ['edits']],
    ['a JSON string', '{"edits": []}'],
    ['null', null],
  ])('arguments that are %s', async (_, args) => {
    expect(await context.service.submit(TX1, args)).toMatchObject({
      status: 'rejected',
      pdcp_log_id: null,
      target_file_id: null,
      failure_reason: 'context_invalid',
      current_context: { kind: 'unavailable' },
      diagnostic: { failure_context: { kind: 'unavailable' }, validation_stage: 'precondition_guard' },
      validity: { protocol_valid: null, transaction_valid: null },
      next_step: expect.stringContaining('send one object') as string,
    });
  });

  test.each([undefined, null, 7, 'nonsense', '\ud800'])('a target id that is %j', async (id) => {
    const args = { target_file_id: id, intent: 'x', edits: [] } as unknown as JsonObject;
    expect(await context.service.submit(TX1, args)).toMatchObject({
      status: 'rejected',
      failure_reason: 'context_invalid',
      failure_code: 'target_id_malformed',
      pdcp_log_id: null,
    });
  });

  test('an unknown target', async () => {
    const id = randomUUID();
    expect(await context.service.submit(TX1, edit(id.toUpperCase(), 0, 'a', 'b'))).toMatchObject({
      status: 'rejected',
      target_file_id: id,
      failure_reason: 'target_not_found',
      pdcp_log_id: null,
      next_step: expect.stringContaining('patchdiff_list_targets') as string,
    });
  });
});

describe('misshaped arguments say the right shape', () => {
  test.each([
    ['a JSON string', { edits: '[{"match":"a","replace":"b"}]' }, 'edits was sent as a JSON string'],
    ['an array of JSON strings', { edits: ['{"match":"a"}'] }, 'edits[0] was sent as a JSON string'],
    ['one object', { edits: { match: 'a', replace: 'b' } }, 'edits was sent as one object'],
    ['a version in quotes', { edits: [{ match: 'a', replace: 'b' }], expected_target_version: '0' }, 'without quotes'],
  ])('edits as %s', async (_, args, words) => {
    const id = await newTarget(context.service, 'a\n');
    const receipt = await context.service.submit(TX1, {
      target_file_id: id,
      intent: 'x',
      expected_target_version: 0,
      ...args,
    });
    expect(receipt).toMatchObject({
      status: 'rejected',
      pdcp_log_id: expect.any(String) as string,
      next_step: expect.stringContaining(words) as string,
    });
    expect(await rows(id)).toBe(1);
  });

  test('operations and replacement likewise', async () => {
    const id = await newTarget(context.service, 'a\n');
    const common = { target_file_id: id, intent: 'x', expected_target_version: 0 };
    expect((await context.service.submit('patchdiff-tx/2', { ...common, operations: '[]' }))['next_step']).toContain('operations: [{"op"');
    expect((await context.service.submit('patchdiff-tx/3', { ...common, replacement: ['a'] }))['next_step']).toContain(
      'replacement: "the whole new text"',
    );
  });
});

test('every failure code that a submission can meet has a next step of its own or names its field', async () => {
  const { FAULT_CODES } = await import('../../src/transaction/index.ts');
  const { nextStep } = await import('../../src/service/submission/next-step.ts');
  for (const code of FAULT_CODES) {
    const step = nextStep(code, { shape: null, args: {}, diagnostic: {}, nearMisses: null });
    expect(step, code).toMatch(/^[A-Z].{20,250}[.]$/s);
    // A rejected attempt keeps its key: whoever corrects it under the same one meets a conflict.
    expect(step, code).toContain('client_request_id');
  }
});

describe('text that PostgreSQL cannot hold', () => {
  test('is a durable rejection whose original strings come back', async () => {
    const id = await newTarget(context.service, 'a\n');
    const args = edit(id, 0, 'a\ud800', 'b\0', { client_request_id: 'bad-text', source: '\udc00' });
    const first = await context.service.submit(TX1, args);
    expect(first).toMatchObject({
      status: 'rejected',
      failure_reason: 'target_encoding_invalid',
      current_version: 0,
      pdcp_log_id: expect.any(String) as string,
    });
    expect(await context.another().submit(TX1, args)).toMatchObject({ deduplicated: true, pdcp_log_id: first['pdcp_log_id'] });
    const log = await context.service.getPdcpLog({ target_file_id: id, include_content: true });
    const [entry] = log['entries'] as JsonObject[];
    const envelope = JSON.parse(entry?.['pdcp_content'] as string) as { inputs: string };
    expect(JSON.parse(envelope.inputs)).toMatchObject({ record: { edits: [{ match: 'a\ud800', replace: 'b\0' }] } });
  });
});

describe('two processes', () => {
  test('a stale cache costs one more statement and is never applied', async () => {
    const id = await newTarget(context.service, 'a b c\n');
    const other = context.another();
    await context.service.submit(TX1, edit(id, 0, 'a', 'A'));
    await other.submit(TX1, edit(id, 1, 'b', 'B'));
    expect(await context.service.submit(TX1, edit(id, 1, 'c', 'C'))).toMatchObject({
      status: 'rejected',
      failure_reason: 'target_version_mismatch',
    });
    expect(await context.service.submit(TX1, edit(id, 2, 'c', 'C'))).toMatchObject({ status: 'accepted', version: 3 });
    expect(await textOf(other, id)).toBe('A B C\n');
  });

  test('one key from both sides is one outcome', async () => {
    const id = await newTarget(context.service, 'x\n');
    const services = Array.from({ length: 6 }, () => context.another());
    const receipts = await Promise.all(
      services.map((service) => service.submit(TX1, edit(id, 0, 'x', 'y', { client_request_id: 'race' }))),
    );
    expect(new Set(receipts.map((receipt) => receipt['pdcp_log_id'])).size).toBe(1);
    expect(receipts.filter((receipt) => receipt['deduplicated'] === false)).toHaveLength(1);
    expect(await rows(id)).toBe(1);
  });

  test('a key that stands for another request is a conflict, every time its own row', async () => {
    const id = await newTarget(context.service, 'x\n');
    await context.service.submit(TX1, edit(id, 0, 'x', 'y', { client_request_id: 'k' }));
    for (const replace of ['z', 'z']) {
      expect(await context.service.submit(TX1, edit(id, 1, 'y', replace, { client_request_id: 'k' }))).toMatchObject({
        status: 'rejected',
        failure_code: 'request_key_conflict',
        deduplicated: false,
      });
    }
    expect(await rows(id)).toBe(3);
  });
});

test('forty concurrent hash-free submissions of one process all see the head before them', async () => {
  const id = await newTarget(context.service, '0\n');
  const receipts = await Promise.all(
    Array.from({ length: 40 }, (_, i) => context.service.submit(TX1, edit(id, i, `${i}\n`, `${i + 1}\n`))),
  );
  expect(receipts.map((receipt) => receipt['status'])).toEqual(Array.from({ length: 40 }, () => 'accepted'));
  expect(await textOf(context.service, id)).toBe('40\n');
});
