// Plain 64-bit words over a few columns: what selecting the hits asks for after the scan.
import { CLASS, DISTANCES, PEQ, REVERSED, STATE, blocks, rows } from './memory';

function reset(): void {
  for (let block = 0; block < blocks; block++) {
    store<u64>(STATE + ((<usize>block) << 4), <u64>-1);
    store<u64>(STATE + ((<usize>block) << 4), 0, 8);
  }
}

/** One column through all blocks; `carry` is what the row above the first does. Returns the change of the last row. */
function column(bits: usize, carry: u64): i32 {
  let plusIn = carry;
  let minusIn: u64 = 0;
  for (let block = 0; block < blocks; block++) {
    const at = STATE + ((<usize>block) << 4);
    const plus = load<u64>(at);
    const minus = load<u64>(at, 8);
    let equal = load<u64>(bits + ((<usize>block) << 3));
    const vertical = equal | minus;
    equal |= minusIn;
    const horizontal = (((equal & plus) + plus) ^ plus) | equal;
    let hp = minus | ~(horizontal | plus);
    let hm = plus & horizontal;
    const last = block == blocks - 1 ? <u64>((rows - 1) & 63) : 63;
    const plusOut = (hp >> last) & 1;
    const minusOut = (hm >> last) & 1;
    hp = (hp << 1) | plusIn;
    hm = (hm << 1) | minusIn;
    store<u64>(at, hm | ~(vertical | hp));
    store<u64>(at, hp & vertical, 8);
    plusIn = plusOut;
    minusIn = minusOut;
  }
  return <i32>plusIn - <i32>minusIn;
}

function bitsOf(table: usize, text: usize, at: i32): usize {
  return table + <usize>load<u16>(CLASS + ((<usize>load<u16>(text + ((<usize>at) << 1))) << 1));
}

/** Writes to DISTANCES the distance of the query to the best text ending with each column of [from, to) and beginning at `from` or later. */
export function distances(text: usize, from: i32, to: i32): void {
  reset();
  let score = rows;
  for (let j = from; j < to; j++) {
    score += column(bitsOf(PEQ, text, j), 0);
    store<u16>(DISTANCES + ((<usize>(j - from)) << 1), <u16>score);
  }
}

/** The start, not below `low`, at exactly `distance` from the query whose text to `end` is nearest the query's length; of two, the longer text. */
export function start(text: usize, end: i32, distance: i32, low: i32): i32 {
  reset();
  const stop = max(low, end - rows - distance);
  let score = rows;
  let best = end;
  let off = i32.MAX_VALUE;
  for (let s = end - 1; s >= stop; s--) {
    score += column(bitsOf(REVERSED, text, s), 1);
    if (score != distance) continue;
    const deviation = abs(end - s - rows);
    if (deviation > off) continue;
    off = deviation;
    best = s;
  }
  return best;
}
