/**
 * Writes `scan.ts`, the part of the kernel whose loops are unrolled: the vertical state of every active block lives in
 * local variables, which AssemblyScript has no other way to say.
 *
 * Bit-parallel Levenshtein after G. Myers (1999, JACM 46:3) with the block carries of H. Hyyrö (2003, Nordic J. Computing
 * 10), semi-global (row 0 is 0 in every column), with E. Ukkonen's cut-off (1985) by block. Each lane of a vector runs over
 * its own chunk of the text; the chunks overlap by as much as a hit can be long, so every column is exact in one of them.
 *
 * The horizontal plus vector is kept inverted (`rise`), so that `~(a | b)` is one and-not instead of two operations, and the
 * vectors are written so that few operations wait for the sum: with D0 = (sum ^ plus) | match, the horizontal minus vector
 * plus & D0 is (plus & ~sum) | (plus & match), and D0 | plus is sum | plus | match.
 */

/**
 * How queries of up to `most` blocks of `bits` rows are scanned: in `vectors` × `lanes` chunks. One vector of one block waits for
 * itself from column to column; a second one beside it comes almost free.
 */
const SHORT = { id: 'Short', bits: 32, lanes: 4, vectors: 2, most: 1, type: 'i32x4', word: 'u32', scalar: 'i32' };
const MIDDLE = { id: 'Middle', bits: 64, lanes: 2, vectors: 2, most: 2, type: 'i64x2', word: 'u64', scalar: 'i64' };
const LONG = { id: 'Long', bits: 64, lanes: 2, vectors: 1, most: 4, type: 'i64x2', word: 'u64', scalar: 'i64' };

const range = (count) => Array.from({ length: count }, (_, i) => i);
const lines = (count, text) => range(count).map(text).join('\n');
const chunksOf = ({ lanes, vectors }) => lanes * vectors;
/** Offset in STATE of a block of a vector. */
const stateOf = ({ vectors }, block, vector) => (block * vectors + vector) * 32;

/** One block of one column, for one vector. Its carries into the next block are `up` (inverted) and `down`, 1 or 0; of the last row of all, -1 or 0. */
function block({ type, bits, lanes, word }, b, v, isLast) {
  const at = `${b}_${v}`;
  const before = `${b - 1}_${v}`;
  const chunk = (lane) => `c${v * lanes + lane}`;
  const equal = range(lanes - 1).reduce(
    (rest, lane) => `v128.load_lane<${word}>(${chunk(lane + 1)}, ${rest}, ${lane + 1}, PEQ + ${b * (bits / 8)})`,
    `v128.load_zero<${word}>(${chunk(0)}, PEQ + ${b * (bits / 8)})`,
  );
  const carry = (name) => (isLast ? `${type}.eq(v128.and(${name}, last), last)` : `${type}.shr_u(${name}, ${bits - 1})`);
  return `
    const equal${at} = ${equal};
    const vertical${at} = v128.or(equal${at}, minus${at});
    const match${at} = ${b === 0 ? `equal${at}` : `v128.or(equal${at}, down${before})`};
    const both${at} = v128.and(match${at}, plus${at});
    const sum${at} = ${type}.add(both${at}, plus${at});
    let rise${at} = v128.andnot(v128.or(sum${at}, v128.or(plus${at}, match${at})), minus${at});
    let fall${at} = v128.or(v128.andnot(plus${at}, sum${at}), both${at});
    const up${at} = ${carry(`rise${at}`)};
    const down${at} = ${carry(`fall${at}`)};
    rise${at} = v128.or(${type}.add(rise${at}, rise${at}), ${b === 0 ? 'one' : `up${before}`});
    fall${at} = ${b === 0 ? `${type}.add(fall${at}, fall${at})` : `v128.or(${type}.add(fall${at}, fall${at}), down${before})`};
    plus${at} = v128.or(fall${at}, v128.andnot(rise${at}, vertical${at}));
    minus${at} = v128.andnot(vertical${at}, rise${at});`;
}

/**
 * Columns [j, stop) through `count` active blocks; returns the column reached. With all blocks active it keeps the least
 * score of the last row; with fewer it stops after the column in which the lowest row of a chunk comes to the bound.
 */
