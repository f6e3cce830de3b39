export type Below = (n: number) => number;

/** A small seeded generator (mulberry32): the same cases on every machine. */
export function randomness(seed: number): Below {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

const HIGH_ALONE = 0xd83d;
const LOW_ALONE = 0xde00;

/** Alphabets of code points: few letters, many, beyond the basic plane, surrogates that stand alone, neighbours of all these. */
export const ALPHABETS: readonly (readonly number[])[] = [
  points('ab'),
  points('abc\n'),
  points('abcdefghij '),
  points('a😀é'),
  points('😀🎉🚀x'),
  [HIGH_ALONE, LOW_ALONE, 0x1f600, 0x61],
  [HIGH_ALONE, 0xd800, 0xdfff, 0xd801, 0x10000, 0xfffd],
  [0xffff, 0xfffe, 0x0, 0xe000, 0xd7ff],
];

export function points(text: string): number[] {
  return Array.from(text, (char) => char.codePointAt(0)!);
}

/** Code points as a text; a high surrogate alone before a low one alone would become one code point, so the low one goes. */
export function textOf(codes: readonly number[]): string {
  let text = '';
  for (const code of codes) {
    const pairs = code >= 0xdc00 && code <= 0xdfff && /[\ud800-\udbff]$/.test(text.slice(-1));
    if (!pairs) text += String.fromCodePoint(code);
  }
  return text;
}

/** `length` letters, with repeats of pieces of the text itself, so that ties are common. */
export function randomPoints(below: Below, length: number, letters: readonly number[]): number[] {
  const out: number[] = [];
  while (out.length < length) {
    if (out.length > 4 && below(3) === 0) {
      const from = below(out.length);
      out.push(...out.slice(from, from + 1 + below(40)));
    } else out.push(letters[below(letters.length)]!);
  }
  return out.slice(0, length);
}

/** A short piece over and over, a letter in forty changed. */
export function periodicPoints(below: Below, length: number, letters: readonly number[]): number[] {
  const period = randomPoints(below, 1 + below(40), letters);
  return Array.from({ length }, (_, i) => (below(40) === 0 ? letters[below(letters.length)]! : period[i % period.length]!));
}

/** A piece after so many random edits; never empty. */
export function mutate(below: Below, piece: readonly number[], edits: number, letters: readonly number[]): number[] {
  const out = [...piece];
  for (let i = 0; i < edits; i++) {
    const at = below(out.length);
    const kind = below(3);
    if (kind === 0) out[at] = letters[below(letters.length)]!;
    else if (kind === 1 && out.length > 1) out.splice(at, 1);
    else out.splice(at, 0, letters[below(letters.length)]!);
  }
  return out;
}
