import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitAttempt, type CommitAttempt, type CommitReceiptRow } from '../../src/db/calls/commit-attempt.ts';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/port.ts';
import {
  diagnosticOf,
  evaluate,
  identityOf,
  keyConflictFault,
  preconditionFault,
  prepareSubmission,
  rawValuesOf,
  type Fault,
  type Submission,
} from '../../src/transaction/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { Random } from '../helpers/random.ts';
import { sha256 } from './support/attacks.ts';
import { randomContent, randomSubmission, type Document } from './support/submissions.ts';

const database = useDatabase();
/** Of each seed; with twenty seeds, twenty thousand submissions. */
const ROUNDS = 1000;
const SEEDS = Array.from({ length: 20 }, (_, turn) => 20_261_130 + turn);
let writer: Database;
let admin: pg.Pool;

beforeAll(() => {
  writer = openDatabase({ connectionString: database.url('writer'), max: 4 });
  admin = database.pool('admin', { max: 4 });
});
afterAll(() => writer.close());

interface StoredKey {
  fingerprint: string;
  id: string;
}
type Subject = Document & { keys: Map<string, StoredKey> };

interface Expected {
  fault: Fault | null;
  decidedBy: 'database' | 'runtime';
  buffer: string;
  priorChanges: number;
}

/** What the contract says of a submission whose claim is true, or that claims nothing; null: it must be evaluated again. */
function expectedOf(submission: Submission, subject: Subject, resolved: boolean, verdict: CommitAttempt['verdict']): Expected | null {
  const row = { version: subject.version, hash: sha256(subject.content) };
  const stored = submission.clientRequestId === null ? undefined : subject.keys.get(submission.clientRequestId);
  const early =
    stored === undefined
      ? preconditionFault(submission, row, resolved)
      : keyConflictFault(submission.clientRequestId ?? '', stored.id);
  if (early !== null) return { fault: early, decidedBy: 'database', buffer: subject.content, priorChanges: 0 };
  const outcome = evaluate(submission, subject.content, sha256);
  const decidedBy = verdict === 'none' ? 'database' : 'runtime';
  if (outcome.verdict === 'accepted') return verdict === 'none' ? null : { fault: null, decidedBy, buffer: '', priorChanges: 0 };
  if (verdict === 'none' && outcome.fault.stage === 'transaction_applicability') return null;
  return { ...outcome, decidedBy };
}

function callOf(submission: Submission, subject: Subject, isClaiming: boolean): CommitAttempt {
  const outcome = evaluate(submission, subject.content, sha256);
  const call: CommitAttempt = {
    targetFileId: subject.id,
    payload: submission.payload,
    clientRequestId: submission.clientRequestId,
    parent: submission.parent,
    attempt: submission.attempt,
    source: submission.source,
    actor: '{"host":"test"}',
    baseHash: sha256(subject.content),
    verdict: 'none',
    resolvedStarts: null,
    afterHash: null,
    diagnostic: null,
    warnings: null,
    rawMetadata: submission.rawMetadata === null ? null : JSON.stringify(submission.rawMetadata),
  };
  if (!isClaiming) return call;
  if (outcome.verdict === 'rejected') return { ...call, verdict: 'rejected', diagnostic: JSON.stringify({ failure_reason: outcome.fault.reason }) };
  const { resolvedStarts, afterHash, warnings } = outcome.applied;
  return { ...call, verdict: 'accepted', resolvedStarts, afterHash, warnings: JSON.stringify(warnings) };
}

/** The `current_context` of a receipt: the first 256 code points of the target. */
function headOf({ content, version }: Subject): object {
  const points = [...content];
  const head = points.slice(0, 256);
  return { version, hash: sha256(content), start: 0, end: head.length, total_chars: points.length, text: head.join('') };
}

async function storedRow(id: string | null): Promise<Record<string, unknown>> {
  const { rows } = await admin.query<Record<string, unknown>>(
    `select pdcp_content, pdcp_content_hash, protocol_version, runtime_version, client_request_id
     from patchdiff_store.append_only_pdcp_logs where pdcp_log_id = $1`,
    [id],
  );
  return rows[0] ?? {};
}

