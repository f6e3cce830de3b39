// The windows that the scan hands on, each of them (start, length, least distance).
import { WRITTEN, WRITTEN_SIZE } from './memory';

/** Columns of a window at most. */
export const STRIPE: i32 = 64;
/** Hits that may be taken out before the last one is chosen. */
const TAKEN: i32 = 2;
let enough: i32 = 0;

/** Before a scan in which no hit is longer than `reach`. */
export function resetWindows(reach: i32): void {
  memory.fill(WRITTEN, 0, WRITTEN_SIZE);
  // A hit taken out changes what ends in it or within `reach` after it.
  enough = TAKEN * ((2 * reach) / STRIPE + 2) + 1;
}

/**
 * Writes a window, unless its chunk has so many earlier ones of the same distance that one of those is always left to be
 * chosen before it: then a text that is alike everywhere has few windows too. Returns where the next one goes.
 */
export function window(out: usize, chunk: i32, start: i32, length: i32, least: i32): usize {
  const at = WRITTEN + ((<usize>((chunk << 8) + least)) << 1);
  const written = <i32>load<u16>(at);
  if (written == enough) return out;
  store<u16>(at, <u16>(written + 1));
  store<i32>(out, start);
  store<i32>(out, length, 4);
  store<i32>(out, least, 8);
  return out + 12;
}
