import { countLineFeeds } from './lines.ts';

/** A stretch of lines that differs: [oldFrom, oldTo) of the one text stands where [newFrom, newTo) of the other does. */
export interface LineChange {
  /** 0-based number of the line at which it begins, and how many lines it has. */
  oldLine: number;
  oldLines: number;
  /** In units, at line borders. */
  oldFrom: number;
  oldTo: number;
  newLine: number;
  newLines: number;
  newFrom: number;
  newTo: number;
}

export interface LineDiff {
  /** Ascending; at least one equal line stands between two. */
  changes: LineChange[];
  /** True when a bound was reached: the changes are right, but unchanged lines may be among them. */
  coarse: boolean;
  /** Comparisons made by the search. */
  work: number;
}

export interface LineDiffLimits {
  /** Lines of a differing middle, on either side, up to which a search is made. */
  lines: number;
  /** Differing lines up to which the shortest script is searched for: the search grows with their square. */
  edits: number;
  /** Comparisons of the whole search. */
  work: number;
}

const LIMITS: LineDiffLimits = { lines: 1 << 18, edits: 1_000, work: 1 << 24 };

/**
 * Which lines of two texts differ. Only LF ends a line; a last line without one differs from the same line with it. The
 * shortest script (Myers) within the limits; beyond them the texts are split at lines that occur once in both, and what still is
 * too much is one change. Deterministic, and bounded by counts, never by a clock. Linear beside the search.
 */
export function diffLines(before: string, after: string, limits: Partial<LineDiffLimits> = {}): LineDiff {
  if (before === after) return { changes: [], coarse: false, work: 0 };
  const bounds = { ...LIMITS, ...limits };
  const { head, oldTail, newTail } = differingMiddle(before, after);
  const firstLine = countLineFeeds(before, 0, head);
  const old = linesOf(before, head, oldTail, bounds.lines);
  const fresh = linesOf(after, head, newTail, bounds.lines);
  if (old === null || fresh === null) {
    const blunt = {
      oldLine: firstLine,
      oldLines: lineCount(before, head, oldTail),
      oldFrom: head,
      oldTo: oldTail,
      newLine: firstLine,
      newLines: lineCount(after, head, newTail),
      newFrom: head,
      newTo: newTail,
    };
    return { changes: [blunt], coarse: true, work: 0 };
  }
  const search = new Search(...interned(before, old, after, fresh), bounds);
  search.solve(0, old.length - 1, 0, fresh.length - 1);
  return { changes: changesOf(search, old, fresh, firstLine), coarse: search.coarse, work: search.work };
}

/** What is left between the common lines at both ends, in units. */
function differingMiddle(before: string, after: string): { head: number; oldTail: number; newTail: number } {
  const shorter = Math.min(before.length, after.length);
  let common = 0;
  while (common < shorter && before.charCodeAt(common) === after.charCodeAt(common)) common += 1;
  const head = common === 0 ? 0 : before.lastIndexOf('\n', common - 1) + 1;
  let tail = 0;
  while (tail < shorter - head && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)) tail += 1;
  const oldTail = before.length - tail;
  const newTail = after.length - tail;
  const begins = (text: string, unit: number): boolean => unit === 0 || text.charCodeAt(unit - 1) === 0x0a;
  if (begins(before, oldTail) && begins(after, newTail)) return { head, oldTail, newTail };
  const end = before.indexOf('\n', oldTail);
  const into = end < 0 ? tail : end + 1 - oldTail;
  return { head, oldTail: oldTail + into, newTail: newTail + into };
}

/** Units at which the lines of [from, to) begin, and `to`; null when there are more than `most`. */
function linesOf(text: string, from: number, to: number, most: number): Int32Array | null {
  const starts: number[] = [];
  for (let at = from; at < to;) {
    if (starts.length === most) return null;
    starts.push(at);
    const end = text.indexOf('\n', at);
    at = end < 0 || end >= to ? to : end + 1;
  }
  starts.push(to);
  return Int32Array.from(starts);
}

function lineCount(text: string, from: number, to: number): number {
  return countLineFeeds(text, from, to) + (to > from && text.charCodeAt(to - 1) !== 0x0a ? 1 : 0);
}

/** Both lists of lines as numbers, equal where the lines are. */
function interned(before: string, old: Int32Array, after: string, fresh: Int32Array): [Int32Array, Int32Array] {
  const numbers = new Map<string, number>();
  const numberOf = (line: string): number => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  };
  const list = (text: string, starts: Int32Array): Int32Array => {
    const ids = new Int32Array(starts.length - 1);
    for (let line = 0; line < ids.length; line += 1) ids[line] = numberOf(text.slice(starts[line], starts[line + 1]));
    return ids;
  };
  return [list(before, old), list(after, fresh)];
}

/** Marks which lines of two lists are in no common subsequence. */
class Search {
  readonly removed: Uint8Array;
  readonly added: Uint8Array;
  coarse = false;
  work = 0;
  readonly #old: Int32Array;
  readonly #fresh: Int32Array;
  readonly #edits: number;
  readonly #most: number;

  constructor(old: Int32Array, fresh: Int32Array, { edits, work }: LineDiffLimits) {
    this.#old = old;
    this.#fresh = fresh;
    this.#edits = edits;
    this.#most = work;
    this.removed = new Uint8Array(old.length);
    this.added = new Uint8Array(fresh.length);
  }

