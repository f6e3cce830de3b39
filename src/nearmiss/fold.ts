/**
 * The widest equality under which two texts still read as the same: no blanks, no accents, no invisible characters, one
 * case, plain forms. It only finds a place to compare; ./classify.ts says what differs there, and whether that is all.
 */
import { skeletonOf } from './forms.ts';
import { copyUnits } from './units.ts';

/** One UTF-16 range of a text. */
export interface Range {
  start: number;
  end: number;
}

/** A spelling that stands for other characters: read at a backslash or an ampersand, null where none begins. */
export interface Spelling {
  /** The unit at which every such spelling begins. */
  mark: number;
  readAt: (text: string, unit: number) => { value: string; end: number } | null;
}

const DROPPED = -1;
const LONGER = -2;
const UNKNOWN = 0;

/**
 * Finds folded texts in one text and counts what that cost. What a code point folds to is worked out once. `work` is the
 * units read and fed so far; a look ends when it reaches `most`.
 */
export class Folder {
  work = 0;
  readonly #text: string;
  readonly #units: Uint16Array;
  readonly #most: number;
  readonly #folded = new Map<string, string>();
  /** What a code unit folds to: one unit, DROPPED, LONGER (several units, or half of a pair), or UNKNOWN yet. */
  readonly #table = new Int32Array(65536).fill(LONGER, 0xd800, 0xe000);

  constructor(text: string, most: number) {
    this.#text = text;
    this.#units = new Uint16Array(text.length);
    copyUnits(text, this.#units.buffer as ArrayBuffer, 0);
    this.#most = most;
  }

  /** True for what the fold leaves out. */
  drops(char: string): boolean {
    return this.#fold(char) === '';
  }

  /**
   * Up to `limit` occurrences (overlapping ones too) of the folded query in the folded text between two units, as ranges of the
   * text's own units that begin and end at whole code points (whole spellings, when one is given), without what the fold
   * drops around them. Linear in text and query, whatever they hold; the text is folded as it goes past.
   */
  occurrences(query: string, within: Range, limit: number, spelling?: Spelling): Range[] {
    const pattern = this.#unitsOf(query);
    const m = pattern.length;
    const found: Range[] = [];
    if (m === 0) return found;
    const failure = failureTable(pattern);
    const text = this.#text;
    const units = this.#units;
    const table = this.#table;
    // Where each of the last m folded units came from; -1 when it is not the first of its code point.
    const origins = new Int32Array(m);
    const mark = spelling?.mark ?? -1;
    let ring = 0;
    let matched = 0;
    const feed = (unit: number, origin: number, end: number): void => {
      if (matched === m) matched = failure[m - 1]!;
      while (matched > 0 && pattern[matched] !== unit) matched = failure[matched - 1]!;
      if (pattern[matched] === unit) matched++;
      origins[ring] = origin;
      if (++ring === m) ring = 0;
      if (matched === m && end >= 0 && origins[ring]! >= 0) found.push({ start: origins[ring]!, end });
    };
    for (let at = within.start; at < within.end && found.length < limit && this.work < this.#most; this.work++) {
      const code = units[at]!;
      let unit = code === mark ? LONGER : table[code]!;
      if (unit === UNKNOWN) unit = this.#learn(code);
      if (unit !== LONGER) {
        if (unit !== DROPPED) feed(unit, at, at + 1);
        at++;
        continue;
      }
      const spelled = code === mark ? spelling!.readAt(text, at) : null;
      const char = spelled === null ? String.fromCodePoint(text.codePointAt(at)!) : spelled.value;
      const end = spelled === null ? at + char.length : spelled.end;
      const folded = this.#fold(char);
      for (let k = 0; k < folded.length; k++) feed(folded.charCodeAt(k), k === 0 ? at : -1, k === folded.length - 1 ? end : -1);
      this.work += folded.length;
      at = end;
    }
    return found;
  }

  #unitsOf(query: string): Uint16Array {
    let pattern = '';
    for (const char of query) pattern += this.#fold(char);
    return Uint16Array.from({ length: pattern.length }, (_, unit) => pattern.charCodeAt(unit));
  }

  #fold(char: string): string {
    let folded = this.#folded.get(char);
    if (folded === undefined) this.#folded.set(char, (folded = skeletonOf(char)));
    return folded;
  }

  #learn(code: number): number {
    const folded = this.#fold(String.fromCharCode(code));
    return (this.#table[code] = folded.length === 1 ? folded.charCodeAt(0) : folded === '' ? DROPPED : LONGER);
  }
}

function failureTable(pattern: Uint16Array): Int32Array {
  const failure = new Int32Array(pattern.length);
  let matched = 0;
  for (let i = 1; i < pattern.length; i++) {
    while (matched > 0 && pattern[matched] !== pattern[i]) matched = failure[matched - 1]!;
    if (pattern[matched] === pattern[i]) matched++;
    failure[i] = matched;
  }
  return failure;
}