function columns(shape, count, isAll) {
  const { id, type, vectors } = shape;
  const chunks = chunksOf(shape);
  const states = range(count).flatMap((b) => range(vectors).map((v) => ({ at: `${b}_${v}`, offset: stateOf(shape, b, v) })));
  const below = range(vectors)
    .map((v) => `${type}.sub(score${v}, above)`)
    .reduce((some, one) => `v128.or(${some}, ${one})`);
  return `
function ${columnsName(shape, count, isAll)}(j: i32, stop: i32, ${range(chunks)
    .map((c) => `t${c}: usize`)
    .join(', ')}, above: v128, last: v128): i32 {
  const one = ${type}.splat(1);
${states.map(({ at, offset }) => `  let plus${at} = v128.load(STATE, ${offset}), minus${at} = v128.load(STATE, ${offset + 16});`).join('\n')}
${lines(vectors, (v) => `  let score${v} = score${id}${v};`)}
${isAll ? lines(vectors, (v) => `  let least${v} = ${type}.splat(0x7fff);`) : ''}
  while (j < stop) {
    const at = <usize>j << 1;
${lines(chunks, (c) => `    const c${c} = <usize>load<u16>(<usize>load<u16>(t${c} + at) << 1, CLASS);`)}
${lines(count, (b) => lines(vectors, (v) => block(shape, b, v, isAll && b === count - 1)))}
${lines(vectors, (v) => `    score${v} = ${type}.${isAll ? 'add' : 'sub'}(${type}.add(score${v}, one), ${type}.add(up${count - 1}_${v}, down${count - 1}_${v}));`)}
    j++;
${isAll ? lines(vectors, (v) => `    least${v} = i32x4.min_s(least${v}, score${v});`) : `    if (${type}.bitmask(${below})) break;`}
  }
${states.map(({ at, offset }) => `  v128.store(STATE, plus${at}, ${offset}), v128.store(STATE, minus${at}, ${offset + 16});`).join('\n')}
${lines(vectors, (v) => `  score${id}${v} = score${v};${isAll ? `\n  least${id}${v} = least${v};` : ''}`)}
  return j;
}
`;
}

const columnsName = ({ id }, count, isAll) => `columns${id}${count}${isAll ? 'All' : ''}`;

/** The choice of the columns function by the number of active blocks. */
function run(shape, most, isAll) {
  const texts = range(chunksOf(shape)).map((c) => `t${c}`);
  return range(most)
    .map(
      (i) =>
        `${i + 1 < most ? `if (active == ${i + 1}) ` : ''}j = ${columnsName(shape, i + 1, isAll)}(j, stop, ${texts.join(', ')}, above, last);`,
    )
    .join(' else ');
}

/** The functions with which blocks come and go, for shapes of more than one. */
function cutOff({ id, type, lanes, vectors, bits, word, scalar }) {
  const top = (v, lane) => {
    const score = `<i32>${type}.extract_lane(score${id}${v}, ${lane})`;
    return `topOf${id}(state + ${v * 32 + (lane * bits) / 8}, ${score}, mask, bound)`;
  };
  const vector = (v) =>
    range(lanes).reduce((rest, lane) => `${type}.replace_lane(${rest}, ${lane}, <${scalar}>top${v}_${lane})`, `${type}.splat(0)`);
  return `
/** Score of the row above the lowest active block, or -1 when that block may still hold a distance of at most the bound. */
function topOf${id}(state: usize, score: i32, mask: ${word}, bound: i32): i32 {
  const rises = <i32>popcnt<${word}>(load<${word}>(state) & mask);
  const falls = <i32>popcnt<${word}>(load<${word}>(state, 16) & mask);
  const top = score - rises + falls;
  // The slack of 2 keeps a block from being dropped and taken in again by the next column.
  return top > bound + 2 && (top - falls > bound || score - rises > bound) ? top : -1;
}

/** Whether the lowest active block was of no use to any chunk; the scores are then those of the row above it. */
function drop${id}(block: i32, mask: ${word}, bound: i32): bool {
  const state = STATE + <usize>(block * ${vectors * 32});
${lines(vectors, (v) => lines(lanes, (lane) => `  const top${v}_${lane} = ${top(v, lane)};\n  if (top${v}_${lane} < 0) return false;`))}
${lines(vectors, (v) => `  score${id}${v} = ${vector(v)};`)}
  return true;
}

function add${id}(block: i32, blockRows: i32): void {
  open(block * ${vectors}, ${vectors});
${lines(vectors, (v) => `  score${id}${v} = ${type}.add(score${id}${v}, ${type}.splat(<${scalar}>blockRows));`)}
}
`;
}

