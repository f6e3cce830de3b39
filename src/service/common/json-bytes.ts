import type { JsonValue } from '../../transaction/index.ts';

/** UTF-8 bytes of a value's JSON, as the text part of a result has them. */
export function jsonBytes(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value), 'utf8');
}

/** UTF-8 bytes that a text takes inside a JSON string, without the quotes. */
export function insideBytes(text: string): number {
  return jsonBytes(text) - 2;
}
