import { structuredPatch } from 'diff';

const CONTEXT_LINES = 3;
/** Differing lines up to which the shortest script is searched for: the search grows with their square. */
const MAX_EDIT_LINES = 1_000;

export interface UnifiedDiff {
  text: string;
  /** What did not fit into the budget; null when nothing was left out. */
  omitted: { lines: number; bytes: number } | null;
}

const NO_NEWLINE = '\\ No newline at end of file';

interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

/** Lines with their LF, so that a last line without one differs from the same line with it. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function marked(sign: '-' | '+', lines: readonly string[]): string[] {
  return lines.flatMap((line) => (line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, NO_NEWLINE]));
}

/** One hunk that replaces the whole differing middle: right, only not the shortest. */
function bluntHunk(before: string, after: string): Hunk {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  const removed = old.slice(head, old.length - tail);
  const added = fresh.slice(head, fresh.length - tail);
  return {
    oldStart: head + 1,
    oldLines: removed.length,
    newStart: head + 1,
    newLines: added.length,
    lines: [...marked('-', removed), ...marked('+', added)],
  };
}

function header(hunk: Hunk): string {
  const range = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`;
  return `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`;
}

/** Bytes of a line and its LF inside a JSON string. */
function encodedBytes(line: string): number {
  return Buffer.byteLength(JSON.stringify(line), 'utf8');
}

/**
 * The unified diff of two canonical texts (LF only), cut after whole lines so that as a JSON string it stays within `budget` bytes.
 * Deterministic: the bounds are counts, never a clock. `''` when the texts are equal. `omitted.bytes` are UTF-8 of the diff itself.
 */
export function unifiedDiff(before: string, after: string, budget: number): UnifiedDiff {
  if (before === after) return { text: '', omitted: null };
  const patch = structuredPatch('a', 'b', before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDIT_LINES,
  }) as { hunks: Hunk[] } | undefined;
  const hunks = patch?.hunks ?? [bluntHunk(before, after)];
  const lines = ['--- before', '+++ after', ...hunks.flatMap((hunk) => [header(hunk), ...hunk.lines])];
  let used = 2;
  let kept = 0;
  for (const line of lines) {
    used += encodedBytes(line);
    if (used > budget) break;
    kept += 1;
  }
  const text = lines
    .slice(0, kept)
    .map((line) => `${line}\n`)
    .join('');
  if (kept === lines.length) return { text, omitted: null };
  const rest = lines.slice(kept);
  return { text, omitted: { lines: rest.length, bytes: rest.reduce((sum, line) => sum + Buffer.byteLength(line, 'utf8') + 1, 0) } };
}
