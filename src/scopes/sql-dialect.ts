/** What the text of a script tells of the dialect it is written in, as far as the ends of its statements go. */
export interface Dialect {
  /** A backslash escapes in every quotation, `#` begins a comment, and `DELIMITER` lines say what ends a statement. */
  readonly mysql: boolean;
  /** Names stand in brackets, and blocks between BEGIN and END anywhere. */
  readonly brackets: boolean;
  /** A line of its own that ends a batch, at the place where such a line begins: `GO`, or `/`. */
  readonly separator: RegExp | null;
}

const MYSQL =
  /^[ \t]*delimiter[ \t]+\S|\bengine[ \t]*=[ \t]*(?:innodb|myisam|memory)\b|\b(?:table|into|exists|database|use|definer[ \t]*=)[ \t]*`/im;
const GO = /^[ \t]*go[ \t]*\r?$/im;
const SLASH = /^\/[ \t]*\r?$/m;

/** Linear. */
export function dialectOf(text: string): Dialect {
  const brackets = GO.test(text);
  return {
    mysql: MYSQL.test(text),
    brackets,
    separator: brackets ? /go(?:[ \t]+\d+)?[ \t]*\r?(?=\n|$)/iy : SLASH.test(text) ? /\/[ \t]*\r?(?=\n|$)/y : null,
  };
}

/** What a conflict left, what SQLite's shell takes, and what says how a statement ends. */
const CONFLICT = /(?:[<>|]{7}|={7})(?:[ \r][^\n]*)?(?=\n|$)/y;
const SHELL = /\.[a-z][^\n]*/iy;
const DELIMITER = /delimiter[ \t]+(\S+)[^\n]*/iy;

/** A line that belongs to no statement. */
export interface LineApart {
  readonly length: number;
  /** What ends a statement from here on. */
  readonly delimiter: string | null;
  /** Whether it ends the statement that stands open. */
  readonly ends: boolean;
}

/** The line apart whose first unit, behind its blanks, stands at `at`; null: the line is one of a statement. */
export function lineApart(text: string, at: number, { mysql, separator }: Dialect, open: boolean): LineApart | null {
  for (const pattern of separator === null ? [CONFLICT] : [CONFLICT, separator]) {
    pattern.lastIndex = at;
    const line = pattern.exec(text);
    if (line !== null) return { length: line[0].length, delimiter: null, ends: true };
  }
  if (open) return null;
  for (const pattern of mysql ? [SHELL, DELIMITER] : [SHELL]) {
    pattern.lastIndex = at;
    const line = pattern.exec(text);
    if (line !== null) return { length: line[0].length, delimiter: line[1] ?? null, ends: false };
  }
  return null;
}
