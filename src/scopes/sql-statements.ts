import { LeadIns } from './lead-ins.ts';
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
}

const WORD = /[a-z_\u0080-\uffff][\w$\u0080-\uffff]*/iy;
const DOLLAR = /\$(?:[a-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/iy;
/** What holds statements of its own between BEGIN and END. */
const ROUTINE = /^create\b(?:\s+\S+){0,12}?\s+(?:function|procedure|trigger|event)\b/i;
/** What END closes when one of these follows was opened by it, and counted nowhere. */
const INNER_END = /\s+(?:if|loop|while|repeat|for)\b/iy;
const COPIED = /^copy\b[\s\S]*\bfrom\s+stdin\b/i;

/**
 * The statements of a script by its quotes, comments and semicolons alone (PostgreSQL's lexical rules, with the backquoted names and the
 * BEGIN … END bodies of others). Linear. A line of psql's own (`\connect`) and the rows below `COPY … FROM stdin` belong to none.
 */
function statementsOf(text: string): Script {
  const statements: Statement[] = [];
  const quoted: number[] = [];
  const leadIns = new LeadIns(text, false);
  let start = -1;
  let depth = 0;
  let at = 0;
  const quote = (from: number, to: number): void => void quoted.push(from, to);
  const close = (end: number): void => {
    if (start >= 0) statements.push({ start, end, from: leadIns.startOf(start) });
    start = -1;
    depth = 0;
  };
  while (at < text.length) {
    const unit = text[at]!;
    if (/\s/.test(unit)) {
      at += 1;
    } else if (text.startsWith('--', at) || text.startsWith('/*', at)) {
      const end = text[at] === '-' ? indexOr(text, '\n', at) : behindComment(text, at);
      if (start < 0) leadIns.add(at, end, false);
      else quote(at, end);
      at = end;
    } else if (unit === '\\' && start < 0) {
      at = indexOr(text, '\n', at);
    } else {
      if (start < 0) start = at;
      if (unit === ';' && depth === 0) {
        const copies = COPIED.test(text.slice(start, Math.min(at, start + 4096)));
        close(at + 1);
        at = copies ? indexOr(text, '\n\\.', at) + 3 : at + 1;
      } else if (unit === "'" || unit === '"' || unit === '`') {
        const escapes = unit === "'" && /(?:^|[^\w$])e$/i.test(text.slice(Math.max(0, at - 2), at));
        const end = behindQuote(text, at, escapes);
        if (unit === "'") quote(at, end);
        at = end;
      } else if (unit === '$' && matchAt(DOLLAR, text, at) !== null) {
        const tag = matchAt(DOLLAR, text, at)!;
        const end = indexOr(text, tag, at + tag.length) + tag.length;
        quote(at, Math.min(end, text.length));
        at = end;
      } else {
        const word = matchAt(WORD, text, at);
        const end = at + (word?.length ?? 1);
        depth += opens(text, start, word?.toLowerCase(), end, depth);
        at = end;
      }
    }
  }
  close(text.trimEnd().length);
  return { statements, quoted };
}

/** By how much a word deepens the blocks of a routine's body that is not quoted. */
function opens(text: string, start: number, word: string | undefined, end: number, depth: number): number {
  if (word === 'begin') return depth > 0 || ROUTINE.test(text.slice(start, Math.min(end, start + 2048))) ? 1 : 0;
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

const NAME =
  /(?:"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|[\w$\u0080-\uffff]+)(?:\s*\.\s*(?:"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|[\w$\u0080-\uffff]+))*/;
const CREATED = new RegExp(
  String.raw`^create\s+(?:or\s+(?:replace|alter)\s+)?(?:(?:temp|temporary|global|local|unlogged|unique|materialized|recursive|constraint|foreign|event|trusted|procedural|definer\s*=\s*\S+)\s+)*` +
    String.raw`(table|view|function|procedure|index|trigger|type|schema|sequence|extension|role|user|database|policy|domain|aggregate|publication|subscription|server|rule|language|collation|event|tablespace)\b` +
    String.raw`(?:\s+concurrently\b)?(?:\s+if\s+not\s+exists\b)?\s+(${NAME.source})`,
  'i',
);
const RELATED = new RegExp(
  String.raw`\b(?:on|into|from|update|table|view|call|copy|function|procedure|schema|index|sequence|type|role|truncate)\s+(?:(?:only|table|all|function|procedure|sequence|schema|if\s+exists|if\s+not\s+exists)\s+)*(${NAME.source})`,
  'i',
);
const VERB = /^[a-z]+(?:\s+(?:table|view|index|function|procedure|into|on|or\s+replace|materialized\s+view|sequence|schema|type|role)\b)?/i;

/** What a statement creates, else `statement` by its verb and the first relation that it names. */
function titleOf(statement: string): { kind: string; name: string } {
  const head = statement.slice(0, 2048);
  const [, kind, name] = CREATED.exec(head) ?? [];
  if (kind !== undefined && name !== undefined) return { kind: kind.toLowerCase(), name };
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
  const { statements, quoted } = statementsOf(text);
  const result: RawScope[] = [];
  let next = 0;
  let quote = 0;
  let covered = 0;
  const beginsQuoted = ({ start: begins }: RawScope): boolean => {
    while (quote < quoted.length && quoted[quote + 1]! <= begins) quote += 2;
    return quote < quoted.length && quoted[quote]! < begins;
  };
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
    // What spans several statements, as a transaction does, was taken with the first of them.
    if (start < covered) result.push(...found);
    else if (first === undefined || first.start > start || fragments || !REST.test(text.slice(last!.end, end))) {
      result.push({ ...titleOf(text.slice(start, end)), start: from, end, parent: -1, hasErrors, onlyAsParent: false });
    } else {
      covered = last!.end;
      result.push(...found);
    }
  }
  return result;
}
