declare global {
  interface String {
    /** In every supported runtime; the ES2023 library types lack it. */
    isWellFormed(): boolean;
  }
}

/** Canonical line ends: CRLF and a lone CR become LF. Free when the text has no CR. */
export function canonicalize(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** True when PostgreSQL text can hold it: well-formed Unicode without NUL. */
export function isEncodable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Exactly the contract's blanks: this list is the same in every layer, so `\s` (which adds U+FEFF) will not do. */
const BLANK = /^[\u0009-\u000D\u001C-\u0020\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]*$/;

/** True when the text is empty or holds nothing but blanks. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}
