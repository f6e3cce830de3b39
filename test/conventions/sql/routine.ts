import { parsePlPgSQLSync, parseSync, scanSync } from 'libpg-query';
import { at, dotted, isBranch, listAt, nodes, numberAt, textAt, tree, type Branch, type Tree } from './tree.ts';

/** One raise of an error, as written. A bare `raise` that passes an error on is none. */
export interface Raise {
  line: number;
  /** False for notice, debug and the like. */
  isError: boolean;
  /** The literal code; undefined when there is none or it is computed. */
  code: string | undefined;
  hasMessage: boolean;
  hasDetail: boolean;
  hasHint: boolean;
}

/** A file of db/procedures, read by PostgreSQL's own parsers. */
export interface Routine {
  /** Relative to db/procedures, `schema/name.sql`. */
  path: string;
  text: string;
  /** Every statement of the file, by kind. */
  kinds: string[];
  kind: 'function' | 'view' | 'other';
  /** `schema.name` as created. */
  name: string;
  replaces: boolean;
  /** The comment lines directly above `create`. */
  header: string;
  language: string;
  options: { name: string; value: Tree | undefined; line: number }[];
  parameters: { name: string; type: string; mode: 'in' | 'out'; line: number }[];
  /** The type it returns, empty for a table or a view. */
  returns: string;
  /** Declared variables, loop variables included. */
  locals: string[];
  raises: Raise[];
  /** What it locks explicitly: row locks, table locks, advisory locks. */
  locks: string[];
  /** Unqualified names of functions called, relations read and types named. */
  bareNames: string[];
  /** `comment on` statements: the object and, for functions, its argument types. */
  comments: { name: string; types: string[]; text: string }[];
  openingLine: number;
}

const ERROR_LEVEL = 21;
const OPTION_KINDS = ['errcode', 'message', 'detail', 'hint'] as const;

/** Reads one file; throws the parser's error when it is not SQL. `loadModule()` of the parser must have resolved. */
export function readRoutine(path: string, text: string): Routine {
  const statements = listAt(tree(parseSync(text)), 'stmts').map((statement) => at(statement, 'stmt'));
  const kinds = statements.map((statement) => (isBranch(statement) ? (Object.keys(statement)[0] ?? '?') : '?'));
  const create = at(statements[0], 'CreateFunctionStmt');
  const view = at(statements[0], 'ViewStmt');
  const lineOf = lineFinder(text);
  const options = listAt(create, 'options').map((option) => ({
    name: textAt(option, 'DefElem', 'defname') ?? '?',
    value: at(option, 'DefElem', 'arg'),
    line: lineOf(numberAt(option, 'DefElem', 'location') ?? 0),
  }));
  const language = textAt(options.find((option) => option.name === 'language')?.value, 'String', 'sval') ?? 'sql';
  const body = isBranch(create) ? bodyOf(create, language, text) : tree(statements);
  const queries = language === 'plpgsql' ? queriesOf(body) : [body];
  const parameters = listAt(create, 'parameters').map((parameter) => ({
    name: textAt(parameter, 'FunctionParameter', 'name') ?? '',
    type: typeName(at(parameter, 'FunctionParameter', 'argType')),
    mode: /OUT|TABLE/.test(textAt(parameter, 'FunctionParameter', 'mode') ?? '') ? ('out' as const) : ('in' as const),
    line: lineOf(numberAt(parameter, 'FunctionParameter', 'location') ?? 0),
  }));
  const returns = typeName(at(create, 'returnType'));
  return {
    path,
    text,
    kinds,
    kind: create !== undefined ? 'function' : view !== undefined ? 'view' : 'other',
    name: create !== undefined ? dotted(listAt(create, 'funcname')) : relationName(at(view, 'view')),
    replaces: at(create ?? view, 'replace') === true,
    header: headerOf(text),
    language,
    options,
    parameters,
    returns,
    locals: localsOf(body),
    raises: nodes(body, 'PLpgSQL_stmt_raise').flatMap(raiseOf),
    locks: queries.flatMap(locksOf),
    bareNames: [...queries.flatMap(bareNamesOf), ...bareTypesOf([...parameters.map((one) => one.type), returns, ...typesOf(body)])],
    comments: statements.flatMap(commentOf),
    openingLine: text.split('\n').findIndex((line) => /^create\b/i.test(line)) + 1,
  };
}

/** Tokens of SQL text with PL/pgSQL bodies opened up, for rules about how keywords are written. */
export function keywordsOf(text: string): string[] {
  return scanSync(text).tokens.flatMap((token) => {
    if (token.keywordKind > 0) return [token.text];
    const quoted = /^\$(\w*)\$([\s\S]*)\$\1\$$/.exec(token.text);
    return quoted === null ? [] : keywordsOf(quoted[2]!);
  });
}

function bodyOf(create: Branch, language: string, text: string): Tree {
  // The parser has no catalog: it takes every type of ours for a record, and refuses an array of one in an INTO list.
  if (language === 'plpgsql') return tree(parsePlPgSQLSync(text.replace(/\bpatchdiff\w*\.\w+\[\]/g, 'text[]')));
  const atomic = at(create, 'sql_body');
  if (atomic !== undefined) return atomic;
  const as = listAt(create, 'options').find((option) => textAt(option, 'DefElem', 'defname') === 'as');
  const quoted = textAt(listAt(at(as, 'DefElem', 'arg'), 'List', 'items')[0], 'String', 'sval') ?? '';
  return tree(parseSync(quoted));
}

