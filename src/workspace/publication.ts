import { isEncodable } from '../text/index.ts';
import { refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { sha256Of } from './source-facts.ts';
import type { SourceLineEndings } from './source-facts.ts';

export interface PublicationPlan {
  ok: true;
  bytes: Buffer;
  sha256: string;
}

const ENDS = { lf: '\n', crlf: '\r\n', cr: '\r', none: '\n' } as const;

/**
 * The bytes that a canonical text comes to on disk: every line end in the file's own style (LF when it had none), after a
 * byte order mark when it had one. A file of mixed endings is refused unless no line end is left to write.
 * Text that is not canonical is misuse and throws.
 */
export function planPublication(content: string, style: SourceLineEndings['style'], bom: boolean): PublicationPlan | Refusal {
  if (content.includes('\r') || !isEncodable(content)) throw new RangeError('a publication takes canonical text');
  let text = content;
  if (text.includes('\n')) {
    if (style === 'mixed') {
      return refuse(
        'mixed_line_endings',
        'The file on disk mixes line endings, and which line had which is not known; nothing is guessed.',
      );
    }
    const end = ENDS[style];
    if (end !== '\n') text = text.replaceAll('\n', () => end);
  }
  const bytes = Buffer.from(bom ? `\uFEFF${text}` : text, 'utf8');
  return { ok: true, bytes, sha256: sha256Of(bytes) };
}
