import { describe, expect, it } from 'vitest';
import { findNearMisses } from '../../src/nearmiss/index.ts';
import type { Explanation } from '../../src/nearmiss/index.ts';
import { cut, sample } from './documents.ts';
import type { Sample } from './documents.ts';

const CASES = 60;

/** The text that `expected` and `actual` stand for, when nothing of it was left out. */
function unescaped(shown: string): string | null {
  if (shown.startsWith('...') || shown.endsWith('...')) return null;
  return shown.replace(/\\(?:u\{([0-9A-F]+)\}|u([0-9A-F]{4})|(.))/g, (_, braced: string, four: string, named: string) =>
    named === undefined ? String.fromCodePoint(parseInt(braced ?? four, 16)) : ({ n: '\n', t: '\t', r: '\r' }[named] ?? named),
  );
}

/** What each kind claims, worked out again in the plainest way: true when it holds of the two texts. */
const CLAIMS: Record<string, (query: string, actual: string) => boolean> = {
  line_ending: (q, a) => q.replaceAll('\r\n', '\n').replaceAll('\r', '\n') === a,
  final_newline: (q, a) => q.replace(/\n*$/, '') === a.replace(/\n*$/, ''),
  trailing_whitespace: (q, a) => q.replace(/[ \t]+$/gm, '') === a.replace(/[ \t]+$/gm, ''),
  indentation: (q, a) => q.replace(/^[ \t]+/gm, '') === a.replace(/^[ \t]+/gm, ''),
  whitespace: (q, a) => q.split(/[ \t\n]+/).join('') === a.split(/[ \t\n]+/).join(''),
  case: (q, a) => q.toUpperCase() === a.toUpperCase() || q.toLowerCase() === a.toLowerCase(),
  unicode_form: (q, a) => q.normalize('NFD') === a.normalize('NFD'),
  unicode_compatibility: (q, a) => q.normalize('NFKD') === a.normalize('NFKD'),
};

function explain(doc: string, query: string): Explanation {
  const { explanation } = findNearMisses(doc, query);
  if (explanation === undefined) throw new Error(`no explanation of ${JSON.stringify({ doc, query })}`);
  return explanation;
}

function expectPlace(
  explanation: Explanation,
  kind: string,
  doc: string,
  query: string,
  at: { start: number; end: number; line: number },
): void {
  const { start, end, line } = explanation;
  const found = { kind: explanation.kind, start, end, line };
  expect(found, JSON.stringify({ doc, query, message: explanation.message })).toEqual({
    kind,
    start: at.start,
    end: at.end,
    line: at.line,
  });
  const actual = cut(doc, start!, end!);
  expect(explanation.expected).toMatch(/^[\x20-\x7e]*$/);
  expect(explanation.actual).toMatch(/^[\x20-\x7e]*$/);
  expect(unescaped(explanation.expected) ?? query).toBe(query);
  expect(unescaped(explanation.actual) ?? actual).toBe(actual);
  expect(query).not.toBe(actual);
  expect(CLAIMS[kind]?.(query, actual) ?? true).toBe(true);
}

/** How the piece is spoilt; null when it holds nothing of the kind. */
type Spoil = (piece: string, sample: Sample) => string | null;

const flipCase = (text: string): string =>
  Array.from(text, (char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase())).join('');

