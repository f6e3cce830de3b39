import { codePointLength, firstInvalidUtf8 } from '../../text/index.ts';
import type { JsonObject } from '../../transaction/index.ts';
import { isJsonObject } from '../common/arguments.ts';
import { scanJson } from './json-scan.ts';
import { kindOf } from '../common/value-kind.ts';

/**
 * One JSON object out of a file's bytes, taken as it is written or not at all: nothing is repaired or rounded, and no key is lost. Lone
 * surrogate escapes are JSON and pass; what they mean is the decoder's business. `words` say the place and the rule.
 */
export function readJsonObject(bytes: Buffer): { ok: true; value: JsonObject } | { ok: false; words: string } {
  const invalid = firstInvalidUtf8(bytes);
  if (invalid < bytes.length) {
    const byte = (bytes[invalid] ?? 0).toString(16).padStart(2, '0');
    return { ok: false, words: `byte ${String(invalid)} (0x${byte}) is not UTF-8` };
  }
  const text = bytes.toString('utf8');
  if (text.startsWith('\u{FEFF}')) return { ok: false, words: 'it begins with a byte order mark; save it without' };
  const fault = scanJson(text);
  if (fault !== null) return { ok: false, words: `${placeOf(text, fault.at)}: ${fault.rule}` };
  const value: unknown = JSON.parse(text);
  if (isJsonObject(value)) return { ok: true, value };
  return { ok: false, words: `one JSON object is expected, not ${kindOf(value)}` };
}

/** 1-based; columns count code points. */
function placeOf(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const line = text.slice(0, start).split('\n').length;
  return `line ${String(line)}, column ${String(codePointLength(text.slice(start, at)) + 1)}`;
}
