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

/** Why the text was not where it was expected (docs/spec/near-misses.md). */
export type ExplanationKind =
  /** The same text in another form, from the narrowest respect to the widest. */
  | 'line_ending'
  | 'final_newline'
  | 'trailing_whitespace'
  | 'indentation'
  | 'whitespace'
  | 'typography'
  | 'unicode_form'
  | 'unicode_compatibility'
  | 'case'
  | 'several'
  /** The same text with what a screen or a serialiser put into it. */
  | 'line_number_prefix'
  | 'diff_markers'
  | 'code_fence'
  | 'literal_escapes'
  | 'html_entities'
  /** The very text, but not there or not any more. */
  | 'elsewhere'
  | 'consumed'
  | 'already_replaced'
  | 'earlier_version';

/**
 * One cause, with the place where the text stands in spite of it. The place need not be one of the near misses:
 * eight spaces typed for two tabs are far apart in distance and the same text to a reader.
 * `start`, `end` (code points) and `line` are absent where nothing of the text is left in the buffer.
 */
export interface Explanation {
  kind: ExplanationKind;
  /** One or two sentences for a reader. */
  message: string;
  start?: number;
  end?: number;
  line?: number;
  /** What was asked for and what stands there: printable ASCII, everything else escaped, at most 256 code points and 512 characters. */
  expected: string;
  actual: string;
  /** Both texts as lists of code points (at most 64 each), where a form that looks alike is the cause. */
  code_points?: { expected: string[]; actual: string[] };
  /** `elsewhere`: code points from the place that was named to the one where the text stands (negative: before it). */
  shift?: number;
  /** `elsewhere`: exact occurrences in the buffer; counting stops at 1,000. */
  occurrence_count?: number;
  /** `earlier_version`: the last version known to hold the text. */
  version?: number;
  /** The change that took the text away: of this submission, or of the attempt `pdcp_log_id` with its `intent` (≤ 200 code points). */
  change_id?: string;
  pdcp_log_id?: string;
  intent?: string;
}

/** A span whose text, or neighbour, was another one. Offsets are code points of the buffer, the texts canonical. */
export interface ExpectedSpan {
  start: number;
  end: number;
  text: string;
  /** `''` where none was given. */
  before: string;
  after: string;
  /** Which of the three is the query. */
  differs: 'text' | 'before' | 'after';
}

/** The earlier change of the same submission that took the text away. */
export interface Consumer {
  changeId: string;
  /** It asked for the same replacement of the same text. */
  repeated: boolean;
  /** Where its replacement stands in the buffer, in code points; null when a later change touched it. */
  place: { start: number; end: number } | null;
}

export interface NearMissOptions {
  /** Work of the search in columns × blocks of 64 rows of the query: as much of the buffer is searched as it pays for. Default 2^26. */
  workCap?: number;
  /** The text that the failed change would have put there; found in the buffer, it says that the change was made already. */
  replacement?: string;
  /** Where the text was expected, when that was said. */
  span?: ExpectedSpan;
  consumer?: Consumer;
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
