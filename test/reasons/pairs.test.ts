import type { Client } from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';

import { commitAttempt } from '../../src/db/calls/commit-attempt.ts';
import type { Format, JsonObject } from '../../src/transaction/index.ts';
import { FAULT_CODES, validityOf } from '../../src/transaction/index.ts';
import { useService } from '../service/support/service.ts';
import { FORMATS, REASONS, VALIDITY, isDatabases } from './contract.ts';
import { CONTENT, TAKEN_KEY, callOf, claiming, damage, makeSubject, storedAttempt, storedTarget, takeKey } from './subject.ts';
import type { CommitReceiptRow, Sent, Subject } from './subject.ts';
import { TABLE } from './table.ts';
import type { Row } from './table.ts';

/*
 * Every failure code in every format: where it can occur it is brought about, through the service and by a call of the procedure,
 * and everything that is said of it is held against the contract; where it cannot, the very same fault comes to the stated other end.
 */

const context = useService();
const subjects: Record<string, Subject> = {};
let admin: Client;

beforeAll(async () => {
  admin = await context.server.client('admin');
  for (const state of ['sound', 'keyed', 'damaged']) subjects[state] = await makeSubject(admin);
  subjects['large'] = await makeSubject(admin, CONTENT + 'z'.repeat(14 * 1024 * 1024));
  await takeKey(context.database, subjectOf('keyed'));
  await damage(admin, subjectOf('damaged'));
});

/** Rejections leave a target as it was, so that one in each state serves all. */
function subjectOf(state: string): Subject {
  const subject = subjects[state];
  if (subject === undefined) throw new Error(`no target is ${state}`);
  return subject;
}

const occurring = Object.entries(TABLE).flatMap(([code, row]) =>
  FORMATS.flatMap((format) => {
    const make = row.occurs[format];
    return make === undefined ? [] : [{ code, format, row, make }];
  }),
);
const impossible = Object.entries(TABLE).flatMap(([code, row]) =>
  FORMATS.flatMap((format) => {
    const never = row.never[format];
    return never === undefined ? [] : [{ code, format, row, never }];
  }),
);

test('the table names every code, and says of each format that it occurs there or why not', () => {
  expect(Object.keys(TABLE).sort()).toEqual([...FAULT_CODES].sort());
  for (const [code, row] of Object.entries(TABLE)) {
    expect([...Object.keys(row.occurs), ...Object.keys(row.never)].sort(), code).toEqual([...FORMATS].sort());
    expect(REASONS[row.reason].stages, code).toContain(row.stage);
  }
  // And every reason at each of its stages is in the table; target_not_found has no row to stand in.
  for (const [reason, { stages }] of Object.entries(REASONS)) {
    const seen = new Set(Object.values(TABLE).flatMap((row) => (row.reason === reason ? [row.stage] : [])));
    expect([...seen].sort(), reason).toEqual(reason === 'target_not_found' ? [] : [...stages].sort());
  }
});

const validity = (row: Row): object => {
  const [protocol_valid, transaction_valid] = VALIDITY[row.stage];
  return { protocol_valid, transaction_valid, task_correct: 'not_evaluated', semantic: 'not_evaluated' };
};

const diagnostic = (code: string, format: string, row: Row, decidedBy: string): object => ({
  failure_code: code,
  format,
  validation_stage: row.stage,
  retryable: REASONS[row.reason].retryable.includes(row.stage),
  requires_new_submission: true,
  decided_by: decidedBy,
});

/** The stored row says what the answer said, and nothing was applied. */
async function expectStored(answer: JsonObject, code: string, format: string, row: Row, subject: Subject): Promise<void> {
  const evidence = answer['diagnostic'] as JsonObject;
  expect(await storedAttempt(admin, answer['pdcp_log_id'])).toEqual({
    status: 'rejected',
    decided_by: evidence['decided_by'],
    failure_reason: row.reason,
    failure_code: code,
    failure_detail: answer['failure_detail'],
    failed_change_id: answer['failed_change_id'],
    validation_stage: row.stage,
    protocol_version: format,
    before_version: subject.version,
    after_version: subject.version,
    before_hash: subject.hash,
    after_hash: subject.hash,
    client_request_id: null,
    diagnostic: evidence,
  });
}

