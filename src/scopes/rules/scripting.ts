import type { Node } from 'web-tree-sitter';
import { child, field, named, namedWithin, type LanguageRules, type Rule } from './rule.ts';

/** A name that a module or class is given; within a function it is a local. */
const pythonName: Rule = (node, { within, parentType }) => {
  const left = node.childForFieldName('left');
  const top = within === null || within === 'class';
  if (!top || left === null || parentType !== 'expression_statement') return null;
  const names = left.type === 'pattern_list' || left.type === 'tuple_pattern' ? left.namedChildren : [left];
  if (!names.every(({ type }) => type === 'identifier')) return null;
  return { kind: within === null ? 'variable' : 'field', name: names.map(({ text }) => text).join(', ') };
};

export const python: LanguageRules = {
  scopes: {
    class_definition: named('class'),
    function_definition: namedWithin('function', 'method', ['class']),
    assignment: pythonName,
    type_alias_statement: (node) => ({ kind: 'type', name: field(node, 'left')?.split('[')[0] ?? null }),
  },
  wrappers: { decorated_definition: true, expression_statement: true },
  comments: ['comment'],
  indented: true,
};

/** Calls that take the method below or behind them: `private def …`, `sig { … }`. */
const RUBY_MODIFIERS = ['private', 'public', 'protected', 'module_function', 'private_class_method', 'public_class_method', 'memoize'];

/** `private` before a method, and whatever else takes nothing but a method: `helper_method def …`. */
const rubyModifier = (node: Node): boolean => {
  const taken = node.childForFieldName('arguments');
  if (taken?.namedChildCount !== 1 || node.childForFieldName('receiver') !== null) return false;
  return child(taken, 'method', 'singleton_method') !== null || RUBY_MODIFIERS.includes(field(node, 'method') ?? '');
};

export const ruby: LanguageRules = {
  scopes: {
    module: named('module'),
    class: named('class'),
    singleton_class: (node) => ({ kind: 'class', name: `<< ${field(node, 'value') ?? ''}` }),
    method: named('method'),
    singleton_method: (node) => ({ kind: 'method', name: `${field(node, 'object') ?? ''}.${field(node, 'name') ?? ''}` }),
    assignment: (node) => {
      const left = node.childForFieldName('left');
      const qualified = left?.type === 'scope_resolution' && left.childForFieldName('name')?.type === 'constant';
      return left !== null && (left.type === 'constant' || qualified) ? { kind: 'constant', name: left.text } : null;
    },
  },
  wrappers: { call: rubyModifier, argument_list: (_, wrapped) => wrapped },
  comments: ['comment'],
  attributes: { call: (node) => field(node, 'method') === 'sig' && node.childForFieldName('receiver') === null },
};

/** The variables of a property or constant declaration. */
const phpElements =
  (kind: string, type: string): Rule =>
  (node) => ({
    kind,
    name: node.namedChildren
      .filter((part) => part.type === type)
      .map((part) => field(part, 'name') ?? part.namedChild(0)?.text ?? '')
      .join(', '),
  });

export const php: LanguageRules = {
  scopes: {
    namespace_definition: (node) => (node.childForFieldName('body') === null ? null : { kind: 'namespace', name: field(node, 'name') }),
    class_declaration: named('class'),
    interface_declaration: named('interface'),
    trait_declaration: named('trait'),
    enum_declaration: named('enum'),
    function_definition: named('function'),
    method_declaration: named('method'),
    property_declaration: phpElements('field', 'property_element'),
    const_declaration: phpElements('constant', 'const_element'),
    assignment_expression: (node) => {
      const held = node.childForFieldName('right')?.type;
      return held === 'anonymous_function' || held === 'arrow_function' ? { kind: 'function', name: field(node, 'left') } : null;
    },
  },
  wrappers: { expression_statement: true },
  comments: ['comment'],
};

export const bash: LanguageRules = {
  scopes: {
    function_definition: named('function'),
    variable_assignment: (node, { within, depth, parentType }) =>
      within === null && (depth === 1 || parentType === 'declaration_command' || (depth === 2 && parentType === 'variable_assignments'))
        ? { kind: 'variable', name: field(node, 'name') }
        : null,
  },
  wrappers: {
    declaration_command: (node) =>
      child(node, 'variable_assignment') !== null && node.namedChildren.filter(({ type }) => type === 'variable_assignment').length === 1,
  },
  comments: ['comment'],
};

const SQL_KINDS: Record<string, string> = {
  create_table: 'table',
  create_view: 'view',
  create_materialized_view: 'view',
  create_function: 'function',
  create_procedure: 'procedure',
  create_index: 'index',
  create_trigger: 'trigger',
  create_type: 'type',
  create_schema: 'schema',
  create_sequence: 'sequence',
  create_extension: 'extension',
  create_role: 'role',
  create_database: 'database',
  create_policy: 'policy',
};

/** A statement by what it creates, else by its verb and the first relation that it names. */
const sqlStatement: Rule = (node) => {
  const body = node.namedChildren.findLast(({ type }) => type !== 'comment' && type !== 'marginalia') ?? null;
  const kind = body === null ? undefined : SQL_KINDS[body.type];
  const name = body === null ? null : ownName(body);
  if (body !== null && kind !== undefined) return { kind, name };
  const verb = /^[a-z]+(?:\s+(?:table|view|index|function|into|or\s+replace)\b)?/i.exec(node.text.slice(0, 200))?.[0];
  return { kind: 'statement', name: [verb?.toLowerCase() ?? body?.type, name].filter((word) => typeof word === 'string').join(' ') };
};

/** An index is named by its column, everything else by the first reference within, level by level. */
function ownName(body: Node): string | null {
  if (body.type === 'create_index' || body.type === 'create_schema')
    return field(body, 'column') ?? child(body, 'identifier')?.text ?? null;
  let level = [body];
  for (let depth = 0; depth < 6 && level.length > 0; depth += 1) {
    const found = level.find(({ type }) => type === 'object_reference');
    if (found !== undefined) return found.text;
    level = level.flatMap((part) => part.namedChildren.slice(0, 16));
  }
  return child(body, 'identifier')?.text ?? null;
}

export const sql: LanguageRules = {
  scopes: { statement: (node, place) => (place.within === null && place.parentType !== 'block' ? sqlStatement(node, place) : null) },
  comments: ['comment', 'marginalia'],
  terminated: ['statement'],
};
