import { endBlanks, startBlanks, withoutEnd } from './blanks.ts';
import { pointName } from './escape.ts';
import { nameForm } from './forms.ts';

/** Sentences about a difference. Each is made of counts and names, never of the texts: its length is bounded. */

/** Different characters that a sentence names of one side. */
const NAMED = 8;
/** Runs of blanks that a sentence counts of one side. */
const RUNS = 6;

export function sayFinalNewline(expected: string, actual: string): string {
  const breaks = (text: string): string => count(text.length - withoutEnd(text, '\n').length, 'newline');
  return `Same text, but the query ends with ${breaks(expected)} and the document's text with ${breaks(actual)}.`;
}

export function sayTrailing(expected: string, actual: string): string {
  return `Same text, but blanks at the end of a line differ: ${sayLines(expected, actual, endBlanks)}.`;
}

export function sayIndentation(expected: string, actual: string): string {
  return `Same text, but the indentation differs: ${sayLines(expected, actual, startBlanks)}.`;
}

/** The first run of blanks that differs, as both texts have it. */
export function sayBlanks(expected: string, actual: string): string {
  let unit = 0;
  while (unit < expected.length && expected[unit] === actual[unit]) unit++;
  let from = unit;
  while (from > 0 && isBlankUnit(expected[from - 1])) from--;
  const run = (text: string): string => {
    let to = from;
    while (isBlankUnit(text[to])) to++;
    return blanks(text.slice(from, to));
  };
  return `Only blanks or line breaks differ: first, ${run(expected)} asked for, ${run(actual)} found.`;
}

export function sayCase(): string {
  return 'Only upper and lower case differ.';
}

export function sayForm(expected: string, actual: string): string {
  return `Equal after Unicode normalisation: the query is ${nameForm(expected)}, the document ${nameForm(actual)}.`;
}

/** Names the characters that only one side has, where the texts first differ or after. */
export function sayCharacters(what: string): (expected: string, actual: string) => string {
  return (expected, actual) => {
    const asked = new Set(expected);
    const found = new Set(actual);
    const only = (own: Set<string>, other: Set<string>): string => {
      const names = Array.from(own).filter((char) => char > '\x7f' && !other.has(char));
      return names.slice(0, NAMED).map(pointName).join(', ') + (names.length > NAMED ? ' and others' : '');
    };
    const parts = [
      { who: 'the query has', names: only(asked, found) },
      { who: 'the document has', names: only(found, asked) },
    ].filter(({ names }) => names !== '');
    const where = parts.map(({ who, names }) => `${who} ${names}`).join(', ');
    return `Only ${what} differ${where === '' ? '' : `: ${where}`}.`;
  };
}

function sayLines(expected: string, actual: string, where: (line: string) => string): string {
  const asked = expected.split('\n');
  const found = actual.split('\n');
  const at = asked.findIndex((line, i) => where(line) !== where(found[i] ?? ''));
  const on = asked.length > 1 ? ` (first on line ${at + 1} of the query)` : '';
  return `${blanks(where(asked[at] ?? ''))} asked for, ${blanks(where(found[at] ?? ''))} found${on}`;
}

function isBlankUnit(char: string | undefined): boolean {
  return char !== undefined && ' \t\n\r\f\v'.includes(char);
}

/** `2 newlines and 4 spaces`, in their order. */
function blanks(text: string): string {
  const runs = text.match(/ +|\t+|\n+|[\r\f\v]+/g) ?? [];
  if (runs.length === 0) return 'none';
  const nouns: Readonly<Record<string, string>> = { ' ': 'space', '\t': 'tab', '\n': 'newline' };
  const said = runs.slice(0, RUNS).map((run) => count(run.length, nouns[run[0]!] ?? 'control character'));
  return said.join(' and ') + (runs.length > RUNS ? ' and more' : '');
}

function count(n: number, noun: string): string {
  return `${n === 0 ? 'no' : n} ${noun}${n === 1 ? '' : 's'}`;
}
