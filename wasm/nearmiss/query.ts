// The query as classes and bit rows.
import { CLASS, HASH, HASH_SIZE, PEQ, QUERY, REVERSED, STAND_INS, rows, setRows } from './memory';
import { setStandIn, standIn } from './text';

/** First stand-in of code points made of surrogates; a query has at most 256 of them. */
const FIRST_STAND_IN: u32 = 0xd800;

function setRow(base: usize, row: i32): void {
  const at = base + ((<usize>(row >> 6)) << 3);
  store<u64>(at, load<u64>(at) | ((<u64>1) << ((<u64>row) & 63)));
}

/** Makes the query at QUERY (1 to 256 code points, each a u32) ready; `forget` must follow before the next one. */
export function prepare(count: i32): void {
  setRows(count);
  let classes: u32 = 0;
  let stood: u32 = 0;
  memory.fill(PEQ, 0, (<usize>(count + 1)) << 5);
  memory.fill(REVERSED, 0, (<usize>(count + 1)) << 5);
  for (let row = 0; row < count; row++) {
    const point = load<u32>(QUERY + ((<usize>row) << 2));
    let unit = point;
    if (point > 0xffff || (point & 0xf800) == 0xd800) {
      unit = standIn(point);
      if (unit == 0) {
        unit = FIRST_STAND_IN + stood++;
        setStandIn(point, unit);
      }
    }
    store<u16>(STAND_INS + ((<usize>row) << 1), <u16>unit);
    const entry = CLASS + ((<usize>unit) << 1);
    let offset = <u32>load<u16>(entry);
    if (offset == 0) {
      offset = ++classes << 5;
      store<u16>(entry, <u16>offset);
    }
    setRow(PEQ + offset, row);
    setRow(REVERSED + offset, count - 1 - row);
  }
}

/** Takes the query out of the tables. */
export function forget(): void {
  for (let row = 0; row < rows; row++) store<u16>(CLASS + ((<usize>load<u16>(STAND_INS + ((<usize>row) << 1))) << 1), 0);
  memory.fill(HASH, 0, HASH_SIZE);
  setRows(0);
}
