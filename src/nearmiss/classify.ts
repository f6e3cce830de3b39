import { canonicalize } from '../text/index.ts';
import { pointName } from './escape.ts';
import { plainTypography } from './fold.ts';
import type { ExplanationKind } from './types.ts';

/** In which respect two texts differ, and the sentence that says it. */
export interface Difference {
  kind: ExplanationKind;
  /** Position in the order from the narrowest kind to the widest; among several places the narrowest explains best. */
  rank: number;
  message: string;
}

const noBlanks = (text: string): string => text.replace(/[ \t\n\r\f\v]+/g, '');
const noCase = (text: string): string => text.toLowerCase();
const composed = (text: string): string => text.normalize('NFC');

/** The respects that combine, each with the text that it leaves. */
const RESPECTS: readonly { name: string; reduce: (text: string) => string }[] = [
  { name: 'blanks', reduce: noBlanks },
  { name: 'letter case', reduce: noCase },
  { name: 'Unicode form', reduce: composed },
  { name: 'typographic characters', reduce: plainTypography },
];

const NARROW: readonly { kind: ExplanationKind; reduce: (text: string) => string; say: (expected: string, actual: string) => string }[] = [
  { kind: 'line_ending', reduce: canonicalize, say: () => 'Only the line endings differ (CR or CRLF against LF).' },
  { kind: 'final_newline', reduce: (text) => withoutEnd(text, '\n'), say: sayFinalNewline },
  {
    kind: 'trailing_whitespace',
    reduce: (text) => eachLine(text, (line) => withoutEnd(line, ' \t')),
    say: (expected, actual) => `Same text, but blanks at the end of a line differ: ${sayBlanks(expected, actual, endBlanks)}.`,
  },
  {
    kind: 'indentation',
    reduce: (text) => eachLine(text, (line) => line.slice(startBlanks(line).length)),
    say: (expected, actual) => `Same text, but the indentation differs: ${sayBlanks(expected, actual, startBlanks)}.`,
  },
  { kind: 'whitespace', reduce: noBlanks, say: () => 'Only blanks or line breaks differ.' },
  { kind: 'case', reduce: noCase, say: () => 'Only upper and lower case differ.' },
  {
    kind: 'unicode_form',
    reduce: composed,
    say: (expected, actual) => `Equal after Unicode normalisation: the query is in ${form(expected)}, the document in ${form(actual)}.`,
  },
  { kind: 'typography', reduce: plainTypography, say: sayTypography },
];

/** How `actual` differs from what was asked for; null when they are equal or differ in more than these respects. */
export function classify(expected: string, actual: string): Difference | null {
  if (expected === actual) return null;
  for (const [rank, { kind, reduce, say }] of NARROW.entries()) {
    if (reduce(expected) === reduce(actual)) return { kind, rank, message: say(expected, actual) };
  }
  const equal = (without: number): boolean => {
    const reduce = (text: string): string => RESPECTS.reduce((rest, respect, i) => (i === without ? rest : respect.reduce(rest)), text);
    return noForm(reduce(expected), without) === noForm(reduce(actual), without);
  };
  if (!equal(-1)) return null;
  const names = RESPECTS.filter((_, i) => !equal(i)).map((respect) => respect.name);
  return { kind: 'several', rank: NARROW.length, message: `The text differs in several respects at once: ${names.join(' and ')}.` };
}

/** Lower case and plain quotes may leave the composed form; compose once more unless form itself is left out. */
function noForm(text: string, without: number): string {
  return without === 2 ? text : composed(text);
}

function sayFinalNewline(expected: string, actual: string): string {
  const asked = expected.length - withoutEnd(expected, '\n').length;
  const found = actual.length - withoutEnd(actual, '\n').length;
  return `Same text, but the query ends with ${count(asked, 'newline')} and the document's text with ${count(found, 'newline')}.`;
}

function sayBlanks(expected: string, actual: string, where: (line: string) => string): string {
  const asked = expected.split('\n');
  const found = actual.split('\n');
  const line = asked.findIndex((text, i) => where(text) !== where(found[i] ?? ''));
  const on = asked.length > 1 ? ` (first on line ${line + 1} of the query)` : '';
  return `${blanks(where(asked[line]!))} asked for, ${blanks(where(found[line] ?? ''))} found${on}`;
}

function eachLine(text: string, change: (line: string) => string): string {
  return text.split('\n').map(change).join('\n');
}

/** By hand: `/[ \t]+$/` takes quadratic time on a long run of blanks that is not at the end. */
function withoutEnd(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}

const endBlanks = (line: string): string => line.slice(withoutEnd(line, ' \t').length);
const startBlanks = (line: string): string => /^[ \t]*/.exec(line)![0];

function blanks(text: string): string {
  if (text === '') return 'none';
  return text
    .match(/ +|\t+/g)!
    .map((run) => count(run.length, run.startsWith(' ') ? 'space' : 'tab'))
    .join(' and ');
}

function count(n: number, noun: string): string {
  return `${n === 0 ? 'no' : n} ${noun}${n === 1 ? '' : 's'}`;
}

function form(text: string): string {
  if (text === text.normalize('NFC')) return 'composed form (NFC)';
  return text === text.normalize('NFD') ? 'decomposed form (NFD)' : 'neither NFC nor NFD';
}

function sayTypography(expected: string, actual: string): string {
  const odd = (text: string, other: string): string => {
    const chars = new Set(Array.from(text).filter((char) => plainTypography(char) !== char && !other.includes(char)));
    return Array.from(chars).slice(0, 8).map(pointName).join(', ');
  };
  const asked = odd(expected, actual);
  const found = odd(actual, expected);
  const parts = [asked && `the query has ${asked}`, found && `the document has ${found}`].filter((part) => part !== '');
  const where = parts.length > 0 ? `: ${parts.join(', ')}` : '';
  return `Only typographic characters differ (quotes, dashes, no-break or invisible spaces)${where}.`;
}
