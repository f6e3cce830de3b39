import { LeadIns } from './lead-ins.ts';
import { dialectOf, lineApart } from './sql-dialect.ts';
import type { RawScope } from './types.ts';

/** A statement of a script, in UTF-16 units: from its first word to behind its semicolon, or to the end of the text. */
interface Statement {
  start: number;
  end: number;
  /** Where it starts with the comments that lead it in. */
  from: number;
}

interface Script {
  statements: Statement[];
  /** Starts and ends of what is quoted, in turn and in order. */
  quoted: number[];
  /** Whether lines of their own part it. */
  batches: boolean;
}

const WORD = /[a-z_\u0080-\uffff][\w$\u0080-\uffff]*/iy;
/** Where a delimiter such as `$$` may stand right behind it. */
const SHORT_WORD = /[a-z_\u0080-\uffff][\w\u0080-\uffff]*/iy;
const DOLLAR = /\$(?:[a-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/iy;
/** What holds statements of its own between BEGIN and END. */
const ROUTINE = /^(?:create|alter)\b(?:\s+\S+){0,12}?\s+(?:function|proc|procedure|trigger|event)\b/i;
/** What ends with its batch alone, where a script has batches. */
const BATCH =
  /^(?:(?:create|alter)\b(?:\s+\S+){0,4}?\s+(?:function|proc|procedure|trigger|package|type\s+body)\b|declare\s+[^@\s]|begin\s+(?!tran|work\b))/i;
const RULE = /^create\s+(?:or\s+replace\s+)?rule\b/i;
/** What END closes when one of these follows was opened by it, and counted nowhere. */
const INNER_END = /[ \t]+(?:if|loop|while|repeat|for)\b/iy;
/** With one of these behind it, BEGIN opens no block. */
const TRANSACTION = /\s+(?:tran|transaction|work)\b/iy;
const COPIED = /^copy\b[\s\S]*\bfrom\s+stdin\b/i;

/**
 * The statements of a script by its quotes, comments and semicolons alone (PostgreSQL's lexical rules, with the backquoted names and the
 * BEGIN … END bodies of others, and with what a script of another dialect tells of itself). Linear. A line of psql's own (`\connect`), the
 * rows below `COPY … FROM stdin` and lines that only part others (`GO`, `DELIMITER`, marks of a conflict) belong to none.
 */
function statementsOf(text: string): Script {
  const dialect = dialectOf(text);
  const statements: Statement[] = [];
  const quoted: number[] = [];
  const leadIns = new LeadIns(text, false);
  let start = -1;
  let depth = 0;
  // Parentheses that are open in a rule; semicolons in them end nothing.
  let inner = 0;
  let delimiter = ';';
  let beginsLine = true;
  let at = 0;
  const quote = (from: number, to: number): void => void quoted.push(from, to);
  const close = (end: number): void => {
    if (start >= 0 && text.slice(start, Math.min(end, start + 2)) !== ';') statements.push({ start, end, from: leadIns.startOf(start) });
    start = -1;
    depth = 0;
    inner = 0;
  };
  const head = (length: number): string => text.slice(start, Math.min(at, start + length));
  const ended = (): boolean => delimiter !== ';' || (depth === 0 && inner === 0 && (dialect.separator === null || !BATCH.test(head(2048))));
  while (at < text.length) {
    const unit = text[at]!;
    if (/\s/.test(unit)) {
      beginsLine ||= unit === '\n';
      at += 1;
      continue;
    }
    const first = beginsLine;
    const apart = first ? lineApart(text, at, dialect, start >= 0) : null;
    beginsLine = false;
    if (apart !== null) {
      if (apart.ends) close(text.slice(0, at).trimEnd().length);
      delimiter = apart.delimiter ?? delimiter;
      at += apart.length;
    } else if (
      text.startsWith('--', at) ||
      text.startsWith('/*', at) ||
      (unit === '#' && dialect.mysql && (first || /\s/.test(text[at + 1] ?? ' ')))
    ) {
      const end = unit === '/' ? behindComment(text, at) : indexOr(text, '\n', at);
      if (start < 0) leadIns.add(at, end, false);
      else quote(at, end);
      at = end;
    } else if (unit === '\\') {
      close(text.slice(0, at).trimEnd().length);
      at = indexOr(text, '\n', at);
    } else {
      if (start < 0) start = at;
      if (text.startsWith(delimiter, at) && ended()) {
        const copies = COPIED.test(head(4096));
        close(at + delimiter.length);
        at = copies ? indexOr(text, '\n\\.', at) + 3 : at + delimiter.length;
      } else if (unit === "'" || unit === '"' || unit === '`') {
        const escapes = unit !== '`' && (dialect.mysql || (unit === "'" && /(?:^|[^\w$])e$/i.test(text.slice(Math.max(0, at - 2), at))));
        const end = behindQuote(text, at, escapes);
        if (unit === "'") quote(at, end);
        at = end;
      } else if (unit === '[' && dialect.brackets) {
        at = indexOr(text, ']', at) + 1;
      } else if (unit === '$' && matchAt(DOLLAR, text, at) !== null) {
        const tag = matchAt(DOLLAR, text, at)!;
        const end = indexOr(text, tag, at + tag.length) + tag.length;
        quote(at, Math.min(end, text.length));
        at = end;
      } else {
        // Behind one of these stands a name, whatever word it is.
        const word = '@.'.includes(text[at - 1] ?? ' ') ? null : matchAt(delimiter === ';' ? WORD : SHORT_WORD, text, at);
        const end = at + (word?.length ?? 1);
        if (unit === '(' && RULE.test(head(64))) inner += 1;
        else if (unit === ')' && inner > 0) inner -= 1;
        depth += opens(text, start, word?.toLowerCase(), end, depth, dialect.brackets);
        at = end;
      }
    }
  }
  close(text.trimEnd().length);
  return { statements, quoted, batches: dialect.separator !== null };
}

/** By how much a word deepens the blocks of a body that is not quoted: a routine's, or `anywhere`. */
function opens(text: string, start: number, word: string | undefined, end: number, depth: number, anywhere: boolean): number {
  if (word === 'begin') {
    if (matchAt(TRANSACTION, text, end) !== null) return 0;
    return anywhere || depth > 0 || ROUTINE.test(text.slice(start, Math.min(end, start + 2048))) ? 1 : 0;
  }
  if (depth === 0) return 0;
  if (word === 'case') return /\bend\s+$/i.test(text.slice(Math.max(0, end - 40), end - 4)) ? 0 : 1;
  return word === 'end' && matchAt(INNER_END, text, end) === null ? -1 : 0;
}

/** The match at this very place. */
function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

function indexOr(text: string, wanted: string, from: number): number {
  const found = text.indexOf(wanted, from);
  return found < 0 ? text.length : found;
}

/** Comments nest. */
function behindComment(text: string, start: number): number {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = start;
  let depth = 0;
  for (let match = edge.exec(text); match !== null; match = edge.exec(text)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return text.length;
}

/** A doubled quote stands for itself. */
function behindQuote(text: string, start: number, escapes: boolean): number {
  const quote = text[start]!;
  let at = start + 1;
  while (at < text.length) {
    if (escapes && text[at] === '\\') at += 1;
    else if (text[at] === quote) {
      if (text[at + 1] !== quote) return at + 1;
      at += 1;
    }
    at += 1;
  }
  return text.length;
}

const NAME_PART = /(?:"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|[\w$\u0080-\uffff]+)/.source;
const NAME = String.raw`${NAME_PART}(?:\s*\.\s*${NAME_PART})*`;
const CREATED = new RegExp(
  String.raw`^create\s+(?:or\s+(?:replace|alter)\s+)?(?:(?:temp|temporary|virtual|editionable|global|local|unlogged|unique|materialized|recursive|constraint|foreign|event|trusted|procedural|definer\s*=\s*\S+)\s+)*` +
    String.raw`(table|view|function|procedure|proc|package\s+body|package|index|trigger|type|schema|sequence|extension|role|user|database|policy|domain|aggregate|publication|subscription|server|rule|language|collation|event|tablespace)\b` +
    String.raw`(?:\s+concurrently\b)?(?:\s+if\s+not\s+exists\b)?\s+(${NAME})`,
  'i',
);
const RELATED = new RegExp(
  String.raw`\b(?:on|into|from|update|table|view|call|copy|function|procedure|schema|index|sequence|type|role|truncate)\s+(?:(?:only|table|all|function|procedure|sequence|schema|if\s+exists|if\s+not\s+exists)\s+)*(${NAME})`,
  'i',
);
const KINDS: Readonly<Record<string, string>> = { proc: 'procedure' };
const VERB = /^[a-z]+(?:\s+(?:table|view|index|function|procedure|into|on|or\s+replace|materialized\s+view|sequence|schema|type|role)\b)?/i;

/** What a statement creates, else `statement` by its verb and the first relation that it names. */
function titleOf(statement: string): { kind: string; name: string } {
  const head = statement.slice(0, 2048);
  const [, kind, name] = CREATED.exec(head) ?? [];
  if (kind !== undefined && name !== undefined) return { kind: KINDS[kind.toLowerCase()] ?? kind.toLowerCase().replace(/\s+/g, ' '), name };
  const verb = VERB.exec(head)?.[0].toLowerCase().replace(/\s+/g, ' ');
  return { kind: 'statement', name: [verb, RELATED.exec(head)?.[1]].filter((word) => word !== undefined).join(' ') };
}

/** What may follow the last scope of a statement that was taken whole. */
const REST = /^(?:\s|--[^\n]*(?:\n|$))*;?\s*$/;

/**
 * The scopes that the grammar found in a script, with every statement that it did not take whole read by its first words: where nothing
 * begins with the statement, something begins within a quoted body, or the end is not reached, what it found there are fragments.
 */
export function wholeStatements(text: string, scopes: readonly RawScope[], hasErrors: boolean): RawScope[] {
  const { statements, quoted, batches } = statementsOf(text);
  const result: RawScope[] = [];
  let next = 0;
  let quote = 0;
  let covered = 0;
  const beginsQuoted = ({ start: begins }: RawScope): boolean => {
    while (quote < quoted.length && quoted[quote + 1]! <= begins) quote += 2;
    return quote < quoted.length && quoted[quote]! < begins;
  };
  // In a text with errors the grammar goes on into what follows.
  const overrun = (scope: RawScope, end: number): boolean => scope.end > end && (scope.hasErrors || batches);
  for (const { start, end, from } of statements) {
    const found: RawScope[] = [];
    let fragments = false;
    for (; next < scopes.length && scopes[next]!.start < end; next += 1) {
      const scope = scopes[next]!;
      if (scope.end <= start) continue;
      fragments ||= beginsQuoted(scope);
      found.push(scope);
    }
    const [first, last] = [found[0], found.at(-1)];
    // What spans several statements without an error was taken with the first of them.
    if (start < covered) result.push(...found);
    else if (first === undefined || first.start > start || fragments || overrun(last!, end) || !REST.test(text.slice(last!.end, end))) {
      result.push({ ...titleOf(text.slice(start, end)), start: from, end, parent: -1, hasErrors, onlyAsParent: false });
    } else {
      covered = last!.end;
      result.push(...found);
    }
  }
  return result;
}
