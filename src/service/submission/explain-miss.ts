import { readRecentChanges } from '../../db/calls/read-recent-changes.ts';
import { explainRemoval } from '../../nearmiss/index.ts';
import type { Explanation, NearMissAnswer } from '../../nearmiss/index.ts';
import { canonicalize } from '../../text/index.ts';
import { findRemoval } from '../../transaction/index.ts';
import type { Context } from '../common/context.ts';
import { nearMissesFor } from './near-misses.ts';
import type { Missed } from './near-misses.ts';
import { sha256 } from '../common/sha256.ts';
import type { CallOptions } from '../common/types.ts';

/** A hint is worth waiting for so long. */
const LOOK_UP_MS = 1_000;

/**
 * Where else the text of a failed change stands, and why it was not there: near misses first, and only when neither they nor what
 * this process holds explain it, one read of the target's recent history. Holds no lock and writes nothing; null in a
 * transaction of the caller's, who may hold one. The outcome is decided by now: a failure here costs the hint alone.
 */
export async function explainMiss(context: Context, missed: Missed | null, options: CallOptions): Promise<NearMissAnswer | null> {
  if (missed === null || !context.database.autocommit) return null;
  const answer = searched(missed);
  if (answer === null || answer.explanation !== undefined || missed.base.version === 0) return answer;
  const explanation = await removedEarlier(context, missed, options);
  return explanation === null ? answer : { ...answer, explanation };
}

function searched(missed: Missed): NearMissAnswer | null {
  try {
    return nearMissesFor(missed);
  } catch {
    return null;
  }
}

async function removedEarlier(context: Context, missed: Missed, options: CallOptions): Promise<Explanation | null> {
  const { targetFileId, base, wanted, change } = missed;
  const limit = AbortSignal.timeout(LOOK_UP_MS);
  const signal = options.signal === undefined ? limit : AbortSignal.any([options.signal, limit]);
  const tooLate = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  try {
    const read = readRecentChanges(context.database, targetFileId, base.version, { signal });
    const attempts = await Promise.race([read.catch(() => null), tooLate]);
    if (attempts === null) return null;
    const missing = { targetFileId, ...base, wanted, replacement: canonicalize(change.replace) };
    const found = findRemoval(missing, attempts, sha256);
    return found === null ? null : explainRemoval(wanted, { ...found, repeated: found.sameReplacement });
  } catch {
    return null;
  }
}
