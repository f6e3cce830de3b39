import type { Hit } from '../../src/nearmiss/search.ts';

/** The definition itself, by the plain dynamic programme: no bits, no blocks, no cut-off. */
export function oracle(text: string, query: string, bound: number, top = 3): Hit[] {
  const t = Array.from(text);
  const q = Array.from(query);
  const hits: Hit[] = [];
  while (hits.length < top) {
    let best: { end: number; distance: number; low: number } | null = null;
    for (const [low, high] of gaps(hits, t.length)) {
      let column = q.map((_, i) => i + 1);
      for (let j = low; j < high; j++) {
        column = nextColumn(column, q, t[j]!, 0, 0);
        const distance = column.at(-1)!;
        if (distance <= bound && (best === null || distance < best.distance)) best = { end: j + 1, distance, low };
      }
    }
    if (best === null) break;
    const { end, distance, low } = best;
    const reversed = q.toReversed();
    let column = q.map((_, i) => i + 1);
    let start = end;
    let deviation = Infinity;
    for (let s = end - 1; s >= low; s--) {
      column = nextColumn(column, reversed, t[s]!, end - s - 1, end - s);
      if (column.at(-1) !== distance) continue;
      const off = Math.abs(end - s - q.length);
      if (off <= deviation) {
        deviation = off;
        start = s;
      }
    }
    hits.push({ start, end, distance });
  }
  return hits;
}

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

function nextColumn(column: readonly number[], q: readonly string[], point: string, diagonal0: number, top0: number): number[] {
  const next: number[] = [];
  let diagonal = diagonal0;
  let above = top0;
  for (let i = 0; i < q.length; i++) {
    above = Math.min(diagonal + (q[i] === point ? 0 : 1), column[i]! + 1, above + 1);
    diagonal = column[i]!;
    next.push(above);
  }
  return next;
}

/** A small seeded generator (mulberry32): the same cases on every machine. */
export function randomness(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}
