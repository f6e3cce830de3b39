import { CodePointIndex, lineStarts, takeCodePoints } from '../text/index.ts';
import { LIMITS } from './limits.ts';
import type { RawScope, Scope } from './types.ts';

const BLANKS = new Set([' ', '\t', '\n', '\r', '\f', '\v']);

/** A digest of a text in UTF-8, lower-case hex. */
export type Digest = (text: string) => string;

/**
 * Raw scopes, in order of their start and parents before children, made into scopes: without blanks at their ends, within their
 * parents, beside their siblings, named, counted and digested. Null: more than one answer holds.
 */
export function assemble(text: string, raw: readonly RawScope[], digest: Digest): Scope[] | null {
  const kept = separated(text, listed(raw));
  if (kept.length > LIMITS.scopes) return null;
  const index = new CodePointIndex(text);
  const lines = lineStarts(text);
  const paths: string[] = [];
  const taken = new Map<string, number>();
  let units = 0;
  const scopes: Scope[] = [];
  for (const { kind, name, start, end, parent, hasErrors } of kept) {
    const shown = oneLine(name ?? '') || '(anonymous)';
    const path = unique(within(parent < 0 ? '' : `${paths[parent]!} > `, `${kind} ${shown}`), taken);
    units += path.length;
    if (units > LIMITS.pathUnits) return null;
    paths.push(path);
    scopes.push({
      kind,
      name: shown,
      path,
      start: index.toCodePoint(start),
      end: index.toCodePoint(end),
      first_line: lineAt(lines, start),
      last_line: lineAt(lines, end - 1),
      sha256: digest(text.slice(start, end)),
      parent: parent < 0 ? null : parent,
      has_errors: hasErrors,
    });
  }
  return scopes;
}

/** The line, from 1, that holds this unit. */
export function lineAt(starts: readonly number[], unit: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= unit) low = middle + 1;
    else high = middle;
  }
  return Math.max(low, 1);
}

/** Without those that are listed only as parents and have no children; the rest renumbered. */
function listed(raw: readonly RawScope[]): RawScope[] {
  const needed = raw.map(({ onlyAsParent }) => !onlyAsParent);
  for (let at = raw.length - 1; at >= 0; at -= 1) {
    const { parent } = raw[at]!;
    if (needed[at] && parent >= 0) needed[parent] = true;
  }
  return renumbered(raw, needed);
}

/** Trims blanks, cuts children to their parents and a scope where its next sibling begins; what is empty then is left out. */
function separated(text: string, raw: readonly RawScope[]): RawScope[] {
  const scopes = raw.map((scope) => ({ ...scope }));
  const open: number[] = [];
  scopes.forEach((scope, at) => {
    const around = scope.parent < 0 ? undefined : scopes[scope.parent];
    if (around !== undefined) {
      scope.start = Math.min(Math.max(scope.start, around.start), around.end);
      scope.end = Math.min(scope.end, around.end);
    }
    for (let last = open.at(-1); last !== undefined && last !== scope.parent; last = open.at(-1)) {
      // A comment in the tail of what went before may belong to what follows.
      const before = scopes[last]!;
      before.end = Math.min(before.end, scope.start);
      open.pop();
    }
    open.push(at);
  });
  const solid = scopes.map((scope) => {
    while (scope.start < scope.end && BLANKS.has(text[scope.start]!)) scope.start += 1;
    while (scope.end > scope.start && BLANKS.has(text[scope.end - 1]!)) scope.end -= 1;
    return scope.start < scope.end;
  });
  return renumbered(scopes, solid);
}

/** The chosen ones; whoever stood in one that is left out stands in what that one stood in. */
function renumbered(raw: readonly RawScope[], chosen: readonly boolean[]): RawScope[] {
  const places: number[] = [];
  const result: RawScope[] = [];
  raw.forEach((scope, at) => {
    const parent = scope.parent < 0 ? -1 : places[scope.parent]!;
    places.push(chosen[at] ? result.length : parent);
    if (chosen[at]) result.push({ ...scope, parent });
  });
  return result;
}

/** A path by that of its parent; where it grows too long, the outer scopes give way to `…`. */
function within(around: string, own: string): string {
  return around.length + own.length > LIMITS.path ? `… > ${own}` : around + own;
}

function unique(path: string, taken: Map<string, number>): string {
  let times = (taken.get(path) ?? 0) + 1;
  let candidate = times === 1 ? path : `${path}#${times}`;
  // A name may itself end in `#2`.
  while (times > 1 && taken.has(candidate)) candidate = `${path}#${++times}`;
  taken.set(path, times);
  if (candidate !== path) taken.set(candidate, 1);
  return candidate;
}

function oneLine(name: string): string {
  // A name is cut before it is searched for blanks: it may be a whole file.
  const head = name.trimStart().slice(0, LIMITS.name * 8);
  const line = head.replace(/\s+/g, ' ').trim();
  const cut = takeCodePoints(line, LIMITS.name);
  return cut.length < line.length || head.length < name.trimStart().length ? `${takeCodePoints(cut, LIMITS.name - 1)}…` : cut;
}
