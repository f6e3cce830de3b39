/** Columns [start, start + length) of the text, each of them at least `least` away from the query and one of them just so far. */
export const WINDOW_FIELDS = 3;

/**
 * One text and one query, made ready to be searched. Column j is the text's code point j; what ends with it ends at j + 1.
 * The kernel and its twin are two engines: what they answer may differ in windows, never in the hits selected from them.
 */
export interface Engine {
  /** Code points of the text; a lone surrogate is one. */
  readonly length: number;
  /** Code points of the query. */
  readonly rows: number;
  /**
   * Windows (start, length, least) of the first `columns` columns, in any order: every column at a distance of at most
   * `bound` lies in one, unless three hits no worse than some smaller distance are certain, which then bounds the windows.
   */
  scan(columns: number, bound: number): Scan;
  /** Distance of the query to the best text that ends with each column of [from, to) and begins at `from` or later. At most 1,024 columns; valid until the next call. */
  distances(from: number, to: number): Uint16Array;
  /** Start of the text that ends at `end` at exactly `distance`: of lengths, the nearest the query's; of two, the longer. Not below `low`. */
  start(end: number, distance: number, low: number): number;
  /** Gives back what the engine holds; nothing may be asked of it afterwards. */
  close(): void;
}

export interface Scan {
  /** Windows, WINDOW_FIELDS numbers each; valid until the next call. */
  windows: Int32Array;
  /** Cells computed, in columns × rows of a block: for tests, it depends on the engine. */
  computed: number;
}
