import { applyBundle, applyTransaction, member, profileOf } from '../../transaction/index.ts';
import type {
  Applied,
  BundleApplied,
  BundleNotApplied,
  ChangeFact,
  Decoded,
  DecodedBundle,
  Fault,
  JsonObject,
  NotApplied,
  ScopeEvidence,
} from '../../transaction/index.ts';
import type { CachedContent } from '../common/content-cache.ts';
import { sha256 } from '../common/sha256.ts';

/** What this process found out about a submission, before the procedure judges it. */
export type Claim =
  /** Nothing to claim: no content to evaluate, or the guards say that the content held here is not the one meant. */
  | { verdict: 'none' }
  | { verdict: 'accepted'; base: CachedContent; applied: Applied | BundleApplied }
  /**
   * `struck`, the text in which the fault struck (of a bundle's operation: its scope's), and the facts of the changes before it, is null for faults that no content can change. `base` is named even then when one
   * is held: should the database read the submission otherwise, it records the contradiction instead of asking for a base again.
   */
  | {
      verdict: 'rejected';
      base: CachedContent | null;
      fault: Fault;
      struck: { buffer: string; prior: readonly ChangeFact[]; scope: ScopeEvidence | null } | null;
    };

/** False when a well-formed guard names another version or content than `base`: the verdict would be about the wrong text. */
export function guardsHold(record: JsonObject, base: CachedContent): boolean {
  const version = member(record, 'expected_target_version');
  const hash = member(record, 'expected_current_hash');
  return (typeof version !== 'number' || version === base.version) && (typeof hash !== 'string' || hash === base.hash);
}

/** The claim to send: protocol faults need no content; everything else is judged on `base`, when there is one that the guards mean. */
export function claimOf(record: JsonObject, decoded: Decoded, base: CachedContent | null): Claim {
  return decoded.ok
    ? judged(record, base, (content) => applyTransaction(content, decoded.transaction, profileOf(record), sha256))
    : { verdict: 'rejected', base, fault: decoded.fault, struck: null };
}

/** The same of a bundle. */
export function bundleClaimOf(record: JsonObject, decoded: DecodedBundle, base: CachedContent | null): Claim {
  return decoded.ok
    ? judged(record, base, (content) => applyBundle(content, decoded.bundle, profileOf(record), sha256))
    : { verdict: 'rejected', base, fault: decoded.fault, struck: null };
}

function judged(
  record: JsonObject,
  base: CachedContent | null,
  apply: (content: string) => Applied | BundleApplied | NotApplied | BundleNotApplied,
): Claim {
  if (base === null || !guardsHold(record, base)) return { verdict: 'none' };
  const applied = apply(base.content);
  if (applied.ok) return { verdict: 'accepted', base, applied };
  const { fault, buffer, changes } = applied;
  return { verdict: 'rejected', base, fault, struck: { buffer, prior: changes, scope: 'scope' in applied ? applied.scope : null } };
}
