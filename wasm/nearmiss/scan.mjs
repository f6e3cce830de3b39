/**
 * Writes `scan.ts`, the part of the kernel whose loops are unrolled: the vertical state of every active block lives in
 * local variables, which AssemblyScript has no other way to say.
 *
 * Bit-parallel Levenshtein after G. Myers (1999, JACM 46:3) with the block carries of H. Hyyrö (2003, Nordic J. Computing
 * 10), semi-global (row 0 is 0 in every column), with E. Ukkonen's cut-off (1985) by block. Each lane of a vector runs over
 * its own chunk of the text; the chunks overlap by as much as a hit can be long, so every column is exact in one of them.
 *
 * The horizontal plus vector is kept inverted (`rise`): `~(a | b)` is then one and-not instead of two operations.
 */

const WIDE = { bits: 64, lanes: 2, type: 'i64x2', word: 'u64', scalar: 'i64' };
const NARROW = { bits: 32, lanes: 4, type: 'i32x4', word: 'u32', scalar: 'i32' };

const range = (count) => Array.from({ length: count }, (_, i) => i);

/** One block of one column. Its carries into the next block are `up` (inverted) and `down`. */
function block({ type, bits, lanes, word }, b, isLast) {
  const equal = range(lanes)
    .slice(1)
    .reduce((rest, lane) => `v128.load_lane<${word}>(c${lane}, ${rest}, ${lane}, ${b * 8})`, `v128.load_zero<${word}>(c0, ${b * 8})`);
  const carry = (name) => (isLast ? `v128.and(${type}.shr_u(${name}, last), one)` : `${type}.shr_u(${name}, ${bits - 1})`);
  return `
    const equal${b} = ${equal};
    const vertical${b} = v128.or(equal${b}, minus${b});
    const match${b} = ${b === 0 ? 'equal0' : `v128.or(equal${b}, down${b - 1})`};
    const across${b} = v128.or(v128.xor(${type}.add(v128.and(match${b}, plus${b}), plus${b}), plus${b}), match${b});
    let rise${b} = v128.andnot(v128.or(across${b}, plus${b}), minus${b});
    let fall${b} = v128.and(plus${b}, across${b});
    const up${b} = ${carry(`rise${b}`)};
    const down${b} = ${carry(`fall${b}`)};
    rise${b} = v128.or(${type}.add(rise${b}, rise${b}), ${b === 0 ? 'one' : `up${b - 1}`});
    fall${b} = ${b === 0 ? `${type}.add(fall0, fall0)` : `v128.or(${type}.add(fall${b}, fall${b}), down${b - 1})`};
    plus${b} = v128.or(fall${b}, v128.andnot(rise${b}, vertical${b}));
    minus${b} = v128.andnot(vertical${b}, rise${b});`;
}

/**
 * Columns [j, stop) through `count` active blocks; returns the column reached. With all blocks active it keeps the least
 * score of the last row; with fewer it stops after the column in which the lowest row comes to the bound.
 */
function columns(width, count, isAll) {
  const { type, lanes, bits } = width;
  const texts = range(lanes).map((lane) => `t${lane}: usize`);
  const state = range(count);
  return `
function ${name(width, count, isAll)}(j: i32, stop: i32, ${texts.join(', ')}, above: v128, last: i32): i32 {
  const one = ${type}.splat(1);${state.map((b) => `\n  let plus${b} = v128.load(STATE, ${b * 32}), minus${b} = v128.load(STATE, ${b * 32 + 16});`).join('')}
  let score = score${bits};${isAll ? `\n  let least = ${type}.splat(0x7fff);` : ''}
  while (j < stop) {
    const at = <usize>j << 1;${range(lanes)
      .map((lane) => `\n    const c${lane} = PEQ + <usize>load<u16>(CLASS + (<usize>load<u16>(t${lane} + at) << 1));`)
      .join('')}${state.map((b) => block(width, b, isAll && b === count - 1)).join('\n')}
    score = ${type}.sub(${type}.add(score, one), ${type}.add(up${count - 1}, down${count - 1}));
    j++;
    ${isAll ? 'least = i32x4.min_s(least, score);' : `if (${type}.bitmask(${type}.sub(score, above))) break;`}
  }${state.map((b) => `\n  v128.store(STATE, plus${b}, ${b * 32}), v128.store(STATE, minus${b}, ${b * 32 + 16});`).join('')}
  score${bits} = score;${isAll ? `\n  least${bits} = least;` : ''}
  return j;
}
`;
}

const name = ({ bits }, count, isAll) => `columns${bits}x${count}${isAll ? 'All' : ''}`;

const aboveLowest = ({ bits, word }) => `
/** Score of the row above the lowest active block, or -1 when that block may still hold a distance of at most the bound. */
function above${bits}(block: usize, score: i32, mask: ${word}, bound: i32): i32 {
  const rises = <i32>popcnt<${word}>(load<${word}>(block) & mask);
  const falls = <i32>popcnt<${word}>(load<${word}>(block, 16) & mask);
  const top = score - rises + falls;
  // The slack of 2 keeps a block from being dropped and taken in again by the next column.
  return top > bound + 2 && (top - falls > bound || score - rises > bound) ? top : -1;
}
`;

