import { takeCodePoints } from '../text/index.ts';

/** Code points of a text shown to a reader, and characters that they may take when escaped. */
const SHOWN_POINTS = 256;
const SHOWN_CHARS = 512;
/** Units shown before the first difference of two long texts. */
const BEFORE = 64;

/**
 * Two texts side by side in printable ASCII, everything else escaped, so that what looks alike no longer does. At most 256
 * code points and 512 characters each, besides the dots that stand for what is left out; of longer texts the surroundings of
 * the first difference.
 */
export function showPair(expected: string, actual: string): { expected: string; actual: string } {
  const from = windowStart(expected, actual);
  return { expected: escapeText(expected, from), actual: escapeText(actual, from) };
}

/** The unit at which a window on the first difference begins: 0 when both texts can be shown whole. */
export function windowStart(expected: string, actual: string): number {
  if (fits(expected) && fits(actual)) return 0;
  let unit = 0;
  while (unit < expected.length && expected.charCodeAt(unit) === actual.charCodeAt(unit)) unit++;
  const from = Math.max(0, unit - BEFORE);
  return (expected.charCodeAt(from) & 0xfc00) === 0xdc00 ? from - 1 : from;
}

/** `U+00A0` for one code point. */
export function pointName(char: string): string {
  return `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

function fits(text: string): boolean {
  return text.length <= SHOWN_POINTS;
}

function escapeText(text: string, from: number): string {
  let out = '';
  let unit = from;
  for (const char of takeCodePoints(text.slice(from, from + 2 * SHOWN_POINTS), SHOWN_POINTS)) {
    const escaped = escapePoint(char);
    if (out.length + escaped.length > SHOWN_CHARS) break;
    out += escaped;
    unit += char.length;
  }
  return `${from > 0 ? '...' : ''}${out}${unit < text.length ? '...' : ''}`;
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
