import { canonicalize, countLineFeeds, spliceLineEndings } from '../text/index.ts';
import type { LineEnding, LineEndings } from '../text/index.ts';
import { PieceBuffer } from './buffer.ts';
import type { ChangeFact, Transaction } from './types.ts';

/**
 * The endings of the lines after a transaction was applied to `content`, whose lines end with `endings`. `changes` are the
 * facts of the application, in order; `otherwise` ends the lines of a text that has none to go by.
 * Cost: the text between one change and the next, so that changes from top to bottom read the document once.
 */
export function carryLineEndings(
  endings: LineEndings,
  content: string,
  { changes: asked }: Transaction,
  changes: readonly ChangeFact[],
  otherwise: LineEnding,
): LineEndings {
  const buffer = new PieceBuffer(content);
  let carried = endings;
  // A place whose line is known, from which the next one is counted.
  let unit = 0;
  let firstLine = 0;
  for (const [at, { operation, span_start: start, span_end: end }] of changes.entries()) {
    const from = buffer.atPoint(start).unit;
    const to = buffer.atPoint(end).unit;
    const passed = buffer.slice(Math.min(unit, from), Math.max(unit, from));
    const lines = countLineFeeds(passed, 0, passed.length);
    firstLine += from < unit ? -lines : lines;
    unit = from;
    const matched = buffer.slice(from, to);
    const replacement = canonicalize(asked[at]?.replace ?? '');
    if (matched === replacement) continue;
    const afterLineFeed = buffer.slice(from - 1, from) === '\n';
    const beforeLineFeed = buffer.slice(to, to + 1) === '\n';
    const wholeText = operation === 'replace_all';
    carried = spliceLineEndings(carried, { firstLine, matched, replacement, wholeText, afterLineFeed, beforeLineFeed }, otherwise);
    buffer.splice(from, to, replacement);
  }
  return carried;
}
