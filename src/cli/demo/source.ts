import { readFileSync, statSync } from 'node:fs';
import { EXIT, ExitError } from '../exit.ts';

/** What the demo can work on; also said by its help. */
export const SOURCE_RULE =
  'a regular file of UTF-8 text without NUL, at most 16 MiB, with two lines or more, ' +
  'of which one near the start has words and occurs only once';

const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The line that the story changes: it occurs once in the file, ends in its first 4,000 code points (what one read returns), has
 * five letters or more; the longest of those up to 200 characters. Throws ExitError, before anything was started, for a file of no use.
 */
export function lineToEdit(file: string): string {
  const refuse = (what: string): never => {
    throw new ExitError(EXIT.workspace, `${file} ${what}; the demo takes ${SOURCE_RULE}`);
  };
  const status = statSync(file, { throwIfNoEntry: false });
  if (status === undefined) throw new ExitError(EXIT.workspace, `there is no file ${file}`);
  if (!status.isFile()) return refuse('is no regular file');
  if (status.size > MOST_BYTES) return refuse('is larger than 16 MiB');
  const text = decoded(file);
  if (text === null) return refuse('is not valid UTF-8');
  if (text.includes('\0')) return refuse('holds a NUL');
  return uniqueLine(text.replace(/\r\n?/g, '\n')) ?? refuse('has no line of words that occurs only once');
}

/** Without a byte order mark, as an import leaves it; null when it is no UTF-8. */
function decoded(file: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw new ExitError(EXIT.workspace, `${file} cannot be read: ${(error as Error).message}`);
  }
}

function uniqueLine(text: string): string | undefined {
  const read = [...text.slice(0, 8000)].slice(0, 4000).join('');
  return read
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.length <= 200 && (line.match(/\p{L}/gu)?.length ?? 0) >= 5)
    .filter((line) => text.indexOf(line) === text.lastIndexOf(line))
    .sort((one, other) => other.length - one.length)[0];
}
