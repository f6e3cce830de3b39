import { diffLines } from './line-diff.ts';
import { countLineFeeds } from './lines.ts';

export type LineEnding = 'lf' | 'crlf' | 'cr';

/** How a text ended so many lines in a row. */
export type EndingRun = readonly [ending: LineEnding, lines: number];

/** One ending a line that has one, in order, as the place of its kind in {@link KINDS}. */
export type LineEndings = Uint8Array;

/** One splice of canonical text. */
export interface EndingSplice {
  /** Lines that end before it. */
  firstLine: number;
  matched: string;
  replacement: string;
  /** True when it states the whole text anew. */
  wholeText: boolean;
  /** Whether an LF stands right before it, and right after it. */
  afterLineFeed: boolean;
  beforeLineFeed: boolean;
}

const KINDS: readonly LineEnding[] = ['lf', 'crlf', 'cr'];
const [LF, CRLF, CR] = [0, 1, 2];
const TEXTS: Readonly<Record<LineEnding, string>> = { lf: '\n', crlf: '\r\n', cr: '\r' };

/** How each line of a text that is not canonical yet ends. */
export function lineEndingsOf(source: string): LineEndings {
  return Uint8Array.from(source.matchAll(/\r\n|\n|\r/g), ([ending]) => KINDS.findIndex((kind) => TEXTS[kind] === ending));
}

/** The same as runs, each as long as can be. */
export function runsOf(endings: LineEndings): EndingRun[] {
  const runs: [LineEnding, number][] = [];
  for (const at of endings) {
    const ending = KINDS[at] as LineEnding;
    const last = runs.at(-1);
    if (last?.[0] === ending) last[1] += 1;
    else runs.push([ending, 1]);
  }
  return runs;
}

/** What runs stand for. */
export function endingsOfRuns(runs: readonly EndingRun[]): LineEndings {
  const endings = new Uint8Array(runs.reduce((sum, [, lines]) => sum + lines, 0));
  let at = 0;
  for (const [ending, lines] of runs) {
    endings.fill(KINDS.indexOf(ending), at, at + lines);
    at += lines;
  }
  return endings;
}

/**
 * Canonical text with one ending at every line, or with its own at each. Throws when there are not as many endings as lines
 * that end.
 */
export function expandLineEndings(content: string, endings: LineEnding | LineEndings): string {
  if (typeof endings === 'string') return endings === 'lf' ? content : content.replaceAll('\n', () => TEXTS[endings]);
  const lines = content.split('\n');
  if (lines.length !== endings.length + 1) {
    throw new RangeError(`${lines.length - 1} lines end, and ${endings.length} endings are known`);
  }
  return lines.map((line, at) => (at === endings.length ? line : line + TEXTS[KINDS[endings[at] as number] as LineEnding])).join('');
}

/**
 * The endings after a splice. Lines that stay keep theirs: those outside, and inside the whole lines that matched and replacement
 * text have in common at both ends (of a text stated anew: those that a line diff finds). The other lines are paired in order with the
 * endings that stood there; lines beyond those take the ending of the line before, else of the line after, else the
 * most frequent one (of the text before, else `otherwise`). A CR right before an LF would be read as one CRLF: see `part`.
 * Linear in the splice and in the number of lines.
 */
export function spliceLineEndings(endings: LineEndings, splice: EndingSplice, otherwise: LineEnding): LineEndings {
  const { firstLine: first, matched, replacement, wholeText } = splice;
  const olds = countLineFeeds(matched, 0, matched.length);
  const news = countLineFeeds(replacement, 0, replacement.length);
  const result = new Uint8Array(endings.length - olds + news);
  const rewritten = new Uint8Array(news);
  result.set(endings.subarray(0, first));
  let old = 0;
  let fresh = 0;
  const keep = (lines: number): void => {
    result.set(endings.subarray(first + old, first + old + lines), first + fresh);
    old += lines;
    fresh += lines;
  };
  // Without a search, all between the common lines at both ends is one change.
  const { changes } = diffLines(matched, replacement, wholeText ? {} : { lines: 0 });
  for (const change of changes) {
    keep(Math.min(change.oldLine, olds) - old);
    const oldEnd = Math.min(change.oldLine + change.oldLines, olds);
    const newEnd = Math.min(change.newLine + change.newLines, news);
    const paired = Math.min(oldEnd - old, newEnd - fresh);
    rewritten.fill(1, fresh, newEnd);
    keep(paired);
    const inherited =
      first + fresh > 0 ? (result[first + fresh - 1] as number) : (endings[first + oldEnd] ?? mostFrequent(endings, otherwise));
    result.fill(inherited, first + fresh, first + newEnd);
    old = oldEnd;
    fresh = newEnd;
  }
  result.set(endings.subarray(first + old), first + fresh);
  part(result, splice, rewritten);
  return result;
}

/**
 * Where a line that ends with CR has come to stand before an empty one that ends with LF, one of them ends with CRLF from now
 * on: what was rewritten if any was, else the later one. Otherwise the file would be read as a text with one line less.
 */
function part(result: LineEndings, splice: EndingSplice, rewritten: Uint8Array): void {
  const { firstLine: first, matched, replacement, afterLineFeed, beforeLineFeed } = splice;
  const isRewritten = (line: number): boolean => {
    if (line < first) return false;
    // The line in which the splice ends, unless it begins there and the splice took nothing of it.
    if (line === first + rewritten.length) return matched !== '' && !matched.endsWith('\n');
    return rewritten[line - first] === 1;
  };
  const text = `${afterLineFeed ? '\n' : ''}${replacement}${beforeLineFeed ? '\n' : ''}`;
  let line = afterLineFeed ? first - 1 : first;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1), line += 1) {
    if (text[at + 1] !== '\n' || result[line] !== CR || result[line + 1] !== LF) continue;
    result[!isRewritten(line + 1) && isRewritten(line) ? line : line + 1] = CRLF;
  }
}

/** The kind that stands most often, the first named of equals. */
function mostFrequent(endings: LineEndings, otherwise: LineEnding): number {
  const counts = KINDS.map(() => 0);
  for (const at of endings) counts[at] = (counts[at] ?? 0) + 1;
  const most = Math.max(...counts);
  return most === 0 ? KINDS.indexOf(otherwise) : counts.indexOf(most);
}
