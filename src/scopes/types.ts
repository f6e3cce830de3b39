import type { Language } from './language.ts';

/** A named part of one text. Offsets are code points of the whole text, lines count from 1. */
export interface Scope {
  /** What it is: `function`, `class`, `key`, `section` … */
  readonly kind: string;
  /** Its name on one line, at most 120 code points; `(anonymous)` where the language gives none. */
  readonly name: string;
  /** The way from the outermost scope, `class Foo > method bar`; unique in its text: what would repeat ends in `#2`, `#3` … */
  readonly path: string;
  /** First code point. */
  readonly start: number;
  /** The code point after the last. */
  readonly end: number;
  readonly first_line: number;
  /** The line of the last code point. */
  readonly last_line: number;
  /** SHA-256 of its text in UTF-8, lower-case hex. */
  readonly sha256: string;
  /** Index in the same list of the scope around it; parents stand before their children. */
  readonly parent: number | null;
  /** Whether the parser met an error within it. */
  readonly has_errors: boolean;
}

/** What read the text. */
export interface Reader {
  readonly name: string;
  readonly version: string;
}

export interface Grammar extends Reader {
  /** Of the WebAssembly module. */
  readonly sha256: string;
}

/** Why plain regions stand in for scopes. */
export type FallbackReason =
  /** No language was named, and neither path nor first line tells one of ours. */
  | 'unknown_language'
  /** Scopes or syntax are nested deeper than is followed. */
  | 'too_deep'
  /** The parser needed more steps than a text of this length may take. */
  | 'too_many_steps'
  /** The syntax tree has more nodes than are visited. */
  | 'too_many_nodes'
  /** More scopes, or longer paths in sum, than one answer holds. */
  | 'too_many_scopes'
  /** The parser crashed or did not come back; it was replaced. */
  | 'parser_trapped'
  /** The parser or the grammar could not be loaded: the installation is not whole. */
  | 'parser_unavailable';

/** Where the parser met what it did not understand. */
export interface SyntaxErrors {
  readonly count: number;
  readonly first: { readonly offset: number; readonly line: number } | null;
}

/** The scopes of one text: a pure function of text, language, grammar and the rules of this version. */
export interface Discovery {
  readonly ok: true;
  readonly language: Language | null;
  readonly parser: Reader;
  /** Null when no grammar took part: Markdown, and every fallback. */
  readonly grammar: Grammar | null;
  /** True when `scopes` are plain regions: paragraphs or blocks of indented lines. */
  readonly fallback: boolean;
  readonly fallback_reason: FallbackReason | null;
  readonly has_errors: boolean;
  readonly errors: SyntaxErrors;
  /** In order of their start; of scopes that start together, the outer one first. */
  readonly scopes: readonly Scope[];
}

export interface Undiscovered {
  readonly ok: false;
  /** `invalid_text`: a NUL or a lone surrogate. `closed`: the engine was closed. */
  readonly reason: 'invalid_text' | 'closed';
}

/** A scope before assembly; offsets are UTF-16 units. */
export interface RawScope {
  kind: string;
  /** Null where the language gives none. */
  name: string | null;
  start: number;
  end: number;
  /** Index of the raw scope around it; −1 for none. */
  parent: number;
  hasErrors: boolean;
  /** Listed only when a scope stands in it. */
  onlyAsParent: boolean;
}

/** The result of one reading. */
export type Reading =
  | { readonly ok: true; readonly scopes: readonly RawScope[]; readonly errors: number; readonly firstError: number | null }
  | { readonly ok: false; readonly reason: FallbackReason };
