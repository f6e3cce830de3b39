import { applyTransaction, member, profileOf } from '../transaction/index.ts';
import type { Applied, ChangeFact, Decoded, Fault, JsonObject } from '../transaction/index.ts';
import type { CachedContent } from './content-cache.ts';
import { sha256 } from './sha256.ts';

/** What this process found out about a submission, before the procedure judges it. */
export type Claim =
  /** Nothing to claim: no content to evaluate, or the guards say that the content held here is not the one meant. */
  | { verdict: 'none' }
  | { verdict: 'accepted'; base: CachedContent; applied: Applied }
  /**
   * `struck`, the text in which the fault struck and the facts of the changes before it, is null for faults that no content can change. `base` is named even then when one
   * is held: should the database read the submission otherwise, it records the contradiction instead of asking for a base again.
   */
  | { verdict: 'rejected'; base: CachedContent | null; fault: Fault; struck: { buffer: string; prior: readonly ChangeFact[] } | null };

/** False when a well-formed guard names another version or content than `base`: the verdict would be about the wrong text. */
export function guardsHold(record: JsonObject, base: CachedContent): boolean {
  const version = member(record, 'expected_target_version');
  const hash = member(record, 'expected_current_hash');
  return (typeof version !== 'number' || version === base.version) && (typeof hash !== 'string' || hash === base.hash);
}

/** The claim to send: protocol faults need no content; everything else is judged on `base`, when there is one that the guards mean. */
export function claimOf(record: JsonObject, decoded: Decoded, base: CachedContent | null): Claim {
  if (!decoded.ok) return { verdict: 'rejected', base, fault: decoded.fault, struck: null };
  if (base === null || !guardsHold(record, base)) return { verdict: 'none' };
  const applied = applyTransaction(base.content, decoded.transaction, profileOf(record), sha256);
  if (applied.ok) return { verdict: 'accepted', base, applied };
  const { fault, buffer, changes } = applied;
  return { verdict: 'rejected', base, fault, struck: { buffer, prior: changes } };
}