/** Every query and expression inside a PL/pgSQL body, parsed. */
function queriesOf(body: Tree): Tree[] {
  return nodes(body, 'PLpgSQL_expr').map((expression) => {
    const query = textAt(expression, 'query') ?? '';
    const mode = numberAt(expression, 'parseMode') ?? 0;
    if (mode === 0) return tree(parseSync(query));
    // 2 is an expression, 3 and above an assignment `name := expression`.
    return tree(parseSync(`select ${mode === 2 ? query : query.replace(/^[^=]*?:?=/, () => '')}`));
  });
}

function localsOf(body: Tree): string[] {
  const implicit = new Set(['sqlstate', 'sqlerrm', '(unnamed row)']);
  return ['PLpgSQL_var', 'PLpgSQL_rec', 'PLpgSQL_row'].flatMap((kind) =>
    nodes(at(listAt(body, 'plpgsql_funcs')[0], 'PLpgSQL_function', 'datums'), kind)
      // Parameters and `found` carry no line.
      .filter((datum) => datum['lineno'] !== undefined)
      .map((datum) => textAt(datum, 'refname') ?? '')
      // A `case` with an operand keeps it in a variable of its own.
      .filter((name) => !implicit.has(name) && !name.startsWith('__Case__Variable_')),
  );
}

function raiseOf(raise: Branch): Raise[] {
  const options = new Map(
    listAt(raise, 'options').map((option) => [
      OPTION_KINDS[numberAt(option, 'PLpgSQL_raise_option', 'opt_type') ?? 0],
      textAt(option, 'PLpgSQL_raise_option', 'expr', 'PLpgSQL_expr', 'query') ?? '',
    ]),
  );
  const condition = textAt(raise, 'condname');
  if (condition === undefined && raise['message'] === undefined && options.size === 0) return [];
  return [
    {
      line: numberAt(raise, 'lineno') ?? 0,
      isError: numberAt(raise, 'elog_level') === ERROR_LEVEL,
      code: condition ?? /^'([^']*)'$/.exec(options.get('errcode') ?? '')?.[1],
      hasMessage: raise['message'] !== undefined || options.has('message'),
      hasDetail: options.has('detail'),
      hasHint: options.has('hint'),
    },
  ];
}

function locksOf(query: Tree): string[] {
  const rows = nodes(query, 'LockingClause').map((clause) => textAt(clause, 'strength') ?? 'row lock');
  const tables = nodes(query, 'LockStmt').map(() => 'lock table');
  const advisory = nodes(query, 'FuncCall')
    .map((call) => dotted(listAt(call, 'funcname')))
    .filter((name) => /(^|\.)pg_(try_)?advisory_/.test(name));
  return [...rows, ...tables, ...advisory];
}

function bareNamesOf(query: Tree): string[] {
  const local = new Set(nodes(query, 'CommonTableExpr').map((expression) => textAt(expression, 'ctename')));
  const relations = nodes(query, 'RangeVar')
    .filter((relation) => relation['schemaname'] === undefined)
    .map((relation) => textAt(relation, 'relname') ?? '')
    .filter((name) => !local.has(name));
  const functions = nodes(query, 'FuncCall')
    .map((call) => listAt(call, 'funcname'))
    .filter((names) => names.length === 1)
    .map(dotted);
  const types = ['TypeName', 'typeName'].flatMap((kind) => nodes(query, kind)).map((type) => dotted(listAt(type, 'names')));
  return [...relations, ...functions, ...bareTypesOf(types)];
}

/** Types of the variables of a PL/pgSQL body, as written. */
function typesOf(body: Tree): string[] {
  return nodes(body, 'PLpgSQL_type').map((type) => textAt(type, 'typname') ?? '');
}

/** Those of some type names that name no schema: `walk`, `walk[]`, `walk%rowtype`, `target_heads.version%type`. */
function bareTypesOf(types: string[]): string[] {
  return types.map((type) => type.replace(/(\.\w+%type|%rowtype|\[.*)$/i, '')).filter((type) => !type.includes('.'));
}

function commentOf(statement: Tree | undefined): Routine['comments'] {
  const comment = at(statement, 'CommentStmt');
  if (comment === undefined) return [];
  const object = at(comment, 'object', 'ObjectWithArgs');
  const text = textAt(comment, 'comment') ?? '';
  if (object === undefined) return [{ name: dotted(listAt(comment, 'object', 'List', 'items')), types: [], text }];
  return [
    { name: dotted(listAt(object, 'objname')), types: listAt(object, 'objargs').map((type) => typeName(at(type, 'TypeName'))), text },
  ];
}

function typeName(type: Tree | undefined): string {
  const name = dotted(listAt(type, 'names')).replace(/^pg_catalog\./, '');
  return name + '[]'.repeat(listAt(type, 'arrayBounds').length);
}

function relationName(relation: Tree | undefined): string {
  return `${textAt(relation, 'schemaname') ?? ''}.${textAt(relation, 'relname') ?? ''}`;
}

function headerOf(text: string): string {
  const lines = text.split('\n');
  const opening = lines.findIndex((line) => /^create\b/i.test(line));
  let first = opening;
  while (first > 0 && lines[first - 1]!.startsWith('--')) first -= 1;
  return lines
    .slice(first, opening)
    .map((line) => line.replace(/^--\s?/, ''))
    .join('\n')
    .trim();
}

/** The parser counts bytes; answers the 1-based line of a byte offset. */
function lineFinder(text: string): (byte: number) => number {
  const bytes = Buffer.from(text);
  return (byte) => bytes.subarray(0, byte).filter((unit) => unit === 0x0a).length + 1;
}
