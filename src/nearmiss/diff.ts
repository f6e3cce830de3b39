import { pointName } from './escape.ts';

/** Runs of differing code points that are named; the rest are counted. */
const NAMED_RUNS = 6;
/** Code points shown of one side of a run. */
const NAMED_POINTS = 12;

interface Run {
  /** Code points of the query before the run. */
  at: number;
  query: string[];
  found: string[];
}

/**
 * Where two short texts differ, as `+4 U+201C -> '"'; +9 'colour' -> 'color'`: offset in code points of the query, what
 * the query has, what the document has. Printable ASCII is quoted, everything else named; an empty side is `nothing`.
 * The alignment is a least one, and always the same one. Cost: the product of both lengths.
 */
export function differences(query: string, found: string): string {
  const runs = align(Array.from(query), Array.from(found));
  const named = runs.slice(0, NAMED_RUNS).map((run) => `+${run.at} ${side(run.query)} -> ${side(run.found)}`);
  if (runs.length > NAMED_RUNS) named.push(`and ${runs.length - NAMED_RUNS} more`);
  return named.join('; ');
}

function side(points: readonly string[]): string {
  if (points.length === 0) return 'nothing';
  const shown = points.slice(0, NAMED_POINTS);
  const rest = points.length > shown.length ? ` ... (${points.length} code points)` : '';
  const text = shown.join('');
  if (/^[\x20-\x7e]*$/.test(text) && text.trim() !== '') return `'${text}'${rest}`;
  const names: string[] = [];
  for (let from = 0; from < shown.length;) {
    let to = from + 1;
    while (shown[to] === shown[from]) to++;
    names.push(to - from > 1 ? `${pointName(shown[from]!)}*${to - from}` : pointName(shown[from]!));
    from = to;
  }
  return names.join(' ') + rest;
}

/** A least alignment by the plain dynamic programme, read from the end; a change is preferred to a deletion, that to an insertion. */
function align(query: readonly string[], found: readonly string[]): Run[] {
  const width = found.length + 1;
  const cost = new Uint16Array((query.length + 1) * width);
  for (let j = 0; j < width; j++) cost[j] = j;
  for (let i = 1; i <= query.length; i++) {
    cost[i * width] = i;
    for (let j = 1; j < width; j++) {
      const change = cost[(i - 1) * width + j - 1]! + (query[i - 1] === found[j - 1] ? 0 : 1);
      cost[i * width + j] = Math.min(change, cost[(i - 1) * width + j]! + 1, cost[i * width + j - 1]! + 1);
    }
  }
  const runs: Run[] = [];
  let open: Run | null = null;
  let i = query.length;
  let j = found.length;
  while (i > 0 || j > 0) {
    const here = cost[i * width + j]!;
    const equal = i > 0 && j > 0 && query[i - 1] === found[j - 1];
    if (equal && cost[(i - 1) * width + j - 1] === here) {
      open = null;
      i--;
      j--;
      continue;
    }
    if (open === null) runs.push((open = { at: i, query: [], found: [] }));
    if (i > 0 && j > 0 && cost[(i - 1) * width + j - 1]! + 1 === here) {
      open.query.push(query[--i]!);
      open.found.push(found[--j]!);
    } else if (i > 0 && cost[(i - 1) * width + j]! + 1 === here) open.query.push(query[--i]!);
    else open.found.push(found[--j]!);
    open.at = i;
  }
  for (const run of runs) {
    run.query.reverse();
    run.found.reverse();
  }
  return runs.reverse();
}
