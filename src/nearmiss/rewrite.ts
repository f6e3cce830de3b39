import { canonicalize } from '../text/index.ts';
import type { ExplanationKind } from './types.ts';

/** The query as it would read had it not been spoilt on its way from a reader's screen or through a serialiser. */
export interface Rewrite {
  kind: ExplanationKind;
  query: string;
  message: string;
}

/** `12| `, `12:a3|`, `  12\t`, `L12: `: what readers put before a line. */
const LINE_NUMBER = /^[ \t]*(?:L|line )?\d+(?:[:#][0-9A-Za-z]{1,8})?(?:[ \t]*[|:\u2502\u2192>][ \t]?|[ \t]+)/;
const ESCAPE = /\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([nrtbfv0"'`\\/]))/g;
const NAMED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', 0: '\0' };

/** The rewrites that change this query; each is worth one look whether the document holds its result. */
export function rewrites(query: string): Rewrite[] {
  const out: Rewrite[] = [];
  const numbers = withoutLineNumbers(query);
  if (numbers !== null) {
    const message = `Line-number prefix? The document has this text without "${numbers.prefix}" before it.`;
    out.push({ kind: 'line_number_prefix', query: numbers.query, message });
  }
  const unescaped = unescape(query);
  if (unescaped !== query) {
    const message = 'The query spells characters as escapes (such as a backslash and an n); the document has the characters themselves.';
    out.push({ kind: 'literal_escapes', query: unescaped, message });
  }
  const escaped = query.replace(/[\n\t]/g, (char) => (char === '\n' ? '\\n' : '\\t'));
  if (escaped !== query) {
    const message = 'The query has line breaks or tabs; the document spells them as escapes (such as a backslash and an n).';
    out.push({ kind: 'literal_escapes', query: escaped, message });
  }
  return out;
}

/** Takes the prefix from every line that is not blank; null when some such line has none. */
function withoutLineNumbers(query: string): { query: string; prefix: string } | null {
  let prefix: string | null = null;
  const lines: string[] = [];
  for (const line of query.split('\n')) {
    const found = LINE_NUMBER.exec(line);
    if (found === null && line.trim() !== '') return null;
    if (found !== null) prefix ??= found[0];
    lines.push(found === null ? line : line.slice(found[0].length));
  }
  return prefix === null ? null : { query: lines.join('\n'), prefix: prefix.replace('\t', '\\t') };
}

function unescape(query: string): string {
  const plain = query.replace(ESCAPE, (whole: string, braced?: string, four?: string, two?: string, named?: string) => {
    if (named !== undefined) return NAMED[named] ?? named;
    const point = parseInt((braced ?? four ?? two)!, 16);
    return point > 0x10ffff ? whole : String.fromCodePoint(point);
  });
  return canonicalize(plain);
}
