/** Walking parse trees as plain JSON: the parser's own type unions name hundreds of nodes, the rules look at a dozen. */

export type Tree = null | boolean | number | string | Tree[] | { [key: string]: Tree };
export type Branch = { [key: string]: Tree };

/** A value as a tree; the parser's answers are JSON by construction. */
export function tree(value: unknown): Tree {
  return value as Tree;
}

export function isBranch(value: Tree | undefined): value is Branch {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value under a path of keys, or undefined where the path breaks off. */
export function at(value: Tree | undefined, ...path: string[]): Tree | undefined {
  return path.reduce<Tree | undefined>((node, key) => (isBranch(node) ? node[key] : undefined), value);
}

export function textAt(value: Tree | undefined, ...path: string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(value: Tree | undefined, ...path: string[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

export function listAt(value: Tree | undefined, ...path: string[]): Tree[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Every node of the given kind (`{Kind: {…}}`) anywhere below, in document order. */
export function nodes(value: Tree | undefined, kind: string): Branch[] {
  if (Array.isArray(value)) return value.flatMap((item) => nodes(item, kind));
  if (!isBranch(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const deeper = nodes(inner, kind);
    if (key !== kind) return deeper;
    // A list under such a key (`lockingClause`) stands for its items.
    return Array.isArray(inner) ? [...inner.filter(isBranch), ...deeper] : isBranch(inner) ? [inner, ...deeper] : deeper;
  });
}

/** A qualified name, `schema.name`, from a list of String nodes. */
export function dotted(names: Tree[]): string {
  return names.map((name) => textAt(name, 'String', 'sval') ?? '?').join('.');
}
