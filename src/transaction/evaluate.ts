import { applyTransaction } from './apply.ts';
import { applyBundle } from './apply-bundle.ts';
import { flattenBundle } from './bundle.ts';
import { decodeSubmission } from './decode.ts';
import { decodeBundle } from './decode-bundle.ts';
import type { Sha256 } from './json.ts';
import type { Observation } from './observation.ts';
import { profileOf } from './profiles.ts';
import type { Applied, BundleApplied, BundleFormat, Fault, Submission, Transaction } from './types.ts';

/** What the runtime claims about a submission and one content. */
export type Evaluation<A extends Applied = Applied> =
  | { verdict: 'accepted'; transaction: Transaction; applied: A }
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

/** The same of a bundle; `observation` is the one it names, null when that is none of its target's. */
export function evaluateBundle(
  submission: Submission<BundleFormat>,
  observation: Observation | null,
  content: string,
  sha256: Sha256,
): Evaluation<BundleApplied> {
  const decoded = decodeBundle(submission, observation);
  if (!decoded.ok) return { verdict: 'rejected', fault: decoded.fault, buffer: content, priorChanges: 0 };
  const applied = applyBundle(content, decoded.bundle, profileOf(submission.record), sha256);
  return applied.ok
    ? { verdict: 'accepted', transaction: flattenBundle(decoded.bundle), applied }
    : { verdict: 'rejected', fault: applied.fault, buffer: applied.buffer, priorChanges: applied.priorChanges };
}
