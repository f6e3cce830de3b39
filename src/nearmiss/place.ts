import { classify } from './classify.ts';
import type { Difference, Surroundings } from './classify.ts';
import { Folder } from './fold.ts';
import type { Range, Spelling } from './fold.ts';
import { isMark } from './forms.ts';
import { readSpellings } from './spelling.ts';

/** Units read and folded for one explanation: a buffer of 16 Mi units once, and as much again as a quarter of that. */
const MOST_FOLDED = 20 << 20;
/** Units compared with the query, both sides counted; the first comparison is always made. */
const MOST_COMPARED = 1 << 19;
/** Places compared with the query. */
const PLACES = 256;
/** Blanks taken in at one edge of a place. */
const EDGE_UNITS = 4096;

/** A place that reads like the query; no difference means that it is the query as it was to be read. */
export interface Place {
  range: Range;
  difference: Difference | null;
}

/** The blanks at a query's edges, each as the run of dropped characters in its own order. */
interface Edges {
  lead: readonly string[];
  trail: readonly string[];
}

/** Looks for places in one buffer, with a bound on the work of all looks together. */
export class Places {
  readonly #buffer: string;
  readonly #folder: Folder;
  #compared = 0;

  constructor(buffer: string) {
    this.#buffer = buffer;
    this.#folder = new Folder(buffer, MOST_FOLDED);
  }

  /** Units folded and compared so far. */
  get work(): number {
    return this.#folder.work + this.#compared;
  }

  /**
   * The place within one of the windows that differs the least from one of the readings; the first of several. The readings
   * differ from one another in blanks only.
   */
  narrowest(readings: readonly string[], windows: readonly Range[], spelling?: Spelling): Place | null {
    const buffer = this.#buffer;
    const query = readings[0] ?? '';
    const edges = this.#edgesOf(query);
    let best: Place | null = null;
    for (const window of windows) {
      for (const core of this.#folder.occurrences(query, window, PLACES, spelling)) {
        for (const range of this.#around(core, edges, spelling)) {
          const text = buffer.slice(range.start, range.end);
          const actual = spelling === undefined ? text : readSpellings(text, spelling);
          if (readings.includes(actual)) return { range, difference: null };
          for (const reading of readings) {
            if (this.#compared >= MOST_COMPARED || actual.length > MOST_COMPARED) break;
            this.#compared += reading.length + actual.length;
            const difference = classify(reading, actual, surroundings(buffer, range));
            if (difference !== null && (best === null || difference.rank < best.difference!.rank)) best = { range, difference };
          }
        }
      }
    }
    return best;
  }

  #edgesOf(query: string): Edges {
    const chars = Array.from(query);
    const first = chars.findIndex((char) => !this.#folder.drops(char));
    const last = chars.findLastIndex((char) => !this.#folder.drops(char));
    return { lead: chars.slice(0, Math.max(0, first)).reverse(), trail: chars.slice(last + 1) };
  }

  /** The core with the marks of its last character, and with the blanks that correspond to those at the query's edges. */
  #around(core: Range, { lead, trail }: Edges, spelling: Spelling | undefined): Range[] {
    const buffer = this.#buffer;
    let end = core.end;
    while (end < core.end + EDGE_UNITS && isMark(buffer.charAt(end))) end++;
    const starts = [this.#extend(core.start, lead, -1), core.start];
    const ends = [this.#extend(end, trail, 1), end];
    if (spelling !== undefined) {
      const spelled = (edge: readonly string[]): string => edge.map((char) => SPELLED[char] ?? char).join('');
      const before = spelled(lead.toReversed());
      const after = spelled(trail);
      if (buffer.endsWith(before, core.start)) starts.unshift(core.start - before.length);
      if (buffer.startsWith(after, end)) ends.unshift(end + after.length);
    }
    const ranges = new Map<string, Range>();
    for (const from of starts) for (const to of ends) ranges.set(`${from} ${to}`, { start: from, end: to });
    return Array.from(ranges.values());
  }

  /** Takes in blanks: on the same line, and as many line breaks as the query has there. */
  #extend(from: number, edge: readonly string[], step: 1 | -1): number {
    if (edge.every(isMark)) return from;
    let breaks = edge.filter((char) => char === '\n').length;
    const endsInBreak = edge.at(-1) === '\n';
    let at = from;
    while (Math.abs(at - from) < EDGE_UNITS) {
      const char = this.#buffer[step > 0 ? at : at - 1];
      if (char === undefined || isMark(char) || !this.#folder.drops(char)) return at;
      if (char === '\n') {
        if (breaks === 0) return at;
        breaks--;
        if (breaks === 0 && endsInBreak) return at + step;
      }
      at += step;
    }
    return at;
  }
}

const SPELLED: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t' };

/** What classify wants to know of a place. */
export function surroundings(buffer: string, { start, end }: Range): Surroundings {
  const next = buffer[end];
  return {
    startsLine: start === 0 || buffer[start - 1] === '\n',
    endsLine: next === undefined || next === '\n' || buffer[end - 1] === '\n',
    beforeBlank: next === ' ' || next === '\t',
  };
}