describe('through the service, and foreseen by the preview', () => {
  const sent = occurring.filter(({ make, format, row }) => row.isFalseClaim !== true && 'args' in make(format, subjectShape));
  test.each(sent)('$row.reason / $code in $format', async ({ code, format, row, make }) => {
    const subject = subjectOf(row.state ?? 'sound');
    const { args } = make(format, subject) as { args: JsonObject };
    const before = await storedTarget(admin, subject);
    const previewed = await context.service.preview({ ...args, format });
    const receipt = await context.service.submit(format, args);
    const decidedBy = isDatabases(row.stage, code) ? 'database' : 'runtime';
    expect(receipt).toMatchObject({
      status: 'rejected',
      deduplicated: false,
      pdcp_log_id: expect.any(String) as string,
      version: subject.version,
      failure_reason: row.reason,
      failure_code: code,
      failure_detail: expect.stringMatching(/./) as string,
      validity: validity(row),
      diagnostic: diagnostic(code, format, row, decidedBy),
      next_step: expect.stringMatching(/./) as string,
    });
    await expectStored(receipt, code, format, row, subject);
    expect(await storedTarget(admin, subject)).toEqual(before);
    // A tool's argument called `format` is the preview's own; the other members of its answer are the submission's.
    for (const name of ['failure_reason', 'failure_code', 'failure_detail', 'failed_change_id', 'validity', 'diagnostic', 'next_step']) {
      expect([name, previewed[name]]).toEqual([name, receipt[name]]);
    }
    expect(previewed['status']).toBe('would_reject');
  });

  test('what is said of a damaged text is true of that text, whatever its row says', async () => {
    for (const text of ['', 'short', 'é'.repeat(8) + 'x', 'long '.repeat(400)]) {
      const subject = await makeSubject(admin);
      await damage(admin, subject, text);
      const body = { target_file_id: subject.id, intent: 'try', expected_target_version: 0, replacement: 'x' };
      const points = [...text];
      const shown = { start: 0, end: Math.min(256, points.length), total_chars: points.length, text: points.slice(0, 256).join('') };
      const previewed = await context.service.preview({ ...body, format: 'patchdiff-tx/3' });
      for (const answer of [previewed, await context.service.submit('patchdiff-tx/3', body)]) {
        expect(answer).toMatchObject({ failure_code: 'content_diverged', diagnostic: { failure_context: shown } });
        if (answer !== previewed) expect(answer['current_context']).toMatchObject(shown);
      }
    }
  });
});

/** Enough of a subject to ask a maker whether a tool can bring its case about. */
const subjectShape: Subject = { id: '', content: CONTENT, version: 0, hash: '' };

/** What a direct call answered, in the words of a receipt. */
const asReceipt = (row: CommitReceiptRow): JsonObject => ({
  ...(row as unknown as JsonObject),
  validity: row.validation_stage && { ...validityOf(row.validation_stage) },
});

async function expectDirect(sent: Sent, code: string, format: string, row: Row, claim: 'none' | 'true' | 'false'): Promise<void> {
  const subject = subjectOf(row.state ?? 'sound');
  const made = { none: { verdict: 'none' as const }, true: claiming(row.reason), false: claiming('no_such_reason') }[claim];
  const before = await storedTarget(admin, subject);
  const answer = await commitAttempt(context.database, callOf(sent, format as Format, subject, made));
  const decidedBy = isDatabases(row.stage, code) || claim === 'none' ? 'database' : 'runtime';
  expect(asReceipt(answer)).toMatchObject({
    outcome: 'rejected',
    deduplicated: false,
    decided_by: decidedBy,
    validation_stage: row.stage,
    failure_reason: row.reason,
    failure_code: code,
    validity: validity(row),
    diagnostic: diagnostic(code, format, row, decidedBy),
    current_version: subject.version,
  });
  await expectStored(asReceipt(answer), code, format, row, subject);
  expect(await storedTarget(admin, subject)).toEqual(before);
}

