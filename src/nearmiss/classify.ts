import { canonicalize } from '../text/index.ts';
import { eachLine, endBlanks, startBlanks, withoutEnd } from './blanks.ts';
import { composed, foldCase, plainForms, plainTypography, withoutBlanks } from './forms.ts';
import { sayBlanks, sayCase, sayCharacters, sayFinalNewline, sayForm, sayIndentation, sayTrailing } from './say.ts';
import type { ExplanationKind } from './types.ts';

/** In which respect two texts differ, and the sentence that says it. */
export interface Difference {
  kind: ExplanationKind;
  /** Position in the order from the narrowest kind to the widest; among several places the narrowest explains best. */
  rank: number;
  message: string;
}

/** What surrounds the text that stands in the document. */
export interface Surroundings {
  /** It begins at the start of a line. */
  startsLine: boolean;
  /** It ends at the end of a line, or with a line break. */
  endsLine: boolean;
  /** A blank follows it, so that more or fewer line breaks are not all that differs at its end. */
  beforeBlank: boolean;
}

const WHOLE_LINES: Surroundings = { startsLine: true, endsLine: true, beforeBlank: false };

interface Kind {
  kind: ExplanationKind;
  reduce: (text: string, around: Surroundings) => string;
  say: (expected: string, actual: string) => string;
}

/** From the narrowest to the widest. Equal after `reduce` is the claim, word for word. */
const NARROW: readonly Kind[] = [
  { kind: 'line_ending', reduce: canonicalize, say: () => 'Only the line endings differ (CR or CRLF against LF).' },
  {
    kind: 'final_newline',
    reduce: (text, around) => (around.beforeBlank ? text : withoutEnd(text, '\n')),
    say: sayFinalNewline,
  },
  { kind: 'trailing_whitespace', reduce: withoutTrailing, say: sayTrailing },
  { kind: 'indentation', reduce: withoutIndentation, say: sayIndentation },
  { kind: 'whitespace', reduce: withoutBlanks, say: sayBlanks },
  {
    kind: 'typography',
    reduce: plainTypography,
    say: sayCharacters('typographic characters (quotes, dashes, spaces, invisible characters)'),
  },
  { kind: 'unicode_form', reduce: composed, say: sayForm },
  {
    kind: 'unicode_compatibility',
    reduce: (text) => composed(plainForms(text)),
    say: sayCharacters('compatibility forms (full-width, ligature, raised or similar characters)'),
  },
  { kind: 'case', reduce: foldCase, say: sayCase },
];

/** The respects that combine, in the order in which they are taken away, and in which each is tried as dispensable. */
const RESPECTS: readonly { name: string; reduce: (text: string) => string }[] = [
  { name: 'compatibility forms', reduce: plainForms },
  { name: 'typographic characters', reduce: plainTypography },
  { name: 'blanks', reduce: withoutBlanks },
  { name: 'letter case', reduce: foldCase },
  { name: 'Unicode form', reduce: composed },
];

const NAMED_AS = ['blanks', 'letter case', 'Unicode form', 'typographic characters', 'compatibility forms'];

/** How `actual` differs from what was asked for; null when they are equal or differ in more than these respects. */
export function classify(expected: string, actual: string, around: Surroundings = WHOLE_LINES): Difference | null {
  if (expected === actual) return null;
  for (const [rank, { kind, reduce, say }] of NARROW.entries()) {
    if (reduce(expected, around) === reduce(actual, around)) return { kind, rank, message: say(expected, actual) };
  }
  const equal = (respects: typeof RESPECTS): boolean => {
    const reduce = (text: string): string => respects.reduce((rest, respect) => respect.reduce(rest), text);
    return reduce(expected) === reduce(actual);
  };
  if (!equal(RESPECTS)) return null;
  // The fewest respects that suffice: each is left out if the rest make the texts equal.
  const needed = RESPECTS.reduce((left, respect) => {
    const rest = left.filter((other) => other !== respect);
    return equal(rest) ? rest : left;
  }, RESPECTS);
  const names = NAMED_AS.filter((name) => needed.some((respect) => respect.name === name)).join(' and ');
  return { kind: 'several', rank: NARROW.length, message: `The text differs in several respects at once: ${names}.` };
}

/** Blanks before a line break are no others than those at the end of a line; the last line counts when it ends there. */
function withoutTrailing(text: string, { endsLine }: Surroundings): string {
  return eachLine(text, (line, isLast) => (isLast && !endsLine ? line : line.slice(0, line.length - endBlanks(line).length)));
}

/** The first line has an indentation only when it begins there. */
function withoutIndentation(text: string, { startsLine }: Surroundings): string {
  return eachLine(text, (line, _isLast, isFirst) => (isFirst && !startsLine ? line : line.slice(startBlanks(line).length)));
}
