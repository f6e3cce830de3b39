import type { Edit } from './task.ts';

/** A replacement at a place of a text; offsets in code points. */
export interface Span {
  start: number;
  end: number;
  expected_text: string;
  replace: string;
}

const indentOf = (line: string): number => /^[ \t]*/.exec(line)?.[0].length ?? 0;
const codePoints = (text: string): number => [...text].length;

/**
 * How many of the lines belong to what the first of them opens, as whoever reads them sees it: a heading's section, else what is indented
 * further, with the closing brackets. Null when the lines end before it does: read on.
 */
export function blockLength(lines: readonly string[]): number | null {
  const [first = ''] = lines;
  const level = /^(#+) /.exec(first)?.[1]?.length;
  let isFenced = false;
  for (const [at, line] of lines.entries()) {
    if (at === 0) continue;
    if (level !== undefined) {
      if (line.startsWith('```')) isFenced = !isFenced;
      const next = isFenced ? undefined : /^(#+) /.exec(line)?.[1]?.length;
      if (next !== undefined && next <= level) return at;
    } else if (line.trim() !== '' && indentOf(line) <= indentOf(first) && !/^[)\]}]/.test(line.trim())) return at;
  }
  return null;
}

/**
 * The edits as replacements in the text, the last one first, so that every offset is one of the text as it was read. Throws when an edit's
 * text is not there, or there more than once without being meant so.
 */
export function spansOf(text: string, edits: readonly Edit[]): Span[] {
  const spans = edits.flatMap((edit) => {
    const starts = occurrences(text, edit.old);
    if (starts.length === 0 || (starts.length > 1 && edit.every !== true)) {
      throw new Error(`${JSON.stringify(edit.old)} stands ${starts.length} times in what was read`);
    }
    return starts.map((at) => {
      const start = codePoints(text.slice(0, at));
      return { start, end: start + codePoints(edit.old), expected_text: edit.old, replace: edit.new };
    });
  });
  return spans.sort((one, other) => other.start - one.start);
}

/** Where a text stands, not overlapping, in UTF-16 units. */
export function occurrences(text: string, wanted: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) found.push(at);
  return found;
}
