import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitAttempt } from '../../src/db/calls/commit-attempt.ts';
import type { CommitAttempt, CommitReceiptRow } from '../../src/db/calls/commit-attempt.ts';
import { observeScopes } from '../../src/db/calls/observe-scopes.ts';
import { readObservation } from '../../src/db/calls/read-observation.ts';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/port.ts';
import {
  bundleIdentityOf,
  bundleIdOf,
  diagnosticOf,
  evaluateBundle,
  keyConflictFault,
  preconditionFault,
  prepareBundle,
  rawValuesOf,
  replay,
  scopeIdOf,
} from '../../src/transaction/index.ts';
import type { AcceptedAttempt, BundleFormat, Fault, Observation, Submission } from '../../src/transaction/index.ts';
import type { OwnedLine } from '../audit/support/line-tracker.ts';
import { useDatabase } from '../helpers/database.ts';
import { Random } from '../helpers/random.ts';
import { sha256 } from './support/attacks.ts';
import { claimingCall, GRAMMAR, observationOf } from './support/bundle-calls.ts';
import { blamed, firstLines, linesAfter } from './support/bundle-blame.ts';
import { randomBundle, randomRanges } from './support/bundles.ts';
import { randomContent } from './support/submissions.ts';
import type { Document } from './support/submissions.ts';

const database = useDatabase();
const ROUNDS = 150;
const SEEDS = Array.from({ length: 8 }, (_, turn) => 20_261_201 + turn);
let writer: Database;
let admin: pg.Pool;

beforeAll(() => {
  writer = openDatabase({ connectionString: database.url('writer'), max: 4 });
  admin = database.pool('admin', { max: 4 });
});
afterAll(() => writer.close());

type Subject = Document & {
  initial: string;
  keys: Map<string, { fingerprint: string; id: string }>;
  observations: Map<string, Observation>;
  /** The lines of each version with their writers. */
  lines: OwnedLine[][];
};

async function observe(random: Random, subject: Subject): Promise<Observation> {
  const ranges = randomRanges(random, subject);
  const row = await observeScopes(writer, {
    ...observationOf(subject.id, subject.content, subject.version, ranges),
    language: random.pick(['rust', null]),
  });
  const points = [...subject.content];
  expect(row).toMatchObject({ outcome: 'observed', version: subject.version });
  expect(row.scopes).toHaveLength(ranges.length);
  for (const [at, scope] of (row.scopes ?? []).entries()) {
    const text = points.slice(scope.start, scope.end).join('');
    const before = points.slice(0, scope.start).filter((point) => point === '\n').length;
    const inside = text.split('\n').length - 1 - (text.endsWith('\n') ? 1 : 0);
    expect(scope).toEqual({
      ...ranges[at],
      scope_id: scopeIdOf({ targetFileId: subject.id, contentHash: sha256(subject.content), grammar: GRAMMAR }, scope, sha256),
      text,
      sha256: sha256(text),
      first_line: before + 1,
      last_line: before + 1 + inside,
    });
  }
  const observation = await readObservation(writer, subject.id, row.bundle_id ?? '');
  if (observation === null) throw new Error('an observation vanished');
  subject.observations.set(observation.bundle_id, observation);
  return observation;
}

interface Expected {
  fault: Fault | null;
  decidedBy: 'database' | 'runtime';
  buffer: string;
  priorChanges: number;
}

type Evaluated = ReturnType<typeof evaluateBundle>;

function expectedOf(submission: Submission<BundleFormat>, subject: Subject, outcome: Evaluated, resolved: boolean, isClaiming: boolean): Expected | null {
  const row = { version: subject.version, hash: sha256(subject.content) };
  const stored = submission.clientRequestId === null ? undefined : subject.keys.get(submission.clientRequestId);
  const observed = subject.observations.has(bundleIdOf(submission) ?? '');
  const early =
    stored === undefined
      ? preconditionFault(submission, row, resolved, observed)
      : keyConflictFault(submission.clientRequestId ?? '', stored.id);
  if (early !== null) return { fault: early, decidedBy: 'database', buffer: subject.content, priorChanges: 0 };
  const decidedBy = isClaiming ? 'runtime' : 'database';
  if (outcome.verdict === 'accepted') return isClaiming ? { fault: null, decidedBy, buffer: '', priorChanges: 0 } : null;
  if (!isClaiming && outcome.fault.stage === 'transaction_applicability') return null;
  return { ...outcome, decidedBy };
}

