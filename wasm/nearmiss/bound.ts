// Lowers the bound of the scan once three occurrences are known that no choice of hits can all spoil.
import { SEEN } from './memory';

const NONE: i32 = 0x7fff;
let first: i32 = NONE;
let second: i32 = NONE;
let third: i32 = NONE;

function keep(distance: i32): void {
  if (distance >= third) return;
  third = distance;
  if (third < second) {
    third = second;
    second = distance;
  }
  if (second < first) {
    second = first;
    first = distance;
  }
}

export function resetBound(chunks: i32): void {
  first = second = third = NONE;
  for (let chunk = 0; chunk < chunks; chunk++) {
    store<i32>(SEEN + ((<usize>chunk) << 3), NONE);
    store<i32>(SEEN + ((<usize>chunk) << 3), i32.MIN_VALUE >> 1, 4);
  }
}

/**
 * An occurrence at `distance` ends in the stripe from `column` of a chunk. Two that are counted are `gap` apart; of nearer
 * ones the least counts.
 */
export function seen(chunk: i32, column: i32, distance: i32, gap: i32): void {
  const at = SEEN + ((<usize>chunk) << 3);
  const open = load<i32>(at);
  if (column - load<i32>(at, 4) >= gap) keep(open);
  else if (distance >= open) return;
  store<i32>(at, distance);
  store<i32>(at, column, 4);
}

/** The third least distance among the counted occurrences, at most `bound`. */
export function lowered(chunks: i32, bound: i32): i32 {
  const a = first;
  const b = second;
  const c = third;
  for (let chunk = 0; chunk < chunks; chunk++) keep(load<i32>(SEEN + ((<usize>chunk) << 3)));
  const least = min(third, bound);
  first = a;
  second = b;
  third = c;
  return least;
}
