import type { CommitReceiptRow } from '../../db/calls/commit-attempt.ts';
import { previewFacts } from '../../db/calls/preview-facts.ts';
import type { PreviewFactsRow } from '../../db/calls/preview-facts.ts';
import { previewRecovery } from '../../db/calls/preview-recovery.ts';
import { readTarget } from '../../db/calls/read-target.ts';
import type { Database } from '../../db/port.ts';
import type { NearMissAnswer } from '../../nearmiss/index.ts';
import { codePointLength } from '../../text/index.ts';
import {
  applyTransaction,
  canonicalUuid,
  decodeSubmission,
  diagnosticOf,
  faultOf,
  identityOf,
  isSameRequest,
  keyConflictFault,
  preconditionFault,
  prepareSubmission,
  profileOf,
  rawValuesOf,
} from '../../transaction/index.ts';
import type { Fault, Format, JsonObject, NotApplied, Submission } from '../../transaction/index.ts';
import { invalidArgument, notFound } from '../common/answers.ts';
import { ArgumentReader } from '../common/arguments.ts';
import { CachedContent } from '../common/content-cache.ts';
import type { Context } from '../common/context.ts';
import { explainMiss } from './explain-miss.ts';
import { missedOf } from './near-misses.ts';
import { wouldAccept, wouldRecover, wouldReject } from './preview-answer.ts';
import type { PreviewHead } from './preview-answer.ts';
import { sha256 } from '../common/sha256.ts';
import type { CallOptions } from '../common/types.ts';

const FORMATS = ['patchdiff-tx/1', 'patchdiff-tx/2', 'patchdiff-tx/3'] as const satisfies readonly Format[];

/** The submission and what it would find: one committed state of the database. */
interface Subject {
  submission: Submission;
  head: PreviewHead;
  facts: PreviewFactsRow;
  /** The receipt that the request key stands for, when it stands for this very request: then nothing else is looked at. */
  recorded: CommitReceiptRow | null;
  /** Null beside `recorded`, and when the stored content is not what its row says. */
  content: string | null;
  /** The submission's arguments as sent. */
  args: JsonObject;
}

/** The target's content at the version that `facts` tell of, from the cache where it is held. */
async function contentAt(context: Context, id: string, facts: PreviewFactsRow, options: CallOptions): Promise<string | null> {
  const cached = context.cache.get(id);
  if (cached?.version === facts.version && cached.hash === facts.current_hash) return cached.content;
  const row = await readTarget(context.database, id, options);
  if (row === null) return null;
  context.cache.put(id, new CachedContent(row.version, sha256(row.current_content), row.current_content));
  return row.current_content;
}

/** Everything that is read, in one snapshot; null: no such target. `context.database` is bound to it. */
async function observe(
  context: Context,
  submission: Submission,
  id: string,
  args: JsonObject,
  options: CallOptions,
): Promise<Subject | null> {
  const { clientRequestId, parent } = submission;
  const facts = await previewFacts(context.database, id, canonicalUuid(parent), clientRequestId, options);
  if (facts === null) return null;
  const head = { target_file_id: id, format: submission.format, version: facts.version, current_hash: facts.current_hash };
  const subject = { submission, head, facts, recorded: null, content: null, args };
  if (clientRequestId !== null && facts.key_kind === 'submission') {
    const identity = identityOf(submission, id, facts.is_parent ? canonicalUuid(parent) : parent, sha256);
    if (isSameRequest(identity, facts.key_fingerprint ?? ''))
      return { ...subject, recorded: await previewRecovery(context.database, id, clientRequestId, options) };
  }
  return { ...subject, content: facts.is_intact ? await contentAt(context, id, facts, options) : null };
}

/** The fault that no evaluation is needed for, in the one order under the lock (docs/spec/decoding.md), after a recovered key. */
function earlyFault({ submission, facts }: Subject): Fault | null {
  if (facts.key_kind !== null) return keyConflictFault(submission.clientRequestId ?? '', facts.key_pdcp_log_id);
  return preconditionFault(submission, { version: facts.version, hash: facts.current_hash }, facts.is_parent);
}

/** A rejection; `failed` is the evaluation that found the fault, null for a fault that needed none. */
function refused(
  { submission, facts, head, args }: Subject,
  fault: Fault,
  decidedBy: 'database' | 'runtime',
  failed: { result: NotApplied; nearMisses: NearMissAnswer | null } | null = null,
): JsonObject {
  const { version, current_hash: hash, content_head: text } = facts;
  const total = fault.code === 'content_diverged' ? facts.counted_chars : facts.content_chars;
  const diagnostic = diagnosticOf(fault, {
    format: submission.format,
    decidedBy,
    version,
    hash,
    buffer: failed?.result.buffer ?? text,
    priorChanges: failed?.result.priorChanges ?? 0,
    rawValues: rawValuesOf(submission, facts.is_parent),
  });
  // Such a fault shows the head of the content alone; the row says how long all of it is.
  if (failed === null) Object.assign(diagnostic['failure_context'] as JsonObject, { total_chars: total });
  const currentContext = { version, hash, start: 0, end: codePointLength(text), total_chars: total, text };
  return wouldReject(head, { fault, diagnostic, currentContext, nearMisses: failed?.nearMisses ?? null, args });
}

async function judge(context: Context, subject: Subject, options: CallOptions): Promise<JsonObject> {
  const { submission, head, recorded, content, args } = subject;
  if (recorded !== null) return wouldRecover(head, recorded, args);
  const early = earlyFault(subject);
  if (early !== null) return refused(subject, early, 'database');
  const decoded = decodeSubmission(submission);
  if (!decoded.ok) return refused(subject, decoded.fault, 'runtime');
  if (content === null) return refused(subject, faultOf('content_diverged'), 'database');
  const { transaction } = decoded;
  const result = applyTransaction(content, transaction, profileOf(submission.record), sha256);
  if (result.ok) return wouldAccept(head, content, result);
  const { fault, buffer, changes: prior } = result;
  const targetFileId = head.target_file_id;
  const base = { version: head.version, content };
  const missed = missedOf({ targetFileId, fault, buffer, prior, transaction, base, previous: context.cache.previous(targetFileId) });
  return refused(subject, fault, 'runtime', { result, nearMisses: await explainMiss(context, missed, options) });
}

/**
 * What a submission of these arguments would answer now, with the same verdict and evidence and a unified diff. Takes no lock and
 * cannot write: the answer authorises nothing, and the target may move before the submission. `format` says which tool is
 * meant; every other argument is judged as that tool would.
 */
export async function preview(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const id = reader.uuid('target_file_id');
  const format = reader.oneOf('format', FORMATS, null);
  if (reader.fault !== null) return invalidArgument(reader.fault);
  const body = Object.fromEntries(Object.entries(args as JsonObject).filter(([name]) => name !== 'format'));
  const submission = prepareSubmission(format, body);
  const observed = (database: Database): Promise<Subject | null> => observe({ ...context, database }, submission, id, body, options);
  // A transaction of the caller's has its own isolation, and no other can begin in it.
  const subject = await (context.database.autocommit ? context.database.snapshot(observed) : observed(context.database));
  return subject === null ? notFound(id) : judge(context, subject, options);
}
