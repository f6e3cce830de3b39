import type { Node } from 'web-tree-sitter';
import { child, field, named, withBody, type Found, type LanguageRules, type Rule } from './rule.ts';

const TYPES = ['class', 'struct', 'union', 'interface', 'record', 'enum'];
const NAMES = [
  'identifier',
  'field_identifier',
  'type_identifier',
  'qualified_identifier',
  'destructor_name',
  'operator_name',
  'operator_cast',
  'template_function',
];

/** What a declarator declares, through pointers, arrays and parameter lists: the name, and whether it is that of a function. */
function declared(declarator: Node | null): { name: string; isFunction: boolean } | null {
  let around = '';
  for (let node = declarator; node !== null;) {
    if (NAMES.includes(node.type)) {
      const name = node.type === 'operator_cast' ? node.text.split('(')[0]! : node.text;
      // In `(*f)(int)` a pointer stands around the name, in `(*f(int))(int)` a parameter list.
      return { name, isFunction: around === 'function_declarator' || node.type === 'operator_cast' };
    }
    if (node.type !== 'parenthesized_declarator') around = node.type;
    node =
      node.childForFieldName('declarator') ??
      child(node, ...NAMES, 'pointer_declarator', 'function_declarator', 'reference_declarator', 'array_declarator');
  }
  return null;
}

/** All that one declaration declares: `x, y` of `int x, y;`. */
function declaredBy(node: Node): { name: string | null; isFunction: boolean } {
  const all = node.childrenForFieldName('declarator').map(declared);
  const names = all.filter((one) => one !== null).map(({ name }) => name);
  return { name: names.length === 0 ? null : names.join(', '), isFunction: all.length > 0 && all.every((one) => one?.isFunction === true) };
}

/** `TEST(Suite, name) { … }`: a call of a macro, told apart by all that it is called with. */
function macroCall(node: Node): string | null {
  const declarator = node.childForFieldName('declarator');
  if (node.childForFieldName('type') !== null || declarator?.childForFieldName('declarator')?.type !== 'identifier') return null;
  const given = declarator.childForFieldName('parameters')?.namedChildren ?? [];
  return given.length > 0 && given.every((one) => one.childForFieldName('declarator') === null) ? declarator.text : null;
}

/** `class EXPORT Name : public Base { … }`, which the grammar takes for a function that is declared by its base. */
function exportedType(node: Node): Found | null {
  const type = node.childForFieldName('type');
  if (type === null || !/^(?:class|struct|union)_specifier$/.test(type.type) || type.childForFieldName('body') !== null) return null;
  const declarator = node.childForFieldName('declarator');
  if (declarator === null || declared(declarator)?.isFunction !== false) return null;
  // What the grammar passes over may stand before the declarator, with the name, or behind it.
  const passed = child(node, 'ERROR');
  const name = passed !== null && passed.startIndex < declarator.startIndex ? (passed.namedChild(0) ?? declarator) : declarator;
  return name.type === 'identifier' ? { kind: type.type.slice(0, -'_specifier'.length), name: name.text } : null;
}

const definition: Rule = (node, { within }) =>
  within !== null && TYPES.includes(within)
    ? { kind: 'method', name: declaredBy(node).name }
    : (exportedType(node) ?? { kind: 'function', name: macroCall(node) ?? declaredBy(node).name });

/** A type with a body; one without a name that a `typedef` names is the typedef's. */
const specifier =
  (kind: string): Rule =>
  (node, { parentType }) => {
    if (node.childForFieldName('body') === null) return null;
    const name = field(node, 'name');
    return name === null && parentType === 'type_definition' ? null : { kind, name };
  };

const MEMBERS_OF = ['class', 'struct', 'union'];

/** Prototypes and variables of a file or namespace; a declaration that defines a type is that type's. */
const declaration: Rule = (node, { within }) => {
  if (within !== null && within !== 'namespace' && !MEMBERS_OF.includes(within)) return null;
  const { name, isFunction } = declaredBy(node);
  if (isFunction) return { kind: within !== null && MEMBERS_OF.includes(within) ? 'method' : 'prototype', name };
  return name === null ? null : { kind: within !== null && MEMBERS_OF.includes(within) ? 'field' : 'variable', name };
};

const member: Rule = (node) => {
  const { name, isFunction } = declaredBy(node);
  return name === null ? null : { kind: isFunction ? 'method' : 'field', name };
};

export const c: LanguageRules = {
  scopes: {
    function_definition: definition,
    struct_specifier: specifier('struct'),
    union_specifier: specifier('union'),
    enum_specifier: specifier('enum'),
    type_definition: (node) => ({ kind: 'type', name: declaredBy(node).name }),
    preproc_function_def: named('macro'),
    preproc_def: (node) => (node.childForFieldName('value') === null ? null : { kind: 'macro', name: field(node, 'name') }),
    declaration,
    field_declaration: member,
  },
  comments: ['comment'],
  terminated: ['struct_specifier', 'union_specifier', 'enum_specifier', 'class_specifier', 'function_definition', 'namespace_definition'],
};

