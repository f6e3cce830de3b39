import type { Hit } from '../../src/nearmiss/select.ts';

/** The definition itself, by the plain dynamic programme over code points: no bits, no blocks, no cut-off, no chunks. */
export function oracle(text: readonly number[], query: readonly number[], bound: number, top = 3): Hit[] {
  const hits: Hit[] = [];
  while (hits.length < top) {
    let best: { end: number; distance: number; low: number } | null = null;
    for (const [low, high] of gaps(hits, text.length)) {
      const column = query.map((_, i) => i + 1);
      for (let j = low; j < high; j++) {
        advance(column, query, text[j]!, 0, 0);
        const distance = column.at(-1)!;
        if (distance <= bound && (best === null || distance < best.distance)) best = { end: j + 1, distance, low };
      }
    }
    if (best === null) break;
    const { end, distance, low } = best;
    const reversed = query.toReversed();
    const column = query.map((_, i) => i + 1);
    let start = end;
    let deviation = Infinity;
    // A text longer than this is farther away than `distance` by its length alone.
    for (let s = end - 1; s >= Math.max(low, end - query.length - distance); s--) {
      advance(column, reversed, text[s]!, end - s - 1, end - s);
      if (column.at(-1) !== distance) continue;
      const off = Math.abs(end - s - query.length);
      if (off <= deviation) {
        deviation = off;
        start = s;
      }
    }
    hits.push({ start, end, distance });
  }
  return hits;
}

/** What is left of the text, as [low, high). */
function gaps(hits: readonly Hit[], length: number): [number, number][] {
  const taken = hits.toSorted((a, b) => a.start - b.start);
  const out: [number, number][] = [];
  let from = 0;
  for (const hit of taken) {
    out.push([from, hit.start]);
    from = hit.end;
  }
  out.push([from, length]);
  return out;
}

/** One column of the table, in place; `diagonal` and `above` are the cells of row 0. */
function advance(column: number[], query: readonly number[], point: number, diagonal: number, above: number): void {
  for (let i = 0; i < query.length; i++) {
    const left = column[i]!;
    const kept = diagonal + (query[i] === point ? 0 : 1);
    above = Math.min(kept, left + 1, above + 1);
    diagonal = left;
    column[i] = above;
  }
}
