import { canonicalize, eachOccurrence, GRAPHEME_WALK, isGraphemeBoundary, isPlainBoundary } from '../text/index.ts';
import type { PieceBuffer } from './buffer.ts';
import type { NeedleIndex } from './needles.ts';
import type { Profile } from './profiles.ts';
import type { Change, MatchChange, Transaction } from './types.ts';

/** Answers where the k-th occurrence of a change's text begins in the starting text, in units; null when there are fewer. */
export interface Basis {
  startOf(change: MatchChange): number | null;
}

/** The starting places of all changes that carry an `occurrence_index`. Must be made before the first splice. */
export function basisOf(start: string, { changes }: Transaction, profile: Profile, needles: NeedleIndex | null): Basis {
  const known = new Map<MatchChange, number | null>();
  for (const change of needles === null ? [] : changes) {
    if (change.operation !== 'match' || change.occurrenceIndex === null) continue;
    const found = needles?.find(canonicalize(change.match)) ?? null;
    if (found !== null) known.set(change, found[change.occurrenceIndex - 1] ?? null);
  }
  return {
    startOf: (change) => known.get(change) ?? (known.has(change) ? null : nthStart(start, change, profile)),
  };
}

function nthStart(start: string, change: MatchChange, profile: Profile): number | null {
  let rest = change.occurrenceIndex ?? 1;
  let found: number | null = null;
  eachOccurrence(start, canonicalize(change.match), profile.overlappingMatches, (unit) => {
    rest -= 1;
    if (rest > 0) return true;
    found = unit;
    return false;
  });
  return found;
}

/**
 * True when earlier changes moved what `occurrence_index` counts: the k-th occurrence of the starting text is not the one
 * chosen. It is when the chosen text consists of that occurrence's own units, side by side: text that was replaced by the same text
 * anew is another occurrence.
 */
export function noteBasis(basis: Basis, buffer: PieceBuffer, change: Change, chosen: number): boolean {
  if (change.operation !== 'match' || change.occurrenceIndex === null || buffer.pristine) return false;
  const start = basis.startOf(change);
  return start === null || !buffer.isFromStart(chosen, start, canonicalize(change.match).length);
}

/** True when the unit lies inside an extended grapheme cluster of the buffer. Reads the neighbourhood only. */
export function splits(buffer: PieceBuffer, unit: number): boolean {
  if (unit === 0 || unit === buffer.units) return false;
  const near = Math.max(0, unit - 2);
  if (isPlainBoundary(buffer.slice(near, unit + 2), unit - near)) return false;
  const from = Math.max(0, unit - GRAPHEME_WALK - 1);
  return !isGraphemeBoundary(buffer.slice(from, unit + 2), unit - from);
}
