import type { JsonObject } from '../service/common/types.ts';

export const RESPONSE_MODES = ['detailed', 'compact'] as const;
export type ResponseMode = (typeof RESPONSE_MODES)[number];

export function isResponseMode(value: string): value is ResponseMode {
  return (RESPONSE_MODES as readonly string[]).includes(value);
}

/** Facts of an accepted submission that a caller can read again from the ledger, or has sent itself. */
const SUPPLEMENTARY: ReadonlySet<string> = new Set(['evidence', 'before_hash', 'before_version']);
/** Said once already by `version` and `after_hash`, unless the target has moved since the outcome that a repeat recovers. */
const CURRENT: ReadonlySet<string> = new Set(['current_version', 'current_hash']);

/** Compact mode shortens accepted submissions, here at the border only; every other answer stays whole. */
export function shorten(outcome: JsonObject, mode: ResponseMode): JsonObject {
  if (mode === 'detailed' || outcome['status'] !== 'accepted') return outcome;
  const moved = outcome['current_version'] !== outcome['version'];
  return Object.fromEntries(Object.entries(outcome).filter(([name]) => !SUPPLEMENTARY.has(name) && (moved || !CURRENT.has(name))));
}
