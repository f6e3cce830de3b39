import { diffLines, utf8Length } from '../../text/index.ts';
import type { LineChange, LineDiffLimits } from '../../text/index.ts';
import { insideBytes } from '../common/json-bytes.ts';

const CONTEXT_LINES = 3;
const HEADER = ['--- before\n', '+++ after\n'];
const NO_NEWLINE = '\n\\ No newline at end of file\n';

/** What a cut left out of the whole diff: hunks of which something is missing, lines of the diff and their UTF-8 bytes. */
export interface DiffOmission {
  hunks: number;
  lines: number;
  bytes: number;
}

export interface UnifiedDiff {
  /** `''` when the texts are equal, or when not one changed line fits. */
  text: string;
  /** Null when nothing was left out. */
  omitted: DiffOmission | null;
}

type Sign = ' ' | '-' | '+';

/** Lines [from, to), in units, of the old text (context, removed) or of the new one (added). */
interface Stretch {
  sign: Sign;
  from: number;
  to: number;
  lines: number;
}

interface Hunk {
  oldLine: number;
  newLine: number;
  stretches: Stretch[];
}

/** The whole diff of two texts: measured, and written as far as a budget reaches. */
export interface DiffPlan {
  /** True when a bound was reached, so that unchanged lines may be shown as removed and added again. */
  coarse: boolean;
  /** Everything there is to leave out. */
  total: DiffOmission;
  /**
   * At most `budget` bytes of the diff as the inside of a JSON string (UTF-8, without the quotes): a prefix, cut after a whole
   * line of the texts. The last hunk may be cut after a changed line; its header then counts what is shown, so
   * that whatever is shown is a unified diff that applies.
   */
  cut: (budget: number) => UnifiedDiff;
}

/** The unified diff of two canonical texts (LF only), with three lines of context. Deterministic, and bounded by counts. */
export function planUnifiedDiff(before: string, after: string, limits: Partial<LineDiffLimits> = {}): DiffPlan {
  const { changes, coarse } = diffLines(before, after, limits);
  const hunks = hunksOf(before, changes);
  const textOf = (sign: Sign): string => (sign === '+' ? after : before);
  const measured = hunks.map((hunk) => measure(hunk, textOf));
  const total: DiffOmission = {
    hunks: hunks.length,
    lines: hunks.length === 0 ? 0 : HEADER.length,
    bytes: utf8Length(hunks.length === 0 ? '' : HEADER.join('')),
  };
  for (const { lines, bytes } of measured) {
    total.lines += lines;
    total.bytes += bytes;
  }
  return { coarse, total, cut: (budget) => write(hunks, total, budget, textOf) };
}

/** Changes with their context; those whose contexts touch share a hunk. */
function hunksOf(before: string, changes: readonly LineChange[]): Hunk[] {
  const hunks: Hunk[] = [];
  for (const [at, change] of changes.entries()) {
    const previous = changes[at - 1];
    const gap = previous === undefined ? Infinity : change.oldLine - previous.oldLine - previous.oldLines;
    let hunk = hunks.at(-1);
    if (hunk === undefined || previous === undefined || gap > 2 * CONTEXT_LINES) {
      const context = linesBefore(before, change.oldFrom);
      hunk = { oldLine: change.oldLine - context.lines, newLine: change.newLine - context.lines, stretches: [context] };
      hunks.push(hunk);
    } else {
      hunk.stretches.push({ sign: ' ', from: previous.oldTo, to: change.oldFrom, lines: gap });
    }
    hunk.stretches.push(
      { sign: '-', from: change.oldFrom, to: change.oldTo, lines: change.oldLines },
      { sign: '+', from: change.newFrom, to: change.newTo, lines: change.newLines },
    );
    const next = changes[at + 1];
    if (next === undefined || next.oldLine - change.oldLine - change.oldLines > 2 * CONTEXT_LINES) {
      hunk.stretches.push(linesAfter(before, change.oldTo));
    }
  }
  return hunks;
}

function linesBefore(text: string, unit: number): Stretch {
  let from = unit;
  let lines = 0;
  while (lines < CONTEXT_LINES && from > 0) {
    from = from === 1 ? 0 : text.lastIndexOf('\n', from - 2) + 1;
    lines += 1;
  }
  return { sign: ' ', from, to: unit, lines };
}

function linesAfter(text: string, unit: number): Stretch {
  let to = unit;
  let lines = 0;
  while (lines < CONTEXT_LINES && to < text.length) {
    const end = text.indexOf('\n', to);
    to = end < 0 ? text.length : end + 1;
    lines += 1;
  }
  return { sign: ' ', from: unit, to, lines };
}

