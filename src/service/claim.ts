import { applyTransaction, member, profileOf } from '../transaction/index.ts';
import type { Applied, Decoded, Fault, JsonObject } from '../transaction/index.ts';
import type { CachedContent } from './content-cache.ts';
import { sha256 } from './sha256.ts';

/** What this process found out about a submission, before the procedure judges it. */
export type Claim =
  /** Nothing to claim: no content to evaluate, or the guards say that the content held here is not the one meant. */
  | { verdict: 'none' }
  | { verdict: 'accepted'; base: CachedContent; applied: Applied }
  /**
   * `buffer`, the text in which the fault struck, is null for faults that no content can change. `base` is named even then when one
   * is held: should the database read the submission otherwise, it records the contradiction instead of asking for a base again.
   */
  | { verdict: 'rejected'; base: CachedContent | null; fault: Fault; buffer: string | null };

/** False when a well-formed guard names another version or content than `base`: the verdict would be about the wrong text. */
export function guardsHold(record: JsonObject, base: CachedContent): boolean {
  const version = member(record, 'expected_target_version');
  const hash = member(record, 'expected_current_hash');
  return (typeof version !== 'number' || version === base.version) && (typeof hash !== 'string' || hash === base.hash);
}

/** The claim to send: protocol faults need no content; everything else is judged on `base`, when there is one that the guards mean. */
export function claimOf(record: JsonObject, decoded: Decoded, base: CachedContent | null): Claim {
  if (!decoded.ok) return { verdict: 'rejected', base, fault: decoded.fault, buffer: null };
  if (base === null || !guardsHold(record, base)) return { verdict: 'none' };
  const applied = applyTransaction(base.content, decoded.transaction, profileOf(record), sha256);
  return applied.ok ? { verdict: 'accepted', base, applied } : { verdict: 'rejected', base, fault: applied.fault, buffer: applied.buffer };
}