/** The scan over all chunks, for queries of at most `most` blocks of this width. */
function scan(width, most) {
  const { type, lanes, bits, scalar, word } = width;
  const each = (text, by = '') => range(lanes).map(text).join(by);
  const call = (count, isAll) => `${name(width, count, isAll)}(j, stop, ${each((c) => `t${c}`, ', ')}, above, last)`;
  const choose = (counts, isAll) =>
    counts
      .map((count, i) => `${i === 0 ? '' : ' else '}${i < counts.length - 1 ? `if (active == ${count}) ` : ''}j = ${call(count, isAll)};`)
      .join('');
  return `
let score${bits}: v128 = ${type}.splat(0);
let least${bits}: v128 = ${type}.splat(0);
${range(most)
  .flatMap((b) => (b + 1 < most ? [columns(width, b + 1, false), columns(width, b + 1, true)] : [columns(width, b + 1, true)]))
  .join('')}
${most === 1 ? '' : aboveLowest(width)}function scan${bits}(text: usize, count: i32, bound: i32, out: usize): usize {
  const all = (rows + ${bits - 1}) / ${bits};
  const last = (rows - 1) & ${bits - 1};
  ${most === 1 ? '' : `const lastMask = <${word}>-1 >>> (${bits - 1} - <${word}>last);`}
  const reach = rows + bound;
  const warm = (reach + STRIPE - 1) & ~(STRIPE - 1);
  const length = min((count + ${lanes - 1} * warm + ${lanes - 1}) / ${lanes}, count);
  const step = max(length - warm, 0);
${each((c) => `  const off${c} = min(${c} * step, count - length), t${c} = text + (<usize>off${c} << 1);\n`)}
  // Occurrences of different lanes are counted only where they are as far apart as those of one lane must be.
  const gap = 2 * reach + STRIPE;
  const countedTo = off${lanes - 1} - off${lanes - 2} + warm - 2 * reach;
  let above = ${type}.splat(<${scalar}>(bound + 1));
  let active = 1;
  while (active < all && active * ${bits} <= bound) active++;
  for (let block = 0; block < active; block++) open(block);
  score${bits} = ${type}.splat(<${scalar}>(active == all ? rows : active * ${bits}));
  resetBound(${lanes});
  for (let j = 0; j < length; ) {
    const from = j;
    const stop = min(j + STRIPE, length);
    let found = false;
    while (j < stop) {
      const begun = j;
      if (active == all) {
        ${choose(
          range(most).map((b) => b + 1),
          true,
        )}
        const until = j;
${each(
  (c) => `        const least${c} = <i32>${type}.extract_lane(least${bits}, ${c});
        if (least${c} <= bound${c === 0 ? '' : ' && from >= warm'}) {
          out = window(out, off${c} + begun, until - begun, least${c});
          if (stop <= countedTo) seen(${c}, from, least${c}, gap);
          found = true;
        }
`,
)}      }${
    most === 1
      ? ''
      : ` else {
        ${choose(
          range(most - 1).map((b) => b + 1),
          false,
        )}
        if (${type}.bitmask(${type}.sub(score${bits}, above))) {
          open(active++);
          score${bits} = ${type}.add(score${bits}, ${type}.splat(<${scalar}>(active == all ? rows - (active - 1) * ${bits} : ${bits})));
        }
      }`
  }
      computed += (j - begun) * active * ${lanes};
    }
    if (found) {
      bound = lowered(${lanes}, bound);
      above = ${type}.splat(<${scalar}>(bound + 1));
    }${
      most === 1
        ? ''
        : `
    while (active > 1) {
      const block = STATE + (<usize>(active - 1) << 5);
      const mask = active == all ? lastMask : <${word}>-1;
${each((c) => `      const top${c} = above${bits}(block + ${(c * bits) / 8}, <i32>${type}.extract_lane(score${bits}, ${c}), mask, bound);\n      if (top${c} < 0) break;\n`)}      active--;
      score${bits} = ${each((c) => c, ' ')
        .split(' ')
        .reduce((rest, c) => `${type}.replace_lane(${rest}, ${c}, <${scalar}>top${c})`, `${type}.splat(0)`)};
    }`
    }
  }
  return out;
}
`;
}

/** The text of scan.ts. */
export function scanSource() {
  return (
    `// Generated by scan.mjs when the kernel is built.
import { CLASS, PEQ, STATE, rows } from './memory';
import { lowered, resetBound, seen } from './bound';

const STRIPE: i32 = 64;
/** Columns × blocks computed by the last scan, the overlaps of the chunks included. */
let work: i32 = 0;

function open(block: i32): void {
  v128.store(STATE + (<usize>block << 5), i32x4.splat(-1));
  v128.store(STATE + (<usize>block << 5), i32x4.splat(0), 16);
}

function window(out: usize, start: i32, length: i32, least: i32): usize {
  store<i32>(out, start);
  store<i32>(out, length, 4);
  store<i32>(out, least, 8);
  return out + 12;
}
${scan(NARROW, 1)}${scan(WIDE, 4)}
export function scan(text: usize, count: i32, bound: i32, out: usize): i32 {
  work = 0;
  const end = rows <= 32 ? scan32(text, count, bound, out) : scan64(text, count, bound, out);
  return <i32>((end - out) / 12);
}
`.replaceAll('computed +=', 'work +=') +
    `
export function computed(): i32 {
  return work;
}
`
  );
}
