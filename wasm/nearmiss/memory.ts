// The memory map, and what the parts of the kernel share. Sizes in bytes; every code point of text is one u16.

/** u16 of every UTF-16 unit: byte offset of its class in PEQ. Units that are not in the query have class 0, whose rows are all 0. */
export const CLASS: usize = 1024;
const CLASS_SIZE: usize = 131072;
/** 257 classes × 4 u64: bit r of a class tells whether row r of the query is that code point. */
export const PEQ: usize = CLASS + CLASS_SIZE;
const PEQ_SIZE: usize = 8256;
/** The same for the reversed query. */
export const REVERSED: usize = PEQ + PEQ_SIZE;
/** Open hash of the query's code points that are no plain UTF-16 unit: 1024 keys (u32), then 1024 stand-ins (u16). */
export const HASH: usize = REVERSED + PEQ_SIZE;
export const HASH_SIZE: usize = 6144;
/** Vertical deltas of each active block: plus (16 bytes), then minus (16 bytes). */
export const STATE: usize = HASH + HASH_SIZE;
/** The query: 256 u32 code points in, and 256 u16 stand-ins kept for `forget`. */
export const QUERY: usize = STATE + 128;
export const STAND_INS: usize = QUERY + 1024;
/** Per chunk, the last occurrence counted for the bound: distance, column (two i32). */
export const SEEN: usize = STAND_INS + 512;
/** Per chunk and distance, the windows written: 8 × 256 u16. */
export const WRITTEN: usize = SEEN + 64;
export const WRITTEN_SIZE: usize = 4096;
/** What `distances` writes: at most 1024 u16. */
export const DISTANCES: usize = WRITTEN + WRITTEN_SIZE;
/** The text follows, then the windows that the scan found. */
export const TEXT: usize = (DISTANCES + 2048 + 63) & ~63;

/** Code points of the query, and blocks of 64 rows. */
export let rows: i32 = 0;
export let blocks: i32 = 0;

export function setRows(count: i32): void {
  rows = count;
  blocks = (count + 63) >> 6;
}
