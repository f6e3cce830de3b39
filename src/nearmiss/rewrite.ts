import { withoutLineNumbers } from './line-numbers.ts';
import { withoutDiffMarkers, withoutFences } from './markers.ts';
import { ESCAPES, HTML_ENTITIES, readSpellings } from './spelling.ts';
import type { Spelling } from './fold.ts';
import type { ExplanationKind } from './types.ts';

/** The query, or the document, as it would read had it not been changed on its way through a screen or a serialiser. */
export interface Rewrite {
  kind: ExplanationKind;
  /** Readings of the query that differ in blanks only; one of them is to stand in the document. */
  queries: readonly string[];
  /** In the document this spelling is read as what it stands for. */
  spelling?: Spelling;
  /** A reading that stands at the start of a line is the right one, else the last that stands anywhere. */
  wholeLines?: true;
  message: string;
}

const SPELLINGS = [
  { kind: 'literal_escapes', spelling: ESCAPES, what: 'escapes (such as a backslash and an n)' },
  { kind: 'html_entities', spelling: HTML_ENTITIES, what: 'HTML entities (such as &lt;)' },
] as const;

/** The readings that are worth a look, the likeliest first. */
export function rewrites(query: string, buffer: string): Rewrite[] {
  const out: Rewrite[] = [];
  const numbers = withoutLineNumbers(query);
  if (numbers !== null) {
    const shown = numbers.prefix.replaceAll('\t', '\\t').slice(0, 40);
    const message = `Line-number prefix? The document has this text without "${shown}" and the like before it.`;
    out.push({ kind: 'line_number_prefix', queries: numbers.queries, wholeLines: true, message });
  }
  const diff = withoutDiffMarkers(query);
  if (diff !== null) {
    const say = (what: string): string => `Diff markers? The document has ${what}, without the marks in the first column.`;
    out.push({ kind: 'diff_markers', queries: [diff.before], message: say('the lines that this diff takes away or keeps') });
    out.push({ kind: 'diff_markers', queries: [diff.after], message: say('the lines that this diff adds or keeps') });
    out.push({ kind: 'diff_markers', queries: [diff.all], message: say('all these lines') });
  }
  const fenced = withoutFences(query);
  if (fenced !== null) {
    const message = 'Code fence? The document has this text without the backticks or tildes around it.';
    out.push({ kind: 'code_fence', queries: fenced, message });
  }
  for (const { kind, spelling, what } of SPELLINGS) {
    const read = readSpellings(query, spelling);
    if (read !== query) {
      const message = `The query spells characters as ${what}; the document has the characters themselves.`;
      out.push({ kind, queries: [read], message });
    }
    if (!buffer.includes(String.fromCharCode(spelling.mark))) continue;
    out.push({
      kind,
      queries: [query],
      spelling,
      message: `The document spells characters as ${what}; the query has the characters themselves.`,
    });
    if (read !== query) {
      out.push({ kind, queries: [read], spelling, message: `The query and the document spell different characters as ${what}.` });
    }
  }
  return out.filter(({ queries }) => queries.some((reading) => reading !== ''));
}
