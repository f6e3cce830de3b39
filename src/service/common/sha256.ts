import { createHash } from 'node:crypto';

/** Lower-case hex SHA-256 of the text's UTF-8. The text must be well-formed: Node would hash U+FFFD for a lone surrogate. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
