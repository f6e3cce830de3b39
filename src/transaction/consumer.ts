import { countOccurrences } from '../text/index.ts';
import { PieceBuffer } from './buffer.ts';

/** One applied change: [from, to) in units of the buffer at that change. `same`: the replacement equals what it replaced. */
export interface Splice {
  from: number;
  to: number;
  replacement: string;
  same: boolean;
}

/**
 * Position of the first splice after which the text no longer occurs. The text must occur in the starting text and not after
 * the last splice. Reads the starting text once and then only the surroundings of each splice.
 */
export function consumerOf(start: string, wanted: string, splices: readonly Splice[]): number {
  const buffer = new PieceBuffer(start);
  const reach = wanted.length - 1;
  let count = countOccurrences(start, wanted);
  for (const [position, { from, to, replacement, same }] of splices.entries()) {
    if (same) continue;
    // Occurrences inside these windows are exactly the ones that touch the splice.
    count -= countOccurrences(buffer.slice(from - reach, to + reach), wanted);
    buffer.splice(from, to, replacement);
    count += countOccurrences(buffer.slice(from - reach, from + replacement.length + reach), wanted);
    if (count === 0) return position;
  }
  throw new RangeError('the text still occurs');
}
