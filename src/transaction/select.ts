import { eachOccurrence, firstOccurrence, lastOccurrence } from '../text/index.ts';
import type { Visit } from '../text/index.ts';
import type { Profile } from './profiles.ts';

/** Where counting for evidence stops. */
export const COUNT_CAP = 1000;
/** Candidates that evidence shows. */
const SHOWN = 5;

/** A text as the selectors see it: its occurrences in ascending order, and first and last places of other texts. */
export interface Haystack {
  each(wanted: string, visit: Visit): void;
  first(wanted: string): number | null;
  last(wanted: string): number | null;
}

/** Selectors of one match, canonical; null = absent. */
export interface Selectors {
  occurrenceIndex: number | null;
  anchorBefore: string | null;
  anchorAfter: string | null;
}

export interface Candidate {
  /** 1-based, among all exact occurrences of the buffer. */
  occurrenceIndex: number;
  unit: number;
}

/** `shown` holds the first five; `count` stops at the cap. */
export type Selection =
  { kind: 'one'; unit: number } | { kind: 'none' } | { kind: 'several' | 'excluded'; shown: Candidate[]; count: number };

/** The haystack of a plain text. */
export function haystackOf(text: string, overlapping: boolean): Haystack {
  return {
    each: (wanted, visit) => eachOccurrence(text, wanted, overlapping, visit),
    first: (wanted) => firstOccurrence(text, wanted),
    last: (wanted) => lastOccurrence(text, wanted),
  };
}

/**
 * The one occurrence that the selectors leave, or why there is none. Selectors are conjunctive; the anchors come to one
 * interval, so each is searched once. Nothing is counted further than the verdict and the evidence need.
 */
export function select(haystack: Haystack, wanted: string, selectors: Selectors, profile: Profile): Selection {
  const { low, high } = intervalOf(haystack, selectors);
  const wantedIndex = selectors.occurrenceIndex;
  const all: Candidate[] = [];
  const left: Candidate[] = [];
  let total = 0;
  let remaining = 0;
  haystack.each(wanted, (unit) => {
    total += 1;
    const candidate = { occurrenceIndex: total, unit };
    if (all.length < SHOWN) all.push(candidate);
    if (unit >= low && unit + wanted.length <= high && (wantedIndex === null || wantedIndex === total)) {
      remaining += 1;
      if (left.length < SHOWN) left.push(candidate);
    }
    const settled = wantedIndex === null ? remaining >= COUNT_CAP || unit + wanted.length > high : total >= wantedIndex;
    // A settled selection that left nothing or several still has its evidence to count.
    const counted = remaining >= COUNT_CAP || (remaining === 0 ? total >= COUNT_CAP : true);
    return !(settled && counted && !(total === 1 && !profile.selectorsOnSingleMatch));
  });
  const [only] = all;
  if (only === undefined) return { kind: 'none' };
  if (total === 1 && !profile.selectorsOnSingleMatch) return { kind: 'one', unit: only.unit };
  const [chosen] = left;
  if (chosen === undefined) return { kind: 'excluded', shown: all, count: Math.min(total, COUNT_CAP) };
  if (remaining === 1) return { kind: 'one', unit: chosen.unit };
  return { kind: 'several', shown: left, count: Math.min(remaining, COUNT_CAP) };
}

/** Candidates must lie within [low, high), in units. An anchor that does not occur leaves nothing. */
function intervalOf(haystack: Haystack, { anchorBefore, anchorAfter }: Selectors): { low: number; high: number } {
  let low = 0;
  let high = Infinity;
  if (anchorBefore !== null) {
    const first = haystack.first(anchorBefore);
    low = first === null ? Infinity : first + anchorBefore.length;
  }
  if (anchorAfter !== null) high = haystack.last(anchorAfter) ?? -Infinity;
  return { low, high };
}
