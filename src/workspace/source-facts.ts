import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { canonicalize, firstInvalidUtf8, lineEndingsOf, runsOf } from '../text/index.ts';
import type { EndingRun } from '../text/index.ts';

/** What the raw bytes looked like before canonicalisation; a byte order mark is counted with everything else. */
export interface SourceLineEndings {
  style: 'lf' | 'crlf' | 'cr' | 'mixed' | 'none';
  /** Ends of each kind; a CRLF counts once, as `crlf`. */
  lf: number;
  crlf: number;
  cr: number;
  /** True when canonicalisation changed a line end. */
  normalized: boolean;
  source_code_points: number;
  source_utf8_bytes: number;
  source_sha256: string;
}

export interface DecodedSource {
  ok: true;
  /** Canonical text: LF only, without the byte order mark. */
  content: string;
  bom: boolean;
  lineEndings: SourceLineEndings;
  /** The ending of each line where they are mixed; null in a uniform style, or when there are more runs than are kept. */
  eolRuns: EndingRun[] | null;
}

/** A fault at one byte of the source. */
export interface SourceFault {
  ok: false;
  code: 'invalid_utf8' | 'contains_nul';
  byteOffset: number;
}

/** More runs than this count as unknown endings: no file that people write changes its line ends a million times. */
const MOST_RUNS = 1_000_000;

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Decodes a file's bytes strictly: nothing is repaired, replaced or dropped but the byte order mark, which is recorded. */
export function decodeSource(bytes: Buffer): DecodedSource | SourceFault {
  if (!isUtf8(bytes)) return { ok: false, code: 'invalid_utf8', byteOffset: firstInvalidUtf8(bytes) };
  const nul = bytes.indexOf(0);
  if (nul >= 0) return { ok: false, code: 'contains_nul', byteOffset: nul };
  const bom = bytes.subarray(0, 3).equals(BOM);
  const text = bytes.toString('utf8', bom ? 3 : 0);
  const lineEndings = factsOf(bytes);
  const runs = lineEndings.style === 'mixed' ? runsOf(lineEndingsOf(text)) : null;
  const eolRuns = runs !== null && runs.length <= MOST_RUNS ? runs : null;
  return { ok: true, content: canonicalize(text), bom, lineEndings, eolRuns };
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function factsOf(bytes: Buffer): SourceLineEndings {
  let lf = 0;
  let crlf = 0;
  let cr = 0;
  let codePoints = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if ((byte & 0xc0) !== 0x80) codePoints++;
    if (byte === 0x0a) {
      if (i > 0 && bytes[i - 1] === 0x0d) crlf++;
      else lf++;
    } else if (byte === 0x0d && bytes[i + 1] !== 0x0a) cr++;
  }
  const kinds = (['lf', 'crlf', 'cr'] as const).filter((kind) => ({ lf, crlf, cr })[kind] > 0);
  return {
    style: kinds.length > 1 ? 'mixed' : (kinds[0] ?? 'none'),
    lf,
    crlf,
    cr,
    normalized: crlf + cr > 0,
    source_code_points: codePoints,
    source_utf8_bytes: bytes.length,
    source_sha256: sha256Of(bytes),
  };
}