/** Compares one receipt with the contract and notes what it changed. */
async function judge(submission: Submission, subject: Subject, call: CommitAttempt, receipt: CommitReceiptRow): Promise<string> {
  const parent = submission.parent?.toLowerCase() ?? null;
  const resolved = parent !== null && subject.rejected.includes(parent);
  const identity = identityOf(submission, subject.id, resolved ? parent : submission.parent, sha256);
  expect(receipt.request_fingerprint).toBe(identity.fingerprint);
  const stored = submission.clientRequestId === null ? undefined : subject.keys.get(submission.clientRequestId);
  if (stored?.fingerprint === identity.fingerprint) {
    expect(receipt).toMatchObject({ deduplicated: true, pdcp_log_id: stored.id });
    return 'recovered';
  }
  const expected = expectedOf(submission, subject, resolved, call.verdict);
  const row = { version: subject.version, hash: sha256(subject.content) };
  if (expected === null) {
    expect(receipt).toMatchObject({ outcome: 'stale_base', current_content: subject.content, pdcp_log_id: null });
    return 'stale_base';
  }
  const { fault, decidedBy, buffer, priorChanges } = expected;
  const kept = await storedRow(receipt.pdcp_log_id);
  expect(kept).toMatchObject({
    pdcp_content: identity.content,
    pdcp_content_hash: identity.contentHash,
    protocol_version: identity.protocolVersion,
    runtime_version: identity.runtimeVersion,
  });
  if (typeof kept['client_request_id'] === 'string') {
    subject.keys.set(kept['client_request_id'], { fingerprint: identity.fingerprint, id: receipt.pdcp_log_id ?? '' });
  }
  if (fault === null) {
    const outcome = evaluate(submission, subject.content, sha256);
    if (outcome.verdict !== 'accepted') throw new Error('unreachable');
    expect(receipt).toMatchObject({ outcome: 'accepted', after_hash: outcome.applied.afterHash, changes: outcome.applied.changes, decided_by: decidedBy });
    expect(receipt.warnings ?? []).toEqual(outcome.applied.warnings);
    subject.content = outcome.applied.content;
    subject.version += 1;
    return 'accepted';
  }
  subject.rejected.push(receipt.pdcp_log_id ?? '');
  expect(receipt).toMatchObject({
    outcome: 'rejected',
    failure_reason: fault.reason,
    failure_code: fault.code,
    failed_change_id: fault.failedChangeId,
    failure_detail: fault.detail,
    validation_stage: fault.stage,
    decided_by: decidedBy,
    current_context: headOf(subject),
  });
  const rawValues = rawValuesOf(submission, resolved);
  const diagnostic = diagnosticOf(fault, { format: identity.protocolVersion, decidedBy, ...row, buffer, priorChanges, rawValues });
  // As text: the order of the members is part of the contract.
  expect(JSON.stringify(receipt.diagnostic)).toBe(JSON.stringify(diagnostic));
  return fault.code;
}

test.concurrent.each(SEEDS)('the procedure and src/transaction say the same of every submission (seed %i)', { timeout: 600_000 }, async (seed) => {
  const random = new Random(seed);
  const subjects: Subject[] = [];
  for (let kind = 0; kind < 9; kind += 1) {
    const content = randomContent(random, kind);
    const { rows } = await admin.query<{ id: string }>(`select target_file_id as id from patchdiff.create_target(null, 'doc', $1)`, [content]);
    subjects.push({ id: rows[0]?.id ?? '', content, version: 0, rejected: [], keys: new Map() });
  }
  const seen = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const subject = random.pick(subjects);
    const { format, args } = randomSubmission(random, subject, round);
    const submission = prepareSubmission(format, args);
    const call = callOf(submission, subject, random.chance(0.8));
    const receipt = await commitAttempt(writer, call);
    const said = await judge(submission, subject, call, receipt).catch((error: unknown) => {
      throw new Error(`round ${round} of seed ${seed}: ${JSON.stringify({ content: subject.content, call })}`, { cause: error });
    });
    seen.set(said, (seen.get(said) ?? 0) + 1);
  }
  for (const subject of subjects) {
    const { rows } = await admin.query(
      `select t.current_content, t.current_hash, t.version, t.content_bytes, t.content_chars
       from patchdiff_store.cloud_target_files as t where t.target_file_id = $1`,
      [subject.id],
    );
    expect(rows[0]).toMatchObject({
      current_content: subject.content,
      current_hash: sha256(subject.content),
      content_bytes: Buffer.byteLength(subject.content),
      content_chars: [...subject.content].length,
    });
    const findings = await admin.query('select * from patchdiff_audit.verify_target($1)', [subject.id]);
    expect(findings.rows).toEqual([]);
  }
  // The generator must keep reaching every part of the contract.
  expect(seen.size).toBeGreaterThan(20);
  expect(seen.get('accepted') ?? 0).toBeGreaterThan(ROUNDS / 8);
});