  /** The whole lists: half of the work for the shortest script, the rest for what lies between lines that both have once. */
  solve(oldFrom: number, oldTo: number, newFrom: number, newTo: number): void {
    if (this.#shortest(oldFrom, oldTo, newFrom, newTo, Math.floor(this.#most / 2))) return;
    this.coarse = true;
    let oldAt = oldFrom;
    let newAt = newFrom;
    for (const [oldLine, newLine] of [...anchors(this.#old, this.#fresh), [oldTo, newTo] as const]) {
      if (!this.#shortest(oldAt, oldLine, newAt, newLine, this.#most)) this.#blunt(oldAt, oldLine, newAt, newLine);
      oldAt = oldLine + 1;
      newAt = newLine + 1;
    }
  }

  /** Marks everything between the equal lines at both ends. */
  #blunt(oldFrom: number, oldTo: number, newFrom: number, newTo: number): void {
    const shorter = Math.min(oldTo - oldFrom, newTo - newFrom);
    let head = 0;
    while (head < shorter && this.#old[oldFrom + head] === this.#fresh[newFrom + head]) head += 1;
    let tail = 0;
    while (tail < shorter - head && this.#old[oldTo - 1 - tail] === this.#fresh[newTo - 1 - tail]) tail += 1;
    this.removed.fill(1, oldFrom + head, oldTo - tail);
    this.added.fill(1, newFrom + head, newTo - tail);
  }

  /** Marks the shortest script of these ranges; false, and nothing marked, when a bound was reached first. */
  #shortest(oldFrom: number, oldTo: number, newFrom: number, newTo: number, mostWork: number): boolean {
    const lines = oldTo - oldFrom;
    const others = newTo - newFrom;
    const most = Math.min(this.#edits, lines + others);
    /** Furthest old line of each diagonal (old line − new line), before each round. */
    const rounds: Int32Array[] = [];
    let reach = Int32Array.of(-1, -1, -1);
    for (let edits = 0; edits <= most; edits += 1) {
      rounds.push(reach);
      const next = new Int32Array(2 * edits + 5).fill(-1);
      for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
        if (this.work >= mostWork) return false;
        let line = edits === 0 ? 0 : entry(reach, edits, diagonal, lines, others).line;
        this.work += 1;
        if (line < 0) continue;
        const begun = line;
        while (line < lines && line - diagonal < others && this.#old[oldFrom + line] === this.#fresh[newFrom + line - diagonal]) {
          line += 1;
        }
        this.work += line - begun;
        next[diagonal + edits + 2] = line;
        if (line === lines && line - diagonal === others) {
          this.#mark(rounds, oldFrom, newFrom, lines, others);
          return true;
        }
      }
      reach = next;
    }
    return false;
  }

  /** Goes back from the end through the rounds. */
  #mark(rounds: readonly Int32Array[], oldFrom: number, newFrom: number, lines: number, others: number): void {
    let diagonal = lines - others;
    for (let edits = rounds.length - 1; edits > 0; edits -= 1) {
      const { line, isRemoval } = entry(rounds[edits] as Int32Array, edits, diagonal, lines, others);
      if (isRemoval) this.removed[oldFrom + line - 1] = 1;
      else this.added[newFrom + line - diagonal - 1] = 1;
      diagonal += isRemoval ? -1 : 1;
    }
  }
}

/** The furthest old line at which a diagonal is entered by one more removal (from its left) or addition; −1: not at all. */
function entry(reach: Int32Array, edits: number, diagonal: number, lines: number, others: number): { line: number; isRemoval: boolean } {
  // The round before has `edits - 1` edits and its diagonals begin two slots in.
  const slot = diagonal + edits + 1;
  const left = reach[slot - 1] ?? -1;
  const down = reach[slot + 1] ?? -1;
  const removal = left >= 0 && left < lines ? left + 1 : -1;
  const addition = down >= 0 && down - diagonal <= others ? down : -1;
  return removal > addition ? { line: removal, isRemoval: true } : { line: addition, isRemoval: false };
}

/** Pairs of lines that stand once in each list, the longest series that ascends in both. */
function anchors(old: Int32Array, fresh: Int32Array): [number, number][] {
  const places = new Map<number, { old: number; fresh: number }>();
  const TWICE = -2;
  const note = (ids: Int32Array, side: 'old' | 'fresh'): void => {
    for (const [line, id] of ids.entries()) {
      const place = places.get(id) ?? { old: -1, fresh: -1 };
      place[side] = place[side] === -1 ? line : TWICE;
      places.set(id, place);
    }
  };
  note(old, 'old');
  note(fresh, 'fresh');
  const pairs = [...places.values()].filter((place) => place.old >= 0 && place.fresh >= 0).sort((a, b) => a.old - b.old);
  const ends: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  for (const [at, { fresh: line }] of pairs.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] as number]?.fresh ?? 0) < line) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before[at] = ends[low - 1] as number;
    ends[low] = at;
  }
  const series: [number, number][] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] as number) {
    const pair = pairs[at] as { old: number; fresh: number };
    series.push([pair.old, pair.fresh]);
  }
  return series.reverse();
}

/** The marked lines as stretches, in lines and units of the whole texts. */
function changesOf({ removed, added }: Search, old: Int32Array, fresh: Int32Array, firstLine: number): LineChange[] {
  const changes: LineChange[] = [];
  for (let left = 0, right = 0; left < removed.length || right < added.length; left += 1, right += 1) {
    const [oldLine, newLine] = [left, right];
    while (removed[left] === 1) left += 1;
    while (added[right] === 1) right += 1;
    if (left === oldLine && right === newLine) continue;
    changes.push({
      oldLine: firstLine + oldLine,
      oldLines: left - oldLine,
      oldFrom: old[oldLine] as number,
      oldTo: old[left] as number,
      newLine: firstLine + newLine,
      newLines: right - newLine,
      newFrom: fresh[newLine] as number,
      newTo: fresh[right] as number,
    });
  }
  return changes;
}