/** The scan of the whole text in chunks. */
function scan(shape) {
  const { id, type, lanes, vectors, bits, scalar, word, most } = shape;
  const chunks = chunksOf(shape);
  const few = most === 1;
  const found = (c) => `
        const least${c} = <i32>${type}.extract_lane(least${id}${Math.floor(c / lanes)}, ${c % lanes});
        if (least${c} <= bound${c === 0 ? '' : ' && from >= warm'}) {
          out = window(out, ${c}, off${c} + begun, until - begun, least${c});
          if (stop <= countedTo) seen(${c}, from, least${c}, gap);
          found = true;
        }`;
  const upper = ` else {
        ${few ? '' : run(shape, most - 1, false)}
        if (${type}.bitmask(${range(vectors)
          .map((v) => `${type}.sub(score${id}${v}, above)`)
          .reduce((some, one) => `v128.or(${some}, ${one})`)})) {
          add${id}(active, active + 1 == all ? rows - active * ${bits} : ${bits});
          active++;
        }
      }`;
  return `
${lines(vectors, (v) => `let score${id}${v}: v128 = ${type}.splat(0);\nlet least${id}${v}: v128 = ${type}.splat(0);`)}
${range(most)
  .flatMap((b) => [...(b + 1 < most ? [columns(shape, b + 1, false)] : []), columns(shape, b + 1, true)])
  .join('')}${few ? '' : cutOff(shape)}
function scan${id}(text: usize, count: i32, bound: i32, out: usize): usize {
  const all = (rows + ${bits - 1}) / ${bits};
  const last = ${type}.splat(<${scalar}>1 << ((rows - 1) & ${bits - 1}));
  const reach = rows + bound;
  const warm = (reach + STRIPE - 1) & ~(STRIPE - 1);
  const length = min((count + ${chunks - 1} * warm + ${chunks - 1}) / ${chunks}, count);
  const step = max(length - warm, 0);
${lines(chunks, (c) => `  const off${c} = min(${c} * step, count - length), t${c} = text + (<usize>off${c} << 1);`)}
  // Occurrences of different chunks are counted only where they are as far apart as those of one chunk must be.
  const gap = 2 * reach + STRIPE;
  const countedTo = off${chunks - 1} - off${chunks - 2} + warm - 2 * reach;
  let above = ${type}.splat(<${scalar}>(bound + 1));
  let active = 1;
  while (active < all && active * ${bits} <= bound) active++;
  open(0, active * ${vectors});
${lines(vectors, (v) => `  score${id}${v} = ${type}.splat(<${scalar}>(active == all ? rows : active * ${bits}));`)}
  resetBound(${chunks});
  resetWindows(reach);
  for (let j = 0; j < length; ) {
    const from = j;
    const stop = min(j + STRIPE, length);
    let found = false;
    while (j < stop) {
      const begun = j;
      if (active == all) {
        ${run(shape, most, true)}
        const until = j;${range(chunks).map(found).join('')}
      }${few ? '' : upper}
      work += (j - begun) * active * ${chunks};
    }
    if (found) {
      bound = lowered(${chunks}, bound);
      above = ${type}.splat(<${scalar}>(bound + 1));
    }
    ${few ? '' : `while (active > 1 && drop${id}(active - 1, active == all ? <${word}>-1 >>> (${bits - 1} - <${word}>((rows - 1) & ${bits - 1})) : <${word}>-1, bound)) active--;`}
  }
  return out;
}
`;
}

/** The text of scan.ts. */
export function scanSource() {
  return `// Generated by scan.mjs when the kernel is built.
import { CLASS, PEQ, STATE, rows } from './memory';
import { lowered, resetBound, seen } from './bound';
import { STRIPE, resetWindows, window } from './windows';

let work: i32 = 0;

/** Columns × blocks computed by the last scan, the overlaps of the chunks included. */
export function computed(): i32 {
  return work;
}

/** \`count\` blocks as they are before the first column: each row one more than the row above. */
function open(block: i32, count: i32): void {
  for (let end = block + count; block < end; block++) {
    v128.store(STATE + (<usize>block << 5), i32x4.splat(-1));
    v128.store(STATE + (<usize>block << 5), i32x4.splat(0), 16);
  }
}

${[SHORT, MIDDLE, LONG].map(scan).join('')}
/** Writes the windows of the first \`count\` columns to \`out\`; returns how many there are. */
export function scan(text: usize, count: i32, bound: i32, out: usize): i32 {
  work = 0;
  let end: usize;
  if (rows <= ${SHORT.bits * SHORT.most}) end = scanShort(text, count, bound, out);
  else if (rows <= ${MIDDLE.bits * MIDDLE.most}) end = scanMiddle(text, count, bound, out);
  else end = scanLong(text, count, bound, out);
  return <i32>((end - out) / 12);
}
`;
}
