import { canonicalize, countLineFeeds, firstOccurrence } from '../text/index.ts';
import type { CodePointIndex } from '../text/index.ts';
import { classify } from './classify.ts';
import { explainElsewhere } from './elsewhere.ts';
import { pointName, showPair, windowStart } from './escape.ts';
import type { Range } from './fold.ts';
import { Places, surroundings } from './place.ts';
import type { Place } from './place.ts';
import { rewrites } from './rewrite.ts';
import type { Rewrite } from './rewrite.ts';
import { readSpellings } from './spelling.ts';
import type { Consumer, Explanation, ExplanationKind, NearMissOptions } from './types.ts';

/** A longer query is looked for as it is and in no other form. */
const LONGEST_QUERY = 1 << 17;
/** Up to this length a buffer is read whole for every rewritten query, beyond it only around the hits of the search. */
const WHOLE_UNITS = 1 << 21;
/** Units around a hit, besides the query's length. */
const NEAR_UNITS = 4096;
/** A replacement of so many units is found by chance rarely enough; a shorter one counts when it stands once and is no scrap. */
const TELLING_UNITS = 8;
const SCRAP_UNITS = 3;
const LISTED_POINTS = 64;
/** Units beside a place in which spelled blanks are looked for. */
const SPELLED_UNITS = 64;

/** What is known of a text that is not where it was expected. `hits` are the near misses, as units of the buffer. */
export interface Miss {
  index: CodePointIndex;
  query: string;
  hits: readonly Range[];
  options: NearMissOptions;
}

/** Why the query, of whatever length, is not in the buffer or not where it was expected, when that is cheap to know; else null. */
export function explainMiss(miss: Miss): Explanation | null {
  const { options, index } = miss;
  if (options.consumer !== undefined) return explainConsumer(miss, options.consumer);
  const elsewhere = options.span === undefined ? null : explainElsewhere(index, options.span);
  if (elsewhere !== null && touches(elsewhere, options.span!)) return elsewhere;
  return (options.span === undefined ? null : explainAtSpan(miss)) ?? elsewhere ?? explainForm(miss) ?? explainEarlier(miss);
}

function touches({ start, end }: Explanation, span: { start: number; end: number }): boolean {
  return start! <= span.end && end! >= span.start;
}

/** What stands at the very place, for a span. */
function explainAtSpan({ index, query, options }: Miss): Explanation | null {
  const { start, end, before, after, differs } = options.span!;
  const from = index.toUnit(start);
  const to = index.toUnit(end);
  const replacement = options.replacement ?? '';
  const range =
    differs === 'text'
      ? { start: from, end: to }
      : differs === 'before'
        ? { start: Math.max(0, from - before.length), end: from }
        : { start: to, end: Math.min(index.text.length, to + after.length) };
  if (differs === 'text' && replacement.length >= SCRAP_UNITS && index.text.startsWith(replacement, from)) {
    return replaced(index, query, { start: from, end: from + replacement.length });
  }
  const actual = index.text.slice(range.start, range.end);
  const read = readAs(query, actual, surroundings(index.text, range));
  return read === null ? null : explained(index, query, { range, ...read });
}

/** The respect in which two texts differ, or the rewriting that makes them one. */
function readAs(
  expected: string,
  actual: string,
  around?: Parameters<typeof classify>[2],
): { kind: ExplanationKind; message: string } | null {
  if (expected.length + actual.length > 2 * LONGEST_QUERY) return null;
  const difference = classify(expected, actual, around);
  if (difference !== null) return { kind: difference.kind, message: difference.message };
  const rewrite = rewrites(expected, actual).find(({ queries, spelling }) =>
    queries.includes(spelling === undefined ? actual : readSpellings(actual, spelling)),
  );
  return rewrite === undefined ? null : { kind: rewrite.kind, message: rewrite.message };
}

/** The text in another form somewhere in the buffer, or what was to replace it. */
function explainForm(miss: Miss): Explanation | null {
  const { index, query, options } = miss;
  const buffer = index.text;
  const places = new Places(buffer);
  const short = query.length <= LONGEST_QUERY;
  const direct = short ? places.narrowest([query], [{ start: 0, end: buffer.length }]) : null;
  if (direct !== null && direct.difference === null) return null;
  const made = madeBefore(buffer, canonicalize(options.replacement ?? ''), direct?.range ?? null);
  if (made !== null) return replaced(index, query, made);
  if (direct !== null) return explainEdges(miss, places, direct) ?? explained(index, query, { range: direct.range, ...direct.difference! });
  return short ? explainRewrite(miss, places) : null;
}

/** Blanks at the edge of the query that seem to be missing may stand there as they are spelled. */
function explainEdges({ index, query }: Miss, places: Places, { range }: Place): Explanation | null {
  const around = { start: Math.max(0, range.start - SPELLED_UNITS), end: Math.min(index.text.length, range.end + SPELLED_UNITS) };
  const near = index.text.slice(around.start, around.end);
  for (const { kind, queries, spelling, message } of near.includes('\\') ? rewrites(query, near) : []) {
    const place = spelling === undefined ? null : places.narrowest(queries, [around], spelling);
    if (place !== null && place.difference === null) return explained(index, query, { range: place.range, kind, message });
  }
  return null;
}

