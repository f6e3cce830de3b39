import type { RawScope, Reading } from './types.ts';

/** A text whose marks of conflicts are blank, unit for unit, and where they stood: starts and ends in UTF-16 units. */
export interface Unmarked {
  readonly text: string;
  readonly marks: readonly (readonly [start: number, end: number])[];
}

const MARK = /^(?:([<|>]{7}) [^\n]*|={7}\r?|\|{7}\r?)$/gm;

/** The lines that version control left around both sides of a conflict, blanked; null where there is no whole one. Linear. */
export function unmarked(text: string): Unmarked | null {
  const whole: [number, number][][] = [];
  let open: [number, number][] = [];
  for (const { 0: line, index } of text.matchAll(MARK)) {
    const mark: [number, number] = [index, index + line.length];
    if (line.startsWith('<')) open = [mark];
    else if (open.length > 0) open.push(mark);
    if (!line.startsWith('>')) continue;
    if (open.length > 2) whole.push(open);
    open = [];
  }
  if (whole.length === 0) return null;
  const marks = whole.flat();
  let blank = '';
  let from = 0;
  for (const [start, end] of marks) {
    blank += text.slice(from, start) + ' '.repeat(end - start);
    from = end;
  }
  return { text: blank + text.slice(from), marks };
}

/** The reading of the blanked text with its marks told as errors: each counts, and damages what it stands in. */
export function remarked(reading: Reading, { text, marks }: Unmarked): Reading {
  if (!reading.ok) return reading;
  let next = 0;
  const scopes = reading.scopes.map((scope): RawScope => {
    let { end } = scope;
    while (end > scope.start && /\s/.test(text[end - 1]!)) end -= 1;
    while (next < marks.length && marks[next]![0] < scope.start) next += 1;
    return { ...scope, end, hasErrors: scope.hasErrors || (next < marks.length && marks[next]![0] < end) };
  });
  const first = Math.min(marks[0]![0], reading.firstError ?? Infinity);
  return { ok: true, scopes, errors: reading.errors + marks.length, firstError: first };
}