const SAME_PLACE: Record<string, { kind: string; plain?: boolean; count?: number; spoil: Spoil }> = {
  'CRLF for LF': { kind: 'line_ending', count: 3, spoil: (piece) => piece.replaceAll('\n', '\r\n') },
  'tabs for spaces': { kind: 'indentation', spoil: (piece) => piece.replace(/^ +/gm, (run) => '\t'.repeat(run.length)) },
  'spaces for tabs': { kind: 'indentation', spoil: (piece) => piece.replace(/^\t+/gm, (run) => ' '.repeat(4 * run.length)) },
  'deeper by two': { kind: 'indentation', spoil: (piece) => piece.replace(/^/gm, '  ') },
  'no indentation after the first line': { kind: 'indentation', count: 3, spoil: (piece) => piece.replace(/\n[ \t]+/g, '\n') },
  'trailing blanks': { kind: 'trailing_whitespace', count: 2, spoil: (piece) => piece.replace('\n', ' \t\n') },
  'a doubled space': { kind: 'whitespace', spoil: (piece) => piece.replace(/(\S) (\S)/, '$1  $2') },
  'a wrapped line': { kind: 'whitespace', spoil: (piece) => piece.replace(/(\S) (\S)/, '$1\n$2') },
  'an empty line': { kind: 'whitespace', count: 2, spoil: (piece) => piece.replace('\n', '\n\n') },
  'another case': { kind: 'case', plain: true, spoil: flipCase },
  'capitals of accented words': { kind: 'case', spoil: (piece) => piece.toUpperCase() },
  decomposed: { kind: 'unicode_form', spoil: (piece) => piece.normalize('NFD') },
  'curly quotes': { kind: 'typography', spoil: (piece) => piece.replace(/"(\w+)"/g, '\u201C$1\u201D') },
  'no-break spaces': { kind: 'typography', spoil: (piece) => piece.replace(/(\S) (\S)/, '$1\u00A0$2') },
  'narrow no-break spaces': { kind: 'typography', spoil: (piece) => piece.replace(/(\S) (\S)/, '$1\u202F$2') },
  'zero width space': { kind: 'typography', spoil: (piece) => piece.replace(/(\w\w)(\w)/, '$1\u200B$2') },
  'byte-order mark inside': { kind: 'typography', spoil: (piece) => piece.replace(/(\w\w)(\w)/, '$1\uFEFF$2') },
  'full width': {
    kind: 'unicode_compatibility',
    spoil: (piece) => piece.replace(/[a-z]{3}/, (run) => Array.from(run, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)).join('')),
  },
  'JSON escapes': { kind: 'literal_escapes', plain: true, spoil: (piece) => JSON.stringify(piece).slice(1, -1) },
  'escaped non-ASCII': {
    kind: 'literal_escapes',
    spoil: (piece) => piece.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  },
  'HTML entities': {
    kind: 'html_entities',
    spoil: (piece) => piece.replace(/[<>&"]/g, (char) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' })[char]!),
  },
  'a diff of additions': { kind: 'diff_markers', spoil: (piece) => piece.replace(/^/gm, '+') },
  'a diff with context': {
    kind: 'diff_markers',
    count: 3,
    spoil: (piece) => {
      const [one, two, three] = piece.split('\n');
      return `@@ -1,3 +1,3 @@\n ${one}\n-${two}\n+something else\n ${three}`;
    },
  },
  'a fenced block': { kind: 'code_fence', spoil: (piece) => `\`\`\`ts\n${piece}\n\`\`\`` },
  tildes: { kind: 'code_fence', spoil: (piece) => `~~~\n${piece}\n~~~\n` },
};

const NUMBERED: Record<string, (text: string, number: number) => string> = {
  'n| ': (text, n) => `${n}| ${text}`,
  'n|': (text, n) => `${n}|${text}`,
  'n: ': (text, n) => `${n}: ${text}`,
  'n:': (text, n) => `${n}:${text}`,
  'n→': (text, n) => `${String(n).padStart(6)}\u2192${text}`,
  'cat -n': (text, n) => `${String(n).padStart(6)}\t${text}`,
  'nl with blanks': (text, n) => `${String(n).padStart(5)}  ${text}`,
  '[n] ': (text, n) => `[${n}] ${text}`,
  'grep -Hn': (text, n) => `src/some-file.ts:${n}:${text}`,
  'n:hash|': (text, n) => `${n}:a3f|${text}`,
};

describe('one distortion of a random text is named, at its place', () => {
  it.each(Object.entries(SAME_PLACE))('%s', (_, { kind, plain, count, spoil }) => {
    let tried = 0;
    for (let seed = 1; seed <= CASES; seed++) {
      const made = sample(seed, { ...(plain === undefined ? {} : { plain }), ...(count === undefined ? {} : { count }) });
      const query = spoil(made.piece, made);
      if (query === null || query === made.piece || made.text.includes(query)) continue;
      tried++;
      expectPlace(explain(made.text, query), kind, made.text, query, made);
    }
    expect(tried).toBeGreaterThan(CASES / 5);
  });

  it.each(Object.entries(NUMBERED))('line numbers as %s', (_, number) => {
    for (let seed = 1; seed <= CASES; seed++) {
      const made = sample(seed);
      const query = made.piece
        .split('\n')
        .map((text, i) => number(text, made.line + i))
        .join('\n');
      const explanation = explain(made.text, query);
      expectPlace(explanation, 'line_number_prefix', made.text, query, made);
      expect(explanation.message).not.toContain('Besides');
    }
  });

  it.each([
    { name: 'one line break too many', doc: (text: string) => text, query: (last: string) => `${last}\n\n`, extra: 1 },
    {
      name: 'a line break that the document lacks',
      doc: (text: string) => text.slice(0, -1),
      query: (last: string) => `${last}\n`,
      extra: 0,
    },
  ])('at the end: $name', ({ doc, query, extra }) => {
    for (let seed = 1; seed <= CASES; seed++) {
      const { lines, text } = sample(seed);
      const buffer = doc(text);
      const wanted = query(lines.at(-1)!);
      const end = Array.from(buffer).length;
      const start = end - extra - Array.from(lines.at(-1)!).length;
      expectPlace(explain(buffer, wanted), 'final_newline', buffer, wanted, { start, end, line: lines.length });
    }
  });

  it.each([
    { kind: 'literal_escapes', spell: (piece: string) => JSON.stringify(piece).slice(1, -1) },
    { kind: 'html_entities', spell: (piece: string) => piece.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&#34;') },
  ])('$kind: the document spells what the query has', ({ kind, spell }) => {
    let tried = 0;
    for (let seed = 1; seed <= CASES; seed++) {
      const made = sample(seed, { plain: true });
      const spelled = spell(made.piece);
      if (spelled === made.piece) continue;
      tried++;
      const before = cut(made.text, 0, made.start);
      const doc = before + spelled + cut(made.text, made.end, Infinity);
      const at = { start: made.start, end: made.start + Array.from(spelled).length, line: made.line };
      expectPlace(explain(doc, made.piece), kind, doc, made.piece, at);
    }
    expect(tried).toBeGreaterThan(CASES / 5);
  });
});

describe('no claim is false', () => {
  const mangle = (made: Sample): string => {
    const chars = Array.from(made.piece);
    for (let i = 0; i <= made.below(3); i++) {
      const at = made.below(chars.length);
      const kind = made.below(6);
      if (kind === 0) chars[at] = flipCase(chars[at]!);
      else if (kind === 1) chars.splice(at, 0, ' ');
      else if (kind === 2) chars.splice(at, 1);
      else if (kind === 3) chars[at] = chars[at]!.normalize('NFD');
      else if (kind === 4) chars[at] = { '"': '\u201D', ' ': '\u00A0' }[chars[at]!] ?? chars[at]!;
      else chars[at] = 'q';
    }
    return chars.join('');
  };

  it('of one to four random changes', () => {
    const kinds = new Map<string, number>();
    for (let seed = 1; seed <= 1500; seed++) {
      const made = sample(seed);
      const query = mangle(made);
      if (made.text.includes(query)) continue;
      const { explanation } = findNearMisses(made.text, query);
      kinds.set(explanation?.kind ?? 'none', (kinds.get(explanation?.kind ?? 'none') ?? 0) + 1);
      if (explanation?.start === undefined) continue;
      const actual = cut(made.text, explanation.start, explanation.end!);
      const holds = CLAIMS[explanation.kind]?.(query, actual) ?? true;
      expect({ kind: explanation.kind, query, actual, holds }).toEqual({ kind: explanation.kind, query, actual, holds: true });
    }
    for (const kind of ['none', 'several', 'whitespace', 'case', 'typography']) expect(kinds.get(kind) ?? 0, kind).toBeGreaterThan(20);
  });
});
