/** Texts up to this length are left to `indexOf`, whose worst case is then a small multiple of the text. */
const PROBE = 32;

/** Visits an occurrence's start, in units; false stops the search. */
export type Visit = (unit: number) => boolean;

/**
 * Visits the occurrences of a non-empty text in ascending order; overlapping ones too, or left to right without overlap.
 * Linear in the text whatever both texts hold: a long text is found by its first 32 units and compared natively, and when
 * such comparisons get too many (periodic text) the search goes on by Knuth-Morris-Pratt.
 */
export function eachOccurrence(text: string, wanted: string, overlapping: boolean, visit: Visit): void {
  if (wanted === '') throw new RangeError('an empty text occurs everywhere');
  const step = overlapping ? 1 : wanted.length;
  const probe = wanted.slice(0, PROBE);
  const rest = wanted.slice(PROBE);
  let budget = 4 * text.length + 4096;
  let at = text.indexOf(probe);
  while (at >= 0) {
    budget -= rest.length;
    if (budget < 0) return searchPeriodic(text, wanted, at, overlapping, visit);
    const found = rest === '' || text.startsWith(rest, at + PROBE);
    if (found && !visit(at)) return;
    at = text.indexOf(probe, at + (found ? step : 1));
  }
}

/** Whether the text occurs, in linear time. */
export function occursIn(text: string, wanted: string): boolean {
  return firstOccurrence(text, wanted) !== null;
}

/** Start of the first occurrence, in units; null when there is none. */
export function firstOccurrence(text: string, wanted: string): number | null {
  let first: number | null = null;
  eachOccurrence(text, wanted, true, (unit) => {
    first = unit;
    return false;
  });
  return first;
}

/** Start of the last occurrence, in units; null when there is none. */
export function lastOccurrence(text: string, wanted: string): number | null {
  if (wanted.length <= PROBE) {
    const at = text.lastIndexOf(wanted);
    return at < 0 ? null : at;
  }
  // lastIndexOf compares naively: quadratic on periodic text.
  let last: number | null = null;
  eachOccurrence(text, wanted, true, (unit) => {
    last = unit;
    return true;
  });
  return last;
}

/** Number of occurrences, overlapping ones too. */
export function countOccurrences(text: string, wanted: string): number {
  let count = 0;
  eachOccurrence(text, wanted, true, () => {
    count += 1;
    return true;
  });
  return count;
}

function searchPeriodic(text: string, wanted: string, from: number, overlapping: boolean, visit: Visit): void {
  const pattern = Uint16Array.from({ length: wanted.length }, (_, unit) => wanted.charCodeAt(unit));
  const border = new Int32Array(pattern.length);
  for (let unit = 1, length = 0; unit < pattern.length; unit += 1) {
    while (length > 0 && pattern[unit] !== pattern[length]) length = border[length - 1] ?? 0;
    if (pattern[unit] === pattern[length]) length += 1;
    border[unit] = length;
  }
  let matched = 0;
  for (let unit = from; unit < text.length; unit += 1) {
    const code = text.charCodeAt(unit);
    while (matched > 0 && code !== pattern[matched]) matched = border[matched - 1] ?? 0;
    if (code === pattern[matched]) matched += 1;
    if (matched < pattern.length) continue;
    if (!visit(unit - pattern.length + 1)) return;
    matched = overlapping ? (border[matched - 1] ?? 0) : 0;
  }
}