async function judge(submission: Submission<BundleFormat>, subject: Subject, call: CommitAttempt, outcome: Evaluated, receipt: CommitReceiptRow): Promise<string> {
  const parent = submission.parent?.toLowerCase() ?? null;
  const resolved = parent !== null && subject.rejected.includes(parent);
  const observation = subject.observations.get(bundleIdOf(submission) ?? '') ?? null;
  const identity = bundleIdentityOf(submission, observation, subject.id, resolved ? parent : submission.parent, sha256);
  expect(receipt.request_fingerprint).toBe(identity.fingerprint);
  const stored = submission.clientRequestId === null ? undefined : subject.keys.get(submission.clientRequestId);
  if (stored?.fingerprint === identity.fingerprint) {
    expect(receipt).toMatchObject({ deduplicated: true, pdcp_log_id: stored.id });
    return 'recovered';
  }
  const expected = expectedOf(submission, subject, outcome, resolved, call.verdict !== 'none');
  if (expected === null) {
    expect(receipt).toMatchObject({ outcome: 'stale_base', current_content: subject.content, pdcp_log_id: null });
    return 'stale_base';
  }
  const { rows } = await admin.query<Record<string, string | null>>(
    `select pdcp_content, pdcp_content_hash, protocol_version, runtime_version, client_request_id
     from patchdiff_store.append_only_pdcp_logs where pdcp_log_id = $1`,
    [receipt.pdcp_log_id],
  );
  const { fault, decidedBy, buffer, priorChanges } = expected;
  expect(rows[0]).toMatchObject({
    pdcp_content: identity.content,
    pdcp_content_hash: identity.contentHash,
    protocol_version: identity.protocolVersion,
    runtime_version: identity.runtimeVersion,
  });
  const key = rows[0]?.['client_request_id'];
  if (typeof key === 'string') subject.keys.set(key, { fingerprint: identity.fingerprint, id: receipt.pdcp_log_id ?? '' });
  if (fault === null) {
    if (outcome.verdict !== 'accepted') throw new Error('unreachable');
    const { applied } = outcome;
    expect(receipt).toMatchObject({ outcome: 'accepted', after_hash: applied.afterHash, decided_by: decidedBy });
    expect(JSON.stringify(receipt.changes)).toBe(JSON.stringify(applied.changes));
    expect(receipt.warnings ?? []).toEqual(applied.warnings);
    subject.content = applied.content;
    subject.version += 1;
    const lines = linesAfter(subject.lines.at(-1) ?? [], subject.version, receipt.pdcp_log_id ?? '', outcome.transaction, applied.changes);
    expect(lines.map(({ text }) => text).join('')).toBe(subject.content);
    subject.lines.push(lines);
    return applied.changes.some((change) => change.ordinal !== change.apply_ordinal) ? 'accepted in another order' : 'accepted';
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
  });
  const row = { version: subject.version, hash: sha256(subject.content) };
  const rawValues = rawValuesOf(submission, resolved);
  const diagnostic = diagnosticOf(fault, { format: identity.protocolVersion, decidedBy, ...row, buffer, priorChanges, rawValues });
  expect(JSON.stringify(receipt.diagnostic)).toBe(JSON.stringify(diagnostic));
  return fault.code;
}

test.concurrent.each(SEEDS)('the procedure and src/transaction say the same of every bundle (seed %i)', { timeout: 300_000 }, async (seed) => {
  const random = new Random(seed);
  const subjects: Subject[] = [];
  for (let kind = 0; kind < 6; kind += 1) {
    const content = `${randomContent(random, kind)}ab`;
    const { rows } = await admin.query<{ id: string }>(`select target_file_id as id from patchdiff.create_target(null, 'doc', $1)`, [content]);
    subjects.push({ id: rows[0]?.id ?? '', content, initial: content, version: 0, rejected: [], keys: new Map(), observations: new Map(), lines: [firstLines(content)] });
  }
  const seen = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const subject = random.pick(subjects);
    if (subject.content === '') continue;
    // Mostly a fresh observation; an old one is of a text that has moved on since.
    const old = [...subject.observations.values()];
    const observation = old.length > 0 && random.chance(0.3) ? random.pick(old) : await observe(random, subject);
    const submission = prepareBundle(randomBundle(random, subject, observation, round));
    const named = subject.observations.get(bundleIdOf(submission) ?? '') ?? null;
    const outcome = evaluateBundle(submission, named, subject.content, sha256);
    const honest = claimingCall(submission, subject.id, subject.content, outcome);
    const call: CommitAttempt = random.chance(0.85) ? honest : { ...honest, verdict: 'none', resolvedStarts: null, afterHash: null, diagnostic: null, warnings: null };
    const receipt = await commitAttempt(writer, call);
    const said = await judge(submission, subject, call, outcome, receipt).catch((error: unknown) => {
      throw new Error(`round ${round} of seed ${seed}: ${JSON.stringify({ content: subject.content, call })}`, { cause: error });
    });
    seen.set(said, (seen.get(said) ?? 0) + 1);
  }
  for (const subject of subjects) {
    const { id, content, version } = subject;
    const { rows } = await admin.query<AcceptedAttempt>(
      `select target_file_id, pdcp_log_id, log_sequence::int, before_version::int, after_version::int, before_hash, after_hash, pdcp_content,
         pdcp_content_hash, protocol_version, runtime_version
       from patchdiff_store.append_only_pdcp_logs where target_file_id = $1 and status = 'accepted' order by log_sequence`,
      [id],
    );
    const initial = { target_file_id: id, content: subject.initial, content_hash: sha256(subject.initial) };
    expect(replay(initial, rows, { content, hash: sha256(content), version }, id, sha256)).toMatchObject({
      status: 'success',
      materialized_state_matches: true,
    });
    for (let at = 0; at <= version; at += 7) {
      const { rows: rebuilt } = await admin.query<{ text: string }>('select patchdiff_audit.reconstruct($1, $2) as text', [id, at]);
      const wanted = at === 0 ? sha256(subject.initial) : rows[at - 1]?.after_hash;
      expect(sha256(rebuilt[0]?.text ?? '')).toBe(wanted);
    }
    expect((await admin.query('select * from patchdiff_audit.verify_target($1)', [id])).rows).toEqual([]);
    for (const [at, lines] of await blamed(admin, id, version, 5)) {
      expect(lines, `version ${at} of ${id}`).toEqual(subject.lines[at]?.map(({ text, owner }) => ({ text: text.replace(/\n$/, ''), owner })));
    }
  }
  expect(seen.size).toBeGreaterThan(10);
  for (const code of ['accepted', 'accepted in another order', 'scope_hash_mismatch', 'scopes_overlap', 'bundle_invalid', 'stale_base']) {
    expect([code, (seen.get(code) ?? 0) > 0]).toEqual([code, true]);
  }
});
