import { canonicalize, expandLineEndings, isEncodable } from '../text/index.ts';
import type { LineEnding, LineEndings } from '../text/index.ts';
import { sha256Of } from './source-facts.ts';

export interface PublicationPlan {
  bytes: Buffer;
  sha256: string;
}

/**
 * The bytes that a canonical text comes to on disk: every line with the one ending, or each with its own, after a byte order mark
 * when the file has one. Text that is not canonical, has not as many lines as endings, or would be read back as another text, is misuse and throws.
 */
export function planPublication(content: string, endings: LineEnding | LineEndings, bom: boolean): PublicationPlan {
  if (content.includes('\r') || !isEncodable(content)) throw new RangeError('a publication takes canonical text');
  const text = expandLineEndings(content, endings);
  if (canonicalize(text) !== content) throw new RangeError('a CR would stand right before an LF');
  const bytes = Buffer.from(bom ? `\uFEFF${text}` : text, 'utf8');
  return { bytes, sha256: sha256Of(bytes) };
}