describe('by a call of the procedure', () => {
  test.each(occurring)('$row.reason / $code in $format', async ({ code, format, row, make }) => {
    const sent = make(format, subjectOf(row.state ?? 'sound'));
    if (row.isFalseClaim === true) {
      await expectDirect(sent, code, format, row, 'false');
      return;
    }
    await expectDirect(sent, code, format, row, 'true');
    // Without a claim the verdict is the same, unless it depends on content that the caller has not evaluated.
    if (row.stage !== 'transaction_applicability') {
      await expectDirect(sent, code, format, row, 'none');
      return;
    }
    const subject = subjectOf(row.state ?? 'sound');
    const answer = await commitAttempt(context.database, callOf(sent, format, subject, { verdict: 'none' }));
    expect(answer).toMatchObject({ outcome: 'stale_base', pdcp_log_id: null, failure_reason: null });
  });

  test('a record of no public format is unknown_format, and recorded as unknown', async () => {
    const { id } = subjectOf('sound');
    const record = { format: 'patchdiff-tx/9', target_file_id: id, intent: 'try', expected_target_version: 0, edits: [] };
    const row: Row = { reason: 'manifest_invalid', stage: 'protocol_validation', occurs: {}, never: {} };
    await expectDirect({ record }, 'unknown_format', 'unknown', row, 'true');
    await expectDirect({ record }, 'unknown_format', 'unknown', row, 'none');
  });
});

describe('what cannot occur in a format', () => {
  test.each(impossible)('$code in $format, but $never.instead: $never.why', async ({ format, row, never }) => {
    const subject = row.state === 'large' ? subjectOf('large') : await makeSubject(admin);
    const sent = never.make(format, subject);
    if ('args' in sent) {
      const receipt = await context.service.submit(format, sent.args);
      expect(receipt['failure_code'] ?? receipt['status']).toBe(never.instead);
      return;
    }
    const reason = TABLE[never.instead]?.reason ?? '';
    const answer = await commitAttempt(context.database, callOf(sent, format, subject, claiming(reason)));
    expect(answer.failure_code ?? answer.outcome).toBe(never.instead);
    expect(answer.decided_by).toBe('runtime');
  });
});

describe('what reaches no target leaves no row', () => {
  const BODY = { intent: 'try', expected_target_version: 0, edits: [{ match: 'a', replace: 'b' }], client_request_id: TAKEN_KEY };
  test.each(
    FORMATS.flatMap((format) => [
      {
        format,
        code: 'target_not_found',
        reason: 'target_not_found',
        args: { target_file_id: '5a5a5a5a-0000-4000-8000-0000000000ff', ...BODY },
      },
      { format, code: 'target_id_malformed', reason: 'context_invalid', args: { target_file_id: 'notes.md', ...BODY } },
      { format, code: 'target_id_malformed', reason: 'context_invalid', args: BODY },
      { format, code: 'arguments_not_an_object', reason: 'context_invalid', args: [BODY] },
    ]),
  )('$code in $format', async ({ format, code, reason, args }) => {
    const count = async () => (await admin.query('select pdcp_log_id from patchdiff_store.append_only_pdcp_logs')).rowCount;
    const before = await count();
    const receipt = await context.service.submit(format, args);
    const unavailable = { kind: 'unavailable', reason: expect.any(String) as string };
    expect(receipt).toMatchObject({
      status: 'rejected',
      pdcp_log_id: null,
      failure_reason: reason,
      failure_code: code,
      validity: { protocol_valid: null, transaction_valid: null, task_correct: 'not_evaluated', semantic: 'not_evaluated' },
      diagnostic: {
        failure_code: code,
        format,
        validation_stage: 'precondition_guard',
        retryable: false,
        requires_new_submission: true,
        decided_by: 'runtime',
        failure_context: unavailable,
      },
      current_context: unavailable,
    });
    expect(await count()).toBe(before);
  });

  test('a direct call to an unknown target answers not_found', async () => {
    const subject = { ...subjectOf('sound'), id: '5a5a5a5a-0000-4000-8000-0000000000ff' };
    for (const claim of [{ verdict: 'none' as const }, claiming('target_not_found')]) {
      const sent = { args: { target_file_id: subject.id, ...BODY } };
      expect(await commitAttempt(context.database, callOf(sent, 'patchdiff-tx/1', subject, claim))).toMatchObject({
        outcome: 'not_found',
        pdcp_log_id: null,
      });
    }
  });
});
