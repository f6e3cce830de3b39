import type { JsonValue, JsonObject } from './json.ts';

/**
 * Canonical JSON: keys sorted by code point, no spaces, non-ASCII as is. Equals Python's
 * `json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)` for integers and encodable strings.
 * Other numbers take their shortest round-trip form, non-finite ones become strings. Lone surrogates are escaped.
 * Iterative, so that depth is bounded by memory only. Undefined members are left out.
 */
export function encodeCanonical(value: JsonValue): string {
  return encode(value, JSON.stringify);
}

/** The same with every unit above U+007F escaped as `\uXXXX` (lower-case hex): any text survives it, unencodable text too. */
export function encodeAscii(value: JsonValue): string {
  return encode(value, asciiString);
}

/** Order of two texts by code point (UTF-16 order differs where astral text meets U+E000 and above). */
export function compareCodePoints(left: string, right: string): number {
  const limit = Math.min(left.length, right.length);
  for (let unit = 0; unit < limit; unit += 1) {
    if (left.charCodeAt(unit) === right.charCodeAt(unit)) continue;
    // Units that differ after a shared high half may belong to code points that begin with it.
    const start = unit > 0 && isHigh(left.charCodeAt(unit - 1)) ? unit - 1 : unit;
    return codeAt(left, start) - codeAt(right, start) || codeAt(left, unit) - codeAt(right, unit);
  }
  return left.length - right.length;
}

/** Own names of an object whose value is not undefined, sorted by code point. */
export function sortedNames(object: JsonObject): string[] {
  return Object.keys(object)
    .filter((name) => object[name] !== undefined)
    .sort(compareCodePoints);
}

interface Frame {
  /** Names of an object's members; null for an array. */
  names: string[] | null;
  values: JsonObject | JsonValue[];
  next: number;
  length: number;
}

function encode(value: JsonValue, quote: (text: string) => string): string {
  const out: string[] = [];
  const stack: Frame[] = [];
  const put = (item: JsonValue | undefined): void => {
    if (typeof item === 'string') out.push(quote(item));
    else if (typeof item === 'number') out.push(numberText(item));
    else if (item === null || item === undefined) out.push('null');
    else if (typeof item === 'boolean') out.push(item ? 'true' : 'false');
    else {
      const names = Array.isArray(item) ? null : sortedNames(item);
      stack.push({ names, values: item, next: 0, length: names === null ? (item as JsonValue[]).length : names.length });
      out.push(names === null ? '[' : '{');
    }
  };
  put(value);
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    if (frame.next === frame.length) {
      out.push(frame.names === null ? ']' : '}');
      stack.pop();
      continue;
    }
    if (frame.next > 0) out.push(',');
    const position = frame.next;
    frame.next += 1;
    if (frame.names === null) put((frame.values as JsonValue[])[position]);
    else {
      const name = frame.names[position] as string;
      out.push(quote(name), ':');
      put((frame.values as JsonObject)[name]);
    }
  }
  return out.join('');
}

function numberText(value: number): string {
  return Number.isFinite(value) ? String(value === 0 ? 0 : value) : JSON.stringify(String(value));
}

function asciiString(text: string): string {
  // The callback returns plain text: nothing of the caller's is read as a replacement pattern.
  return JSON.stringify(text).replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function codeAt(text: string, unit: number): number {
  return text.codePointAt(unit) ?? -1;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
