import type { Node } from 'web-tree-sitter';
import { child, field, type Found, type LanguageRules, type Rule } from './rule.ts';

const item = (index: number): Found => ({ kind: 'item', name: `[${index}]`, onlyAsParent: true });

const jsonItem: Rule = (_, { parentType, index }) => (parentType === 'array' ? item(index) : null);

export const json: LanguageRules = {
  scopes: {
    pair: (node) => ({ kind: 'key', name: unescaped(field(node, 'key')) }),
    object: jsonItem,
    array: jsonItem,
  },
  comments: ['comment'],
  countsItems: true,
};

/** A JSON string as the text it stands for, or as it is where it is none. */
function unescaped(text: string | null): string | null {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (typeof value !== 'string') return text;
    // An empty key is a name too.
    return value === '' ? text : value;
  } catch {
    return text;
  }
}

const yamlKey: Rule = (node) => ({ kind: 'key', name: unquoted(field(node, 'key')) });

export const yaml: LanguageRules = {
  scopes: {
    // The only document of a file is the file.
    document: (node, { index }) => (index === 0 && onlyOne(node) ? null : { kind: 'document', name: `[${index}]` }),
    block_mapping_pair: yamlKey,
    flow_pair: yamlKey,
    block_sequence_item: (_, { index }) => item(index),
  },
  comments: ['comment'],
  countsItems: true,
  indented: true,
};

/** Whether no other document follows; comments between documents stand beside them. */
function onlyOne(node: Node): boolean {
  let next = node.nextNamedSibling;
  while (next?.type === 'comment') next = next.nextNamedSibling;
  return next === null;
}

function unquoted(text: string | null): string | null {
  if (text?.startsWith('"') === true) return unescaped(text);
  return text !== null && /^'.*'$/s.test(text) ? text.slice(1, -1).replaceAll("''", "'") : text;
}

const tomlTable: Rule = (node) => ({ kind: 'table', name: child(node, 'bare_key', 'dotted_key', 'quoted_key')?.text ?? null });

/** The grammar counts the comment behind a value to it. */
const tomlPair: Rule = (node) => {
  const end = node.namedChildren.findLast(({ type }) => type !== 'comment')?.endIndex ?? node.endIndex;
  return { kind: 'key', name: unquoted(node.namedChild(0)?.text ?? null), end };
};

export const toml: LanguageRules = {
  scopes: {
    table: tomlTable,
    table_array_element: tomlTable,
    pair: tomlPair,
  },
  comments: ['comment'],
};

/** Elements without an end tag and without content. */
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));

/** Tag with the id, or else the first class, that its start tag gives. */
const element: Rule = (node) => {
  const tag = node.namedChild(0);
  const name = tag === null ? null : child(tag, 'tag_name');
  if (tag === null || name === null) return null;
  const [id, classes] = ['id', 'class'].map((wanted) => attributeOf(tag.namedChildren, wanted));
  const mark = id !== undefined ? `#${id}` : classes !== undefined ? `.${classes.trim().split(/\s+/)[0]!}` : '';
  const found = { kind: 'element', name: `${name.text}${mark}` };
  // The grammar counts the text behind a void element to it.
  return VOID.has(name.text.toLowerCase()) ? { ...found, end: tag.endIndex } : found;
};

function attributeOf(attributes: readonly { type: string; text: string }[], wanted: string): string | undefined {
  for (const { type, text } of attributes) {
    if (type !== 'attribute') continue;
    const equals = text.indexOf('=');
    const value = text.slice(equals + 1).replace(/^\s*["']?|["']?\s*$/g, '');
    if (equals > 0 && text.slice(0, equals).trim().toLowerCase() === wanted && value !== '') return value;
  }
  return undefined;
}

export const html: LanguageRules = {
  scopes: { element, script_element: element, style_element: element },
  comments: ['comment'],
};

/** What stands before the block. */
const cssHead =
  (kind: string): Rule =>
  (node) => ({ kind, name: /^[^{;]*/.exec(node.text)![0].trim() });

/** By all that stands before the block where the grammar does not take the whole of it as selectors. */
const cssRule: Rule = (node) => {
  const block = child(node, 'ERROR') === null ? null : child(node, 'block');
  return {
    kind: 'rule',
    name: block === null ? (child(node, 'selectors')?.text ?? null) : node.text.slice(0, block.startIndex - node.startIndex),
  };
};

export const css: LanguageRules = {
  scopes: {
    rule_set: cssRule,
    keyframes_statement: (node) => ({ kind: 'keyframes', name: child(node, 'keyframes_name')?.text ?? null }),
    ...Object.fromEntries(
      [
        'media_statement',
        'supports_statement',
        'at_rule',
        'import_statement',
        'namespace_statement',
        'charset_statement',
        'scope_statement',
      ].map((type) => [type, cssHead('at-rule')]),
    ),
  },
  comments: ['comment', 'js_comment'],
};
