/**
 * Bounds of one discovery. All but the last, a clock, are counts of the text, so the same text gets the same answer on every machine.
 * What exceeds one of them is answered with plain regions and the reason.
 */
export const LIMITS = {
  /** Scopes within one another. */
  scopeDepth: 400,
  /** Syntax within syntax: a sum of many terms is as deep as it has terms. */
  treeDepth: 10_000,
  /** Nodes of the syntax tree that are visited. */
  nodes: 4_000_000,
  scopes: 100_000,
  /** UTF-16 units of all qualified paths. */
  pathUnits: 1 << 25,
  /** Calls that the parser makes about once in a hundred steps: a plain text takes about 8 for 1,024 units, a dense one 26. */
  steps: (units: number): number => 8_000 + Math.floor(units / 16),
  /** UTF-16 units that the parser reads: a plain text is read not quite twice, a scanner that looks far ahead at each step without end. */
  unitsRead: (units: number): number => (1 << 20) + 16 * units,
  /** Regions of a fallback; paragraphs are joined until they are no more. */
  regions: 20_000,
  /** UTF-16 units of a qualified path before `#2`: an observation holds 4,096 code points. */
  path: 4_000,
  /** Code points of a name. */
  name: 120,
  /**
   * Only against a parser that does not come back. Some grammars recover from a few thousand units of brackets and operators without
   * end and without a count that tells; whoever waits for a listing, and for the regions in its place, is answered within 30 seconds.
   */
  lostMilliseconds: (units: number): number => Math.min(28_000, 8_000 + Math.floor(units / 32)),
} as const;