/** The rewritten query that stands in the document exactly, else the one that differs from it the least. */
function explainRewrite({ index, query, hits }: Miss, places: Places): Explanation | null {
  const buffer = index.text;
  const reach = query.length + NEAR_UNITS;
  const windows =
    buffer.length <= WHOLE_UNITS
      ? [{ start: 0, end: buffer.length }]
      : hits.map(({ start, end }) => ({ start: Math.max(0, start - reach), end: Math.min(buffer.length, end + reach) }));
  let best: { rewrite: Rewrite; place: Place } | null = null;
  for (const rewrite of rewrites(query, buffer)) {
    const place = exactPlace(buffer, rewrite) ?? places.narrowest(rewrite.queries, windows, rewrite.spelling);
    if (place === null) continue;
    if (best === null || rankOf(place) < rankOf(best.place)) best = { rewrite, place };
    if (place.difference === null) break;
  }
  if (best === null) return null;
  const { rewrite, place } = best;
  const also = place.difference === null ? '' : ` Besides: ${place.difference.message}`;
  return explained(index, query, { range: place.range, kind: rewrite.kind, message: rewrite.message + also });
}

function exactPlace(buffer: string, { queries, spelling, wholeLines }: Rewrite): Place | null {
  if (spelling !== undefined) return null;
  const whole = (start: number, query: string): Place => ({ range: { start, end: start + query.length }, difference: null });
  if (wholeLines === true) {
    for (const query of queries) {
      if (buffer.startsWith(query)) return whole(0, query);
      const before = firstOccurrence(buffer, `\n${query}`);
      if (before !== null) return whole(before + 1, query);
    }
  }
  for (const query of queries.toReversed()) {
    const start = query === '' ? null : firstOccurrence(buffer, query);
    if (start !== null) return whole(start, query);
  }
  return null;
}

function rankOf({ difference }: Place): number {
  return difference?.rank ?? -1;
}

/** Where the replacement stands: over the place that reads like the query, or anywhere when there is none. */
function madeBefore(buffer: string, replacement: string, place: Range | null): Range | null {
  const told = replacement.replace(/\s+/g, '').length;
  if (told < SCRAP_UNITS) return null;
  if (place !== null) {
    const from = Math.max(0, place.end - replacement.length);
    const around = buffer.slice(from, place.start + replacement.length);
    const at = firstOccurrence(around, replacement);
    return at === null ? null : { start: from + at, end: from + at + replacement.length };
  }
  const start = firstOccurrence(buffer, replacement);
  if (start === null) return null;
  const once = replacement.length >= TELLING_UNITS || firstOccurrence(buffer.slice(start + 1), replacement) === null;
  return once ? { start, end: start + replacement.length } : null;
}

function replaced(index: CodePointIndex, query: string, range: Range): Explanation {
  const message = `The text that this change would put there already stands on line ${at(index, range).line}: it may have been made before.`;
  return explained(index, query, { range, kind: 'already_replaced', message });
}

function explainConsumer({ index, query }: Miss, { changeId, repeated, place }: Consumer): Explanation {
  const kind = repeated ? 'already_replaced' : 'consumed';
  const did = repeated ? 'already makes this very replacement' : 'takes this text away';
  const range = place === null ? null : { start: index.toUnit(place.start), end: index.toUnit(place.end) };
  const where = range === null ? '' : `; what it puts there stands on line ${at(index, range).line}`;
  const message = `Change ${changeId} of this submission ${did}${where}.`;
  const actual = range === null ? '' : index.text.slice(range.start, range.end);
  return { kind, message, ...(range === null ? {} : at(index, range)), ...showPair(query, actual), change_id: changeId };
}

function explainEarlier({ query, options }: Miss): Explanation | null {
  const canonical = canonicalize(query);
  const found = options.earlierVersions?.find(({ content }) => firstOccurrence(content, canonical) !== null);
  if (found === undefined) return null;
  const message = `Version ${found.version} still had this text; a later change removed it. Read the current version.`;
  return { kind: 'earlier_version', message, ...showPair(query, ''), version: found.version };
}

function explained(index: CodePointIndex, query: string, found: { range: Range; kind: ExplanationKind; message: string }): Explanation {
  const { range, kind, message } = found;
  const actual = index.text.slice(range.start, range.end);
  const explanation = { kind, message, ...at(index, range), ...showPair(query, actual) };
  return ALIKE.has(kind) ? { ...explanation, code_points: listPoints(query, actual) } : explanation;
}

const ALIKE: ReadonlySet<ExplanationKind> = new Set(['typography', 'unicode_form', 'unicode_compatibility']);

function listPoints(expected: string, actual: string): { expected: string[]; actual: string[] } {
  const from = windowStart(expected, actual);
  const list = (text: string): string[] => Array.from(text.slice(from, from + 2 * LISTED_POINTS), pointName).slice(0, LISTED_POINTS);
  return { expected: list(expected), actual: list(actual) };
}

function at(index: CodePointIndex, range: Range): { start: number; end: number; line: number } {
  const line = countLineFeeds(index.text, 0, range.start) + 1;
  return { start: index.toCodePoint(range.start), end: index.toCodePoint(range.end), line };
}
