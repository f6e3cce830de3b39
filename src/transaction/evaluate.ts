import { applyTransaction } from './apply.ts';
import { decodeSubmission } from './decode.ts';
import type { Sha256 } from './json.ts';
import { profileOf } from './profiles.ts';
import type { Applied, Fault, Submission, Transaction } from './types.ts';

/** What the runtime claims about a submission and one content. */
export type Evaluation =
  | { verdict: 'accepted'; transaction: Transaction; applied: Applied }
  | { verdict: 'rejected'; fault: Fault; buffer: string; priorChanges: number };

/**
 * Protocol and applicability of a submission against one content: decode, then apply. Guards, keys and lineage are not
 * looked at; the database judges them first.
 */
export function evaluate(submission: Submission, content: string, sha256: Sha256): Evaluation {
  const decoded = decodeSubmission(submission);
  if (!decoded.ok) return { verdict: 'rejected', fault: decoded.fault, buffer: content, priorChanges: 0 };
  const applied = applyTransaction(content, decoded.transaction, profileOf(submission.record), sha256);
  return applied.ok
    ? { verdict: 'accepted', transaction: decoded.transaction, applied }
    : { verdict: 'rejected', fault: applied.fault, buffer: applied.buffer, priorChanges: applied.priorChanges };
}
