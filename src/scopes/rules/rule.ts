import type { Node } from 'web-tree-sitter';

/** Where a node stands. */
export interface Place {
  /** The kind of the scope around it; null at the top. */
  readonly within: string | null;
  /** Nodes around it. */
  readonly depth: number;
  /** The type of the node around it. */
  readonly parentType: string;
  /** Its place among the named nodes beside it, comments apart, from 0. Counted only for a language that counts items. */
  readonly index: number;
}

/** A name of null is one that the source does not give. */
export interface Found {
  readonly kind: string;
  readonly name: string | null;
  /** Listed only when a scope stands in it. */
  readonly onlyAsParent?: boolean;
  /** Where it ends, in UTF-16 units, when that is before its node does. */
  readonly end?: number;
}

/** Whether a node is a scope, and which; null: it is none. */
export type Rule = (node: Node, place: Place) => Found | null;

/** Always, or when the node says so; `wrapped`: whether the node around it is a wrapper whose range it would pass on. */
export type Condition = true | ((node: Node, wrapped: boolean) => boolean);

/** What of one grammar's nodes makes scopes: the one table of a language. */
export interface LanguageRules {
  /** By node type. */
  readonly scopes: Readonly<Record<string, Rule>>;
  /**
   * Nodes that belong to the scope which is their direct child: `export`, `template <…>`, a declaration of one name. A predicate says
   * when there is no other candidate in it.
   */
  readonly wrappers?: Readonly<Record<string, Condition>>;
  /** Nodes that belong to the scope below them when only one line feed stands between. */
  readonly comments: readonly string[];
  /** Nodes that belong to the scope below them whatever blanks stand between: attributes, decorators beside what they decorate. */
  readonly attributes?: Readonly<Record<string, Condition>>;
  /** Node types that a `;` directly behind belongs to. */
  readonly terminated?: readonly string[];
  /** Whether a comment must be indented as the scope is to belong to it. */
  readonly indented?: boolean;
  readonly countsItems?: boolean;
}

/** The text of a field of a node; null without it. */
export function field(node: Node, name: string): string | null {
  return node.childForFieldName(name)?.text ?? null;
}

/** The first named child of one of these types. */
export function child(node: Node, ...types: string[]): Node | null {
  for (let at = 0; at < node.namedChildCount; at += 1) {
    const candidate = node.namedChild(at);
    if (candidate !== null && types.includes(candidate.type)) return candidate;
  }
  return null;
}

/** How many named children have one of these types. */
export function count(node: Node, ...types: string[]): number {
  return node.namedChildren.filter((candidate) => types.includes(candidate.type)).length;
}

/** A scope named by its field `name`. */
export const named =
  (kind: string): Rule =>
  (node) => ({ kind, name: field(node, 'name') });

/** The same, of another kind directly within scopes of these kinds. */
export const namedWithin =
  (kind: string, inner: string, kinds: readonly string[]): Rule =>
  (node, { within }) => ({ kind: within !== null && kinds.includes(within) ? inner : kind, name: field(node, 'name') });

/** A scope only when it has a body. */
export const withBody =
  (kind: string): Rule =>
  (node) =>
    node.childForFieldName('body') === null ? null : { kind, name: field(node, 'name') };
