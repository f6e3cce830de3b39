/** One approximate occurrence of the query. Offsets are code points of the buffer; `end` is exclusive. */
export interface NearMiss {
  start: number;
  end: number;
  /** 1-based number of the line on which the occurrence starts; only LF ends a line. */
  line: number;
  /** Levenshtein distance over code points between the bounded query and the occurrence. */
  distance: number;
  /** 1 - distance / length of the bounded query, rounded to four decimals. */
  similarity: number;
  /** The occurrence, cut after 256 code points (`end` tells its real length). */
  text: string;
  /** The differing code points, query first, in one short line of printable ASCII. */
  diff: string;
}

/** Why an exact match failed, from the narrowest cause to the widest. */
export type ExplanationKind =
  | 'line_ending'
  | 'final_newline'
  | 'trailing_whitespace'
  | 'indentation'
  | 'whitespace'
  | 'case'
  | 'unicode_form'
  | 'typography'
  | 'line_number_prefix'
  | 'literal_escapes'
  | 'several'
  | 'already_replaced'
  | 'earlier_version';

/**
 * One cause, with the place where the text stands in spite of it. The place need not be one of the near misses:
 * eight spaces typed for two tabs are far apart in distance and the same text to a reader.
 * `start`, `end` (code points) and `line` are absent for `earlier_version`, whose text is not in this buffer.
 */
export interface Explanation {
  kind: ExplanationKind;
  message: string;
  start?: number;
  end?: number;
  line?: number;
  /** What was asked for and what stands there: printable ASCII, everything else escaped, at most 256 code points. */
  expected: string;
  actual: string;
  /** Both texts as lists of code points (at most 64 each), where a form that looks alike is the cause. */
  code_points?: { expected: string[]; actual: string[] };
  /** The version that still held the text, for `earlier_version`. */
  version?: number;
}

export interface NearMissOptions {
  /** Work of the search in columns × blocks of 64 rows of the query: as much of the buffer is searched as it pays for. Default 2^26. */
  workCap?: number;
  /** The text that the failed change would have put there; found in the buffer, it says that the change was made already. */
  replacement?: string;
  /** Earlier contents, newest first, in which the text may still occur. The caller bounds how many. */
  earlierVersions?: readonly { version: number; content: string }[];
}

export interface NearMissAnswer {
  /** False when the work cap ended the scan; the hits are then the best of the scanned part. */
  complete: boolean;
  /** Share of the buffer that was scanned, 0 to 1, rounded down to four decimals. */
  scanned_share: number;
  /** At most three, not overlapping, ordered by distance, then position. */
  near_misses: NearMiss[];
  explanation?: Explanation;
}
