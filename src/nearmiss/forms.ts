/**
 * The respects in which two texts may differ and still be the same to a reader, each as a function that takes the difference
 * away. Every one maps code points on its own or canonical forms on theirs, so that the claim "only this differs" is an equality.
 */

/** Look-alikes and the plain ASCII that people type for them; spaces, dashes and invisible characters go by their class. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ...pairs('\u2018\u2019\u201A\u201B\u2032\u2035\u2039\u203A\u02B9\u02BB\u02BC\u00B4', "'"),
  ...pairs('\u201C\u201D\u201E\u201F\u2033\u2036\u00AB\u00BB\u02BA\u301D\u301E\u301F', '"'),
  ['\u2212', '-'],
  ['\u2026', '...'],
]);

const ASCII_ONLY = /^[\0-\x7f]*$/;
const NON_ASCII = /[^\0-\x7f]/gu;
/** Canonical order is found by insertion, so a run of marks costs its square; real text has a handful. */
const LONG_MARK_RUN = /\p{M}{33}/u;
/** Characters whose forms are kept at a time: more than a text of any language has. */
const KEPT = 4096;

/** True for a combining mark, which belongs to the character before it. */
export const isMark = remembered((char) => /^\p{M}/u.test(char));

const plainChar = remembered((char) => {
  const plain = PLAIN.get(char);
  if (plain !== undefined) return plain;
  if (/\p{Zs}/u.test(char)) return ' ';
  if (/\p{Pd}/u.test(char)) return '-';
  return /\p{DI}/u.test(char) ? '' : char;
});

const plainFormOf = remembered((char) => {
  if (plainChar(char) !== char) return char;
  const plain = char.normalize('NFKC');
  return plain === char.normalize('NFC') ? char : plain;
});

const foldCaseOf = remembered((char) =>
  // The dotless i is a letter of its own, although its capital is the plain one.
  char === '\u0131' ? char : char.toLowerCase().toUpperCase().toLowerCase(),
);

/** Without blanks and line breaks. */
export function withoutBlanks(text: string): string {
  return text.replace(/[ \t\n\r\f\v]+/g, '');
}

/** Look-alike quotes, dashes, spaces and ellipses made plain, and what has no width left out. */
export function plainTypography(text: string): string {
  return ASCII_ONLY.test(text) ? text : text.replace(NON_ASCII, plainChar);
}

/** Full case folding, code point by code point (no rule of a language, no rule of position). */
export function foldCase(text: string): string {
  return ASCII_ONLY.test(text) ? text.toLowerCase() : text.replace(NON_ASCII, foldCaseOf).toLowerCase();
}

/** Canonical composition; a text with more than 32 combining marks in a row is left as it is. */
export function composed(text: string): string {
  return ASCII_ONLY.test(text) || LONG_MARK_RUN.test(text) ? text : text.normalize('NFC');
}

/** In which canonical form a text is; of one with a long run of marks that is not worth knowing. */
export function nameForm(text: string): string {
  if (!LONG_MARK_RUN.test(text)) {
    if (text === text.normalize('NFC')) return 'in composed form (NFC)';
    if (text === text.normalize('NFD')) return 'in decomposed form (NFD)';
  }
  return 'in neither NFC nor NFD';
}

/** Full-width, half-width, ligature, raised and similar forms as the characters they are forms of. */
export function plainForms(text: string): string {
  return ASCII_ONLY.test(text) ? text : text.replace(NON_ASCII, plainFormOf);
}

/** What is left of a code point under all respects at once; its accents go too, because they may stand beside it or in it. */
export function skeletonOf(char: string): string {
  return foldCase(plainChar(char).normalize('NFKD')).replace(/[\s\p{M}\p{DI}]/gu, '');
}

/** What a function says of a character, worked out once: one text is compared with every place that it may stand for. */
function remembered<T>(of: (char: string) => T): (char: string) => T {
  const known = new Map<string, T>();
  return (char) => {
    let value = known.get(char);
    if (value === undefined) {
      if (known.size === KEPT) known.clear();
      known.set(char, (value = of(char)));
    }
    return value;
  };
}

function pairs(chars: string, plain: string): [string, string][] {
  return Array.from(chars, (char) => [char, plain]);
}