export const cpp: LanguageRules = {
  scopes: {
    ...c.scopes,
    namespace_definition: named('namespace'),
    class_specifier: specifier('class'),
    alias_declaration: named('type'),
    concept_definition: named('concept'),
  },
  wrappers: {
    template_declaration: true,
    friend_declaration: true,
    linkage_specification: (node) => node.childForFieldName('body')?.type !== 'declaration_list',
  },
  comments: ['comment'],
  ...(c.terminated === undefined ? {} : { terminated: c.terminated }),
};

const declarations = (kinds: readonly string[]): Record<string, Rule> =>
  Object.fromEntries(kinds.map((kind) => [`${kind}_declaration`, named(kind)]));

/** A field of one name, or of several at once. */
const javaField: Rule = (node) => ({
  kind: 'field',
  name: node
    .childrenForFieldName('declarator')
    .map((declarator) => field(declarator, 'name'))
    .join(', '),
});

export const java: LanguageRules = {
  scopes: {
    ...declarations(['class', 'interface', 'enum', 'record', 'method', 'constructor']),
    compact_constructor_declaration: named('constructor'),
    annotation_type_declaration: named('annotation'),
    annotation_type_element_declaration: named('method'),
    field_declaration: javaField,
    constant_declaration: javaField,
    static_initializer: () => ({ kind: 'static-block', name: 'static' }),
  },
  comments: ['line_comment', 'block_comment'],
};

const csharpField =
  (kind: string): Rule =>
  (node) => {
    const names = (child(node, 'variable_declaration')?.namedChildren ?? []).filter(({ type }) => type === 'variable_declarator');
    return { kind, name: names.map((declarator) => field(declarator, 'name')).join(', ') };
  };

export const csharp: LanguageRules = {
  scopes: {
    ...declarations([
      'namespace',
      'class',
      'interface',
      'struct',
      'enum',
      'record',
      'method',
      'constructor',
      'property',
      'delegate',
      'event',
    ]),
    destructor_declaration: (node) => ({ kind: 'destructor', name: `~${field(node, 'name') ?? ''}` }),
    indexer_declaration: () => ({ kind: 'indexer', name: 'this' }),
    operator_declaration: (node) => ({ kind: 'operator', name: field(node, 'operator') }),
    conversion_operator_declaration: (node) => ({ kind: 'operator', name: field(node, 'type') }),
    local_function_statement: named('function'),
    field_declaration: csharpField('field'),
    event_field_declaration: csharpField('event'),
  },
  wrappers: { global_statement: true },
  comments: ['comment'],
};

const goMethod: Rule = (node) => {
  const type = /([\p{L}_][\p{L}\p{N}_]*)\s*(?:\[[^\]]*\]\s*)?,?\s*\)$/u.exec(field(node, 'receiver') ?? '');
  return { kind: 'method', name: `${type === null ? '' : `${type[1]!}.`}${field(node, 'name') ?? ''}` };
};

const GO_TYPES: Record<string, string> = { struct_type: 'struct', interface_type: 'interface' };
const oneGoSpec = (node: Node): boolean => !node.children.some((part) => part?.type === '(' || part?.type === 'var_spec_list');

/** The names that one specification or field declares. */
const goNames = (node: Node): string | null => {
  const names = node.childrenForFieldName('name').filter((name) => name.isNamed);
  return names.length === 0 ? null : names.map((name) => name.text).join(', ');
};

const goTop =
  (kind: string): Rule =>
  (node, { within }) =>
    within === null ? { kind, name: goNames(node) } : null;

export const go: LanguageRules = {
  scopes: {
    function_declaration: named('function'),
    method_declaration: goMethod,
    type_spec: (node) => ({ kind: GO_TYPES[node.childForFieldName('type')?.type ?? ''] ?? 'type', name: field(node, 'name') }),
    type_alias: named('type'),
    method_elem: named('method'),
    // One without a name is an embedded type.
    field_declaration: (node, { within }) =>
      within === 'struct' && goNames(node) !== null ? { kind: 'field', name: goNames(node) } : null,
    const_spec: goTop('constant'),
    var_spec: goTop('variable'),
  },
  wrappers: { type_declaration: oneGoSpec, const_declaration: oneGoSpec, var_declaration: oneGoSpec },
  comments: ['comment'],
};

/** `impl !Sync for …`. */
const negative = (node: Node): boolean => node.children.some(({ type }) => type === '!');

export const rust: LanguageRules = {
  scopes: {
    mod_item: withBody('module'),
    struct_item: named('struct'),
    enum_item: named('enum'),
    union_item: named('union'),
    trait_item: named('trait'),
    impl_item: (node) => {
      const trait = field(node, 'trait');
      return { kind: 'impl', name: `${trait === null ? '' : `${negative(node) ? '!' : ''}${trait} for `}${field(node, 'type') ?? ''}` };
    },
    function_item: (node, { within }) => ({
      kind: within === 'impl' || within === 'trait' ? 'method' : 'function',
      name: field(node, 'name'),
    }),
    function_signature_item: (node, { within }) => ({ kind: within === 'trait' ? 'method' : 'function', name: field(node, 'name') }),
    macro_definition: named('macro'),
    type_item: named('type'),
    associated_type: named('type'),
    const_item: named('constant'),
    static_item: named('variable'),
    field_declaration: (node, { within }) => (within === 'enum' ? null : { kind: 'field', name: field(node, 'name') }),
  },
  comments: ['line_comment', 'block_comment'],
  attributes: { attribute_item: true },
};
