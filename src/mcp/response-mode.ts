import type { JsonObject } from '../service/types.ts';

export const RESPONSE_MODES = ['detailed', 'compact'] as const;
export type ResponseMode = (typeof RESPONSE_MODES)[number];

export function isResponseMode(value: string): value is ResponseMode {
  return (RESPONSE_MODES as readonly string[]).includes(value);
}

/** Facts of an accepted submission that a caller can read again from the ledger. */
const SUPPLEMENTARY: ReadonlySet<string> = new Set(['evidence', 'before_hash', 'before_version', 'current_hash', 'current_version']);

/** Compact mode shortens accepted submissions, here at the border only; every other answer stays whole. */
export function shorten(outcome: JsonObject, mode: ResponseMode): JsonObject {
  if (mode === 'detailed' || outcome['status'] !== 'accepted') return outcome;
  return Object.fromEntries(Object.entries(outcome).filter(([name]) => !SUPPLEMENTARY.has(name)));
}
