import { readAttempt } from '../db/calls/read-attempt.ts';
import { readAttempts } from '../db/calls/read-attempts.ts';
import type { AttemptRow } from '../db/calls/attempt-entry.ts';
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
  validityOf,
} from '../transaction/index.ts';
import type { NearMissAnswer } from '../nearmiss/index.ts';
import type { Applied, ChangeFact, Fault, Format, JsonObject, Submission, Transaction } from '../transaction/index.ts';
import { invalidArgument, notFound } from './answers.ts';
import { ArgumentReader } from './arguments.ts';
import type { CachedContent } from './content-cache.ts';
import type { Context } from './context.ts';
import { heldContent } from './held-content.ts';
import type { Held } from './held-content.ts';
import { explainMiss } from './explain-miss.ts';
import { missedOf, nearMissMembers } from './near-misses.ts';
import type { Missed } from './near-misses.ts';
import { nextStep } from './next-step.ts';
import { previewAccepted } from './preview-answer.ts';
import { sha256 } from './sha256.ts';
import type { CallOptions } from './types.ts';
import { unlessUnknown } from './unknown-target.ts';
import { wrongShape } from './wrong-shape.ts';

const FORMATS = ['patchdiff-tx/1', 'patchdiff-tx/2', 'patchdiff-tx/3'] as const satisfies readonly Format[];

/** What identity and lineage ask of other rows. */
interface Related {
  parentResolved: boolean;
  /** The attempt that the request key is stored with; null: none. A SAVE's key is not seen. */
  keyed: AttemptRow | null;
}

async function relatedTo(context: Context, id: string, submission: Submission, options: CallOptions): Promise<Related> {
  const { parent, clientRequestId } = submission;
  const parentId = canonicalUuid(parent);
  const parentRow = parentId === null ? null : await readAttempt(context.database, parentId, options);
  const parentResolved = parentRow !== null && parentRow.target_file_id === id && parentRow.status === 'rejected';
  if (clientRequestId === null) return { parentResolved, keyed: null };
  const call = {
    targetFileId: id,
    limit: 1,
    beforeSequence: null,
    status: null,
    contentHash: null,
    clientRequestId,
    includeContent: false,
  };
  const rows = await unlessUnknown(readAttempts(context.database, call, options));
  return { parentResolved, keyed: rows?.[0] ?? null };
}

/** The fault and the text in which it struck, or what would be applied. */
type Verdict =
  | { ok: true; transaction: Transaction; applied: Applied }
  | {
      ok: false;
      fault: Fault;
      transaction: Transaction | null;
      buffer: string;
      prior: readonly ChangeFact[];
      decidedBy: 'database' | 'runtime';
    };

/** In the one order under the lock (docs/spec/decoding.md), after the stored key. */
function judge(submission: Submission, held: Held, related: Related): Verdict {
  const { content } = held.content;
  const failed = (fault: Fault, decidedBy: 'database' | 'runtime'): Verdict => ({
    ok: false,
    fault,
    transaction: null,
    buffer: content,
    prior: [],
    decidedBy,
  });
  if (related.keyed !== null) return failed(keyConflictFault(submission.clientRequestId ?? '', related.keyed.pdcp_log_id), 'database');
  const early = preconditionFault(submission, { version: held.head.version, hash: held.head.current_hash }, related.parentResolved);
  if (early !== null) return failed(early, 'database');
  const decoded = decodeSubmission(submission);
  if (!decoded.ok) return failed(decoded.fault, 'runtime');
  if (!held.sound) return failed(faultOf('content_diverged'), 'database');
  const applied = applyTransaction(content, decoded.transaction, profileOf(submission.record), sha256);
  if (applied.ok) return { ok: true, transaction: decoded.transaction, applied };
  const { fault, buffer, changes: prior } = applied;
  return { ok: false, fault, transaction: decoded.transaction, buffer, prior, decidedBy: 'runtime' };
}

function recovered(common: JsonObject, row: AttemptRow): JsonObject {
  return {
    ...common,
    status: 'would_recover',
    would_recover: true,
    recorded: {
      pdcp_log_id: row.pdcp_log_id,
      status: row.status,
      failure_reason: row.failure_reason,
      before_version: row.before_version,
      after_version: row.after_version,
    },
    next_step: 'A submission with this client_request_id returns that outcome and changes nothing; send a new key for a new change.',
  };
}

interface Rejected {
  submission: Submission;
  held: Held;
  related: Related;
  verdict: Verdict & { ok: false };
  nearMisses: NearMissAnswer | null;
  /** The submission's arguments as sent. */
  args: JsonObject;
}

function rejected(common: JsonObject, { submission, held, related, verdict, nearMisses, args }: Rejected): JsonObject {
  const { fault, buffer, prior, decidedBy } = verdict;
  const { version, current_hash: hash } = held.head;
  const diagnostic = diagnosticOf(fault, {
    format: submission.format,
    decidedBy,
    version,
    hash,
    buffer,
    priorChanges: prior.length,
    rawValues: rawValuesOf(submission, related.parentResolved),
  });
  return {
    ...common,
    status: 'would_reject',
    validity: { ...validityOf(fault.stage) },
    failure_reason: fault.reason,
    failure_code: fault.code,
    failure_detail: fault.detail,
    failed_change_id: fault.failedChangeId,
    diagnostic,
    ...nearMissMembers(nearMisses),
    next_step: nextStep(fault.code, { shape: wrongShape(submission.format, args), args, diagnostic, nearMisses }),
  };
}

function missedBy(targetFileId: string, held: Held, verdict: Verdict & { ok: false }, previous: CachedContent | null): Missed | null {
  const { transaction, fault, buffer, prior } = verdict;
  const base = { version: held.head.version, content: held.content.content };
  return transaction === null ? null : missedOf({ targetFileId, fault, buffer, prior, transaction, base, previous });
}

/**
 * What a submission of these arguments would answer now, with the same verdict and evidence and a unified diff. Takes no lock and
 * writes nothing: the answer authorises nothing, and the target may move before the submission.
 */
export async function preview(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const id = reader.uuid('target_file_id');
  const format = reader.oneOf('format', FORMATS, null);
  if (reader.fault !== null) return invalidArgument(reader.fault);
  const body = Object.fromEntries(Object.entries(args as JsonObject).filter(([name]) => name !== 'format'));
  const submission = prepareSubmission(format, body);
  const held = await heldContent(context, id, options);
  if (held === null) return notFound(id);
  const related = await relatedTo(context, id, submission, options);
  const common: JsonObject = {
    status: 'would_accept',
    target_file_id: id,
    format,
    version: held.head.version,
    current_hash: held.head.current_hash,
    would_recover: false,
  };
  if (related.keyed !== null) {
    const parent = related.parentResolved ? canonicalUuid(submission.parent) : submission.parent;
    if (isSameRequest(identityOf(submission, id, parent, sha256), related.keyed.request_fingerprint ?? ''))
      return recovered(common, related.keyed);
  }
  const verdict = judge(submission, held, related);
  if (!verdict.ok) {
    const nearMisses = await explainMiss(context, missedBy(id, held, verdict, context.cache.previous(id)), options);
    return rejected(common, { submission, held, related, verdict, nearMisses, args: body });
  }
  return previewAccepted(common, held, verdict.applied);
}
