/**
 * The widest equality under which two texts still read as the same: no blanks, no invisible characters, one case,
 * canonical decomposition, plain quotes and dashes. It only finds a place to compare; ./classify.ts says what differs there.
 */

/** Look-alikes and the plain ASCII that people type for them. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ...pairs('\u2018\u2019\u201A\u201B\u2032\u02BC\u00B4', "'"),
  ...pairs('\u201C\u201D\u201E\u201F\u2033\u00AB\u00BB', '"'),
  ...pairs('\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uFE63\uFF0D', '-'),
  ...pairs('\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u202F\u205F\u3000', ' '),
  ...pairs('\u00AD\u200B\u200C\u200D\u2060\uFEFF', ''),
  ['\u2026', '...'],
]);

const DROPPED = -1;
const LONGER = -2;

/** One UTF-16 range of a text. */
export interface Range {
  start: number;
  end: number;
}

/** The text with look-alike quotes, dashes and spaces made plain and invisible characters left out. */
export function plainTypography(text: string): string {
  let out = '';
  for (const char of text) out += PLAIN.get(char) ?? char;
  return out;
}

/** True for what the fold leaves out. */
export function isDropped(char: string): boolean {
  return foldChar(char) === '';
}

function foldChar(char: string): string {
  return plainTypography(char.normalize('NFD').toLowerCase()).replace(/\s+/gu, '');
}

/**
 * Up to `limit` occurrences (overlapping ones too) of the folded query in the folded text, as ranges of the text's own
 * UTF-16 units that begin and end at whole code points, without blanks around them. Linear in text and query, whatever
 * they hold: the text is folded as it goes past and is never copied.
 */
export function foldedOccurrences(text: string, query: string, limit: number, units: number): Range[] {
  const cache = new Map<string, string>();
  const fold = (char: string): string => {
    let folded = cache.get(char);
    if (folded === undefined) cache.set(char, (folded = foldChar(char)));
    return folded;
  };
  let pattern = '';
  for (const char of query) pattern += fold(char);
  const m = pattern.length;
  if (m === 0) return [];
  const failure = failureTable(pattern);
  // What a code unit folds to: one unit, DROPPED, or LONGER (several units, or half of a pair); 0 is not known yet.
  const table = new Int32Array(65536);
  table.fill(LONGER, 0xd800, 0xe000);
  // Where each of the last m folded units came from; -1 when it is not the first of its code point.
  const origins = new Int32Array(m);
  const found: Range[] = [];
  const until = Math.min(text.length, units);
  let matched = 0;
  let fed = 0;
  const feed = (unit: number, origin: number, end: number): void => {
    while (matched > 0 && (matched === m || pattern.charCodeAt(matched) !== unit)) matched = failure[matched - 1]!;
    if (pattern.charCodeAt(matched) === unit) matched++;
    origins[fed % m] = origin;
    fed++;
    if (matched < m || end < 0) return;
    const start = origins[fed % m]!;
    if (start >= 0) found.push({ start, end });
  };
  for (let i = 0; i < until && found.length < limit;) {
    const code = text.charCodeAt(i);
    let unit = table[code]!;
    if (unit === 0) {
      const folded = fold(String.fromCharCode(code));
      unit = folded.length === 1 ? folded.charCodeAt(0) : folded === '' ? DROPPED : LONGER;
      table[code] = unit;
    }
    if (unit !== LONGER) {
      i++;
      if (unit !== DROPPED) feed(unit, i - 1, i);
      continue;
    }
    const char = String.fromCodePoint(text.codePointAt(i)!);
    const folded = fold(char);
    const end = i + char.length;
    for (let k = 0; k < folded.length; k++) feed(folded.charCodeAt(k), k === 0 ? i : -1, k === folded.length - 1 ? end : -1);
    i = end;
  }
  return found;
}

/** First occurrence of a text in UTF-16 units, or -1; linear where the engine's own search may be quadratic. */
export function firstOccurrence(text: string, needle: string): number {
  const failure = failureTable(needle);
  let matched = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = failure[matched - 1]!;
    if (needle.charCodeAt(matched) === unit) matched++;
    if (matched === needle.length) return i + 1 - matched;
  }
  return -1;
}

function failureTable(pattern: string): Int32Array {
  const failure = new Int32Array(pattern.length);
  let matched = 0;
  for (let i = 1; i < pattern.length; i++) {
    while (matched > 0 && pattern.charCodeAt(matched) !== pattern.charCodeAt(i)) matched = failure[matched - 1]!;
    if (pattern.charCodeAt(matched) === pattern.charCodeAt(i)) matched++;
    failure[i] = matched;
  }
  return failure;
}

function pairs(chars: string, plain: string): [string, string][] {
  return Array.from(chars, (char) => [char, plain]);
}
