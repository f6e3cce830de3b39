import { canonicalize, countLineFeeds, isBlank } from '../text/index.ts';
import type { CodePointIndex } from '../text/index.ts';
import { classify } from './classify.ts';
import type { Difference } from './classify.ts';
import { escapeText, pointName } from './escape.ts';
import { firstOccurrence, foldedOccurrences, isDropped } from './fold.ts';
import type { Range } from './fold.ts';
import { rewrites } from './rewrite.ts';
import type { Explanation, NearMissOptions } from './types.ts';

/** UTF-16 units that one look for an explanation reads: a hint is worth that much and no more. */
const UNITS = 1 << 22;
/** Places compared with the query, fewer for a long one; the narrowest difference among them explains. */
const PLACES = 32;
const COMPARED_UNITS = 1 << 18;
/** Blanks taken in at one edge of a place. */
const EDGE_UNITS = 4096;
/** A shorter replacement stands in any document and proves nothing. */
const TELLING_UNITS = 8;
const LISTED_POINTS = 64;

/** Why `query`, of whatever length, has no exact occurrence in the buffer, when that is cheap to know; else null. */
export function explainAbsence(index: CodePointIndex, query: string, options: NearMissOptions): Explanation | null {
  const buffer = index.text;
  const canonical = canonicalize(query);
  const replacement = canonicalize(options.replacement ?? '');
  if (replacement.length >= TELLING_UNITS && !isBlank(replacement)) {
    const start = firstOccurrence(buffer, replacement);
    if (start >= 0) {
      const place = at(index, { start, end: start + replacement.length });
      const message = `The text that this change would put there already stands on line ${place.line}: it may have been made before.`;
      return { kind: 'already_replaced', message, ...place, ...shown(query, replacement) };
    }
  }
  for (const { version, content } of options.earlierVersions ?? []) {
    if (firstOccurrence(content, canonical) < 0) continue;
    const message = `Version ${version} still had this text; a later change removed it. Read the current version.`;
    return { kind: 'earlier_version', message, version, ...shown(query, query) };
  }
  const direct = narrowest(buffer, query);
  if (direct !== null) return direct.difference === null ? null : explained(index, query, direct.range, direct.difference);
  for (const rewrite of rewrites(query)) {
    const found = narrowest(buffer, rewrite.query);
    if (found === null) continue;
    const also = found.difference === null ? '' : ` Besides: ${found.difference.message}`;
    return explained(index, query, found.range, { kind: rewrite.kind, rank: 0, message: rewrite.message + also });
  }
  return null;
}

/** Why two texts that were to be equal are not, without a place: for a span whose expected text differs. */
export function explainDifference(expected: string, actual: string): Explanation | null {
  const difference = classify(expected, actual);
  if (difference !== null) {
    const { kind, message } = difference;
    return withPoints({ kind, message, ...shown(expected, actual) }, expected, actual);
  }
  for (const rewrite of rewrites(expected)) {
    if (rewrite.query === actual) return { kind: rewrite.kind, message: rewrite.message, ...shown(expected, actual) };
  }
  return null;
}

/** The place that reads like the query and differs from it the least; the first of several. */
function narrowest(buffer: string, query: string): { range: Range; difference: Difference | null } | null {
  let best: { range: Range; difference: Difference | null } | null = null;
  const chars = Array.from(query);
  const lead = chars
    .slice(
      0,
      chars.findIndex((char) => !isDropped(char)),
    )
    .reverse();
  const trail = chars.slice(chars.findLastIndex((char) => !isDropped(char)) + 1);
  const places = Math.max(1, Math.min(PLACES, Math.floor(COMPARED_UNITS / query.length)));
  for (const core of foldedOccurrences(buffer, query, places, UNITS)) {
    if (core.end - core.start > COMPARED_UNITS) continue;
    const range = { start: extend(buffer, core.start, lead, -1), end: extend(buffer, core.end, trail, 1) };
    const actual = buffer.slice(range.start, range.end);
    const difference = classify(query, actual);
    if (difference === null && actual !== query) continue;
    if (best === null || (difference?.rank ?? -1) < (best.difference?.rank ?? -1)) best = { range, difference };
  }
  return best;
}

/** Takes in the blanks that correspond to those at the query's edge: on the same line, and as many line breaks as the query has. */
function extend(buffer: string, from: number, edge: readonly string[], step: 1 | -1): number {
  let breaks = edge.filter((char) => char === '\n').length;
  const endsInBreak = edge.at(-1) === '\n';
  let at = from;
  if (edge.length === 0) return at;
  while (Math.abs(at - from) < EDGE_UNITS) {
    const char = buffer[step > 0 ? at : at - 1];
    if (char === undefined || !isDropped(char)) return at;
    if (char === '\n') {
      if (breaks === 0) return at;
      breaks--;
      if (breaks === 0 && endsInBreak) return at + step;
    }
    at += step;
  }
  return at;
}

function explained(index: CodePointIndex, query: string, range: Range, difference: Difference): Explanation {
  const actual = index.text.slice(range.start, range.end);
  const { kind, message } = difference;
  return withPoints({ kind, message, ...at(index, range), ...shown(query, actual) }, query, actual);
}

function withPoints(explanation: Explanation, expected: string, actual: string): Explanation {
  if (explanation.kind !== 'unicode_form' && explanation.kind !== 'typography') return explanation;
  const list = (text: string): string[] =>
    Array.from(text.slice(0, LISTED_POINTS * 2))
      .slice(0, LISTED_POINTS)
      .map(pointName);
  return { ...explanation, code_points: { expected: list(expected), actual: list(actual) } };
}

function at(index: CodePointIndex, range: Range): { start: number; end: number; line: number } {
  const line = countLineFeeds(index.text, 0, range.start) + 1;
  return { start: index.toCodePoint(range.start), end: index.toCodePoint(range.end), line };
}

function shown(expected: string, actual: string): { expected: string; actual: string } {
  return { expected: escapeText(expected), actual: escapeText(actual) };
}
