/**
 * Units at which the lines begin. Only LF ends a line: `''` has 0 lines and a final LF adds none.
 * The end of line i is the start of line i + 1 (its LF included), the last one's is the text's length.
 */
export function lineStarts(text: string): number[] {
  const starts: number[] = [];
  let start = 0;
  while (start < text.length) {
    starts.push(start);
    const end = text.indexOf('\n', start);
    if (end < 0) break;
    start = end + 1;
  }
  return starts;
}

/** LFs in [from, to), in units. */
export function countLineFeeds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