/** Lines and bytes of a whole hunk in the diff, its header included. */
function measure(hunk: Hunk, textOf: (sign: Sign) => string): { lines: number; bytes: number } {
  let lines = 1;
  let bytes = headerOf(hunk, countsOf(hunk)).length;
  for (const { sign, from, to, lines: count } of hunk.stretches) {
    const text = textOf(sign);
    lines += count;
    bytes += count + utf8Length(text.slice(from, to));
    if (to > from && !text.endsWith('\n', to)) {
      lines += 1;
      bytes += NO_NEWLINE.length;
    }
  }
  return { lines, bytes };
}

interface Counts {
  old: number;
  fresh: number;
}

function countsOf({ stretches }: Hunk): Counts {
  const count = (signs: string): number => stretches.reduce((sum, { sign, lines }) => sum + (signs.includes(sign) ? lines : 0), 0);
  return { old: count(' -'), fresh: count(' +') };
}

function headerOf({ oldLine, newLine }: Hunk, { old, fresh }: Counts): string {
  // A side without lines names the line before it.
  const range = (line: number, count: number): string => `${count === 0 ? line : line + 1},${count}`;
  return `@@ -${range(oldLine, old)} +${range(newLine, fresh)} @@\n`;
}

/** The lines of a hunk as the diff shows them, each with its LF and, where the text has none, the remark that says so. */
function* bodyOf({ stretches }: Hunk, textOf: (sign: Sign) => string): Generator<{ sign: Sign; line: string; diffLines: number }> {
  for (const { sign, from, to } of stretches) {
    const text = textOf(sign);
    for (let at = from; at < to;) {
      const end = text.indexOf('\n', at);
      const ended = end >= 0 && end < to;
      const next = ended ? end + 1 : to;
      yield { sign, line: sign + text.slice(at, next) + (ended ? '' : NO_NEWLINE), diffLines: ended ? 1 : 2 };
      at = next;
    }
  }
}

function write(hunks: readonly Hunk[], total: DiffOmission, budget: number, textOf: (sign: Sign) => string): UnifiedDiff {
  const out = [...HEADER];
  let room = budget - insideBytes(HEADER.join(''));
  const shown = { hunks: 0, lines: HEADER.length, bytes: utf8Length(HEADER.join('')) };
  for (const hunk of hunks) {
    const counts = countsOf(hunk);
    const header = headerOf(hunk, counts);
    const taken = take(hunk, room - insideBytes(header), textOf);
    if (taken.lines.length > 0) {
      const isWhole = taken.old === counts.old && taken.fresh === counts.fresh;
      out.push(headerOf(hunk, { old: taken.old, fresh: taken.fresh }), ...taken.lines);
      shown.hunks += isWhole ? 1 : 0;
      shown.lines += 1 + taken.diffLines;
      shown.bytes += header.length + utf8Length(taken.lines.join(''));
      room -= insideBytes(header) + taken.inside;
      if (isWhole) continue;
    }
    break;
  }
  if (out.length === HEADER.length) return { text: '', omitted: hunks.length === 0 ? null : total };
  const omitted = { hunks: total.hunks - shown.hunks, lines: total.lines - shown.lines, bytes: total.bytes - shown.bytes };
  return { text: out.join(''), omitted: omitted.hunks === 0 ? null : omitted };
}

interface Taken extends Counts {
  lines: string[];
  /** Lines of the diff, remarks included. */
  diffLines: number;
  /** Bytes inside a JSON string. */
  inside: number;
}

/** The first lines of a hunk that fit: all of them, or up to the last changed one. */
function take(hunk: Hunk, budget: number, textOf: (sign: Sign) => string): Taken {
  const lines: string[] = [];
  let now = { diffLines: 0, inside: 0, old: 0, fresh: 0 };
  let upToChange = { ...now, count: 0 };
  for (const { sign, line, diffLines } of bodyOf(hunk, textOf)) {
    // No text is shorter inside JSON than it is in units.
    const inside = line.length > budget ? line.length : insideBytes(line);
    if (now.inside + inside > budget) {
      const { count, ...shown } = upToChange;
      return { lines: lines.slice(0, count), ...shown };
    }
    lines.push(line);
    now = {
      diffLines: now.diffLines + diffLines,
      inside: now.inside + inside,
      old: now.old + (sign === '+' ? 0 : 1),
      fresh: now.fresh + (sign === '-' ? 0 : 1),
    };
    if (sign !== ' ') upToChange = { ...now, count: lines.length };
  }
  return { lines, ...now };
}
