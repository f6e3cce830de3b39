import { takeCodePoints } from '../text/index.ts';

/** Code points of a text shown to a reader. */
const SHOWN = 256;

/** Printable ASCII with everything else escaped, so that what looks alike no longer does; cut after 256 code points. */
export function escapeText(text: string): string {
  const shown = takeCodePoints(text, SHOWN);
  let out = '';
  for (const char of shown) out += escapePoint(char);
  return shown.length < text.length ? `${out}...` : out;
}

/** `U+00A0` for one code point. */
export function pointName(char: string): string {
  return `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

function escapePoint(char: string): string {
  switch (char) {
    case '\n':
      return '\\n';
    case '\t':
      return '\\t';
    case '\r':
      return '\\r';
    case '\\':
      return '\\\\';
  }
  const point = char.codePointAt(0)!;
  if (point >= 0x20 && point < 0x7f) return char;
  const hex = point.toString(16).toUpperCase();
  return point > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}
