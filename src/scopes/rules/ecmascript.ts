import type { Node } from 'web-tree-sitter';
import { count, field, named, type Found, type LanguageRules, type Rule } from './rule.ts';

const FUNCTIONS = ['arrow_function', 'function_expression', 'generator_function'];
const EXPORTED_VALUES = ['call_expression', 'new_expression', 'array', 'parenthesized_expression', 'as_expression', 'satisfies_expression'];
const MODULE_DEPTH = 3;
/** Calls around a function that are looked through. */
const MOST_CALLS = 4;

/** What a name holds: the same function, class or object whether it is declared or assigned. */
function held(value: Node | null, functionKind: string, name: string | null): Found | null {
  const bare = unwrapped(value);
  if (bare === null) return null;
  if (FUNCTIONS.includes(bare.type)) return { kind: functionKind, name };
  if (bare.type === 'class') return { kind: 'class', name };
  return bare.type === 'object' ? { kind: 'object', name, onlyAsParent: true } : wrappedFunction(bare, functionKind, name);
}

/** Without parentheses and what TypeScript says about the type. */
function unwrapped(value: Node | null): Node | null {
  let bare = value;
  while (
    bare !== null &&
    ['parenthesized_expression', 'as_expression', 'satisfies_expression', 'non_null_expression'].includes(bare.type)
  ) {
    bare = bare.namedChild(0);
  }
  return bare;
}

/** A function handed to calls whose result the name holds: `useCallback(async () => …, [])`, `memo(forwardRef(() => …))`. */
function wrappedFunction(value: Node, kind: string, name: string | null): Found | null {
  let inner: Node | null = value;
  for (let calls = 0; calls < MOST_CALLS && inner?.type === 'call_expression'; calls += 1) {
    inner = unwrapped(inner.childForFieldName('arguments')?.namedChild(0) ?? null);
  }
  return inner !== null && FUNCTIONS.includes(inner.type) ? { kind, name } : null;
}

const variable: Rule = (node, { within, depth }) => {
  const name = field(node, 'name');
  const found = held(node.childForFieldName('value'), 'function', name);
  const top = (within === null && depth <= MODULE_DEPTH) || within === 'namespace';
  return top && (found === null || found.onlyAsParent === true) ? { kind: found === null ? 'variable' : 'object', name } : found;
};

/** `exports.run = function () {}`, `Foo.prototype.bar = …`; a local that is assigned something else is none. */
const assignment: Rule = (node) => held(node.childForFieldName('right'), 'function', field(node, 'left'));

const pair: Rule = (node) => held(node.childForFieldName('value'), 'method', key(field(node, 'key')));

/** A key without its quotes. */
function key(text: string | null): string | null {
  return text !== null && /^(['"]).*\1$/s.test(text) ? text.slice(1, -1) : text;
}

const member =
  (nameField: string): Rule =>
  (node) => {
    const name = key(field(node, nameField));
    const found = held(node.childForFieldName('value'), 'method', name);
    return found?.onlyAsParent === true ? { kind: 'object', name } : (found ?? { kind: 'field', name });
  };

const method: Rule = (node) => ({ kind: 'method', name: key(field(node, 'name')) });

/** What `export default` names though it is no declaration: `defineConfig({ … })`, `[ … ]`, `{ … } satisfies Options`. */
const exportedValue: Rule = (node) => {
  const value = node.childForFieldName('value');
  if (value === null || !EXPORTED_VALUES.includes(value.type)) return null;
  return { kind: held(value, 'function', null)?.kind ?? 'variable', name: 'default' };
};

/** A function or class that only `export default` names; anywhere else one without a name is no scope. */
const anonymous =
  (kind: string): Rule =>
  (node, { parentType }) =>
    parentType === 'export_statement' && node.childForFieldName('name') === null
      ? { kind, name: 'default' }
      : namedExpression(kind, node, parentType);

function namedExpression(kind: string, node: Node, parentType: string): Found | null {
  return parentType === 'export_statement' ? { kind, name: field(node, 'name') } : null;
}

/** A declaration without a name stands only behind `export default`. */
const declared =
  (kind: string): Rule =>
  (node) => ({ kind, name: field(node, 'name') ?? 'default' });

const oneDeclarator = (node: Node): boolean => count(node, 'variable_declarator') === 1;

export const javascript: LanguageRules = {
  scopes: {
    function_declaration: declared('function'),
    generator_function_declaration: declared('function'),
    class_declaration: declared('class'),
    arrow_function: anonymous('function'),
    function_expression: anonymous('function'),
    generator_function: anonymous('function'),
    class: anonymous('class'),
    object: (_, { parentType }) => (parentType === 'export_statement' ? { kind: 'object', name: 'default' } : null),
    method_definition: method,
    export_statement: exportedValue,
    variable_declarator: variable,
    assignment_expression: assignment,
    pair,
    field_definition: member('property'),
    class_static_block: () => ({ kind: 'static-block', name: 'static' }),
  },
  wrappers: {
    export_statement: true,
    lexical_declaration: oneDeclarator,
    variable_declaration: oneDeclarator,
    expression_statement: true,
  },
  comments: ['comment'],
  attributes: { decorator: true },
  terminated: [
    'field_definition',
    'public_field_definition',
    'method_definition',
    'property_signature',
    'method_signature',
    'abstract_method_signature',
    'call_signature',
    'index_signature',
    'construct_signature',
  ],
};

export const typescript: LanguageRules = {
  ...javascript,
  scopes: {
    ...javascript.scopes,
    abstract_class_declaration: declared('class'),
    interface_declaration: named('interface'),
    enum_declaration: named('enum'),
    type_alias_declaration: named('type'),
    internal_module: named('namespace'),
    ambient_declaration: (node) => (node.children.some(({ type }) => type === 'global') ? { kind: 'namespace', name: 'global' } : null),
    module: (node) => ({ kind: 'namespace', name: key(field(node, 'name')) }),
    function_signature: declared('function'),
    method_signature: method,
    abstract_method_signature: method,
    public_field_definition: member('name'),
    property_signature: (node, { within }) => (within === 'interface' ? { kind: 'field', name: key(field(node, 'name')) } : null),
  },
  wrappers: { ...javascript.wrappers, ambient_declaration: true },
};
