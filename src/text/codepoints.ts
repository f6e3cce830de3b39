/** UTF-16 units between two samples. */
const STEP = 512;
const NON_ASCII = /[^\0-\x7f]/;
const SURROGATE = /[\ud800-\udfff]/;

/**
 * Offsets of one text: UTF-16 units (how JavaScript addresses it), code points (the protocol's unit) and UTF-8 bytes.
 * Free for ASCII; code points are free without surrogates; else one sample every 512 units, so a look-up reads at most 512 units.
 * Offsets outside the text throw RangeError. A unit inside a surrogate pair counts as the position after the pair.
 * Byte offsets are those of well-formed text.
 */
export class CodePointIndex {
  readonly text: string;
  /** Code points of the whole text. */
  readonly length: number;
  readonly #ascii: boolean;
  readonly #points: Int32Array | null;
  #bytes: Int32Array | null = null;

  constructor(text: string) {
    this.text = text;
    this.#ascii = !NON_ASCII.test(text);
    if (this.#ascii || !SURROGATE.test(text)) {
      this.#points = null;
      this.length = text.length;
      return;
    }
    this.#points = samples(text, countPoints);
    this.length = this.toCodePoint(text.length);
  }

  /** UTF-8 bytes of the whole text. */
  get byteLength(): number {
    return this.toByte(this.text.length);
  }

  /** Code points before this unit. */
  toCodePoint(unit: number): number {
    this.#check(unit, this.text.length);
    if (this.#points === null) return unit;
    const block = Math.floor(unit / STEP);
    return (this.#points[block] ?? 0) + countPoints(this.text, block * STEP, unit);
  }

  /** The unit at which this code point begins; the text's unit length for its code-point length. */
  toUnit(codePoint: number): number {
    if (this.#points === null) {
      this.#check(codePoint, this.text.length);
      return codePoint;
    }
    this.#check(codePoint, this.length);
    let low = 0;
    let high = this.#points.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#points[middle] ?? 0) <= codePoint) low = middle;
      else high = middle - 1;
    }
    let unit = low * STEP;
    // A block may begin inside a pair, whose code point the sample has counted already.
    if (isLow(this.text, unit)) unit += 1;
    for (let rest = codePoint - (this.#points[low] ?? 0); rest > 0; rest -= 1) unit += isHigh(this.text, unit) ? 2 : 1;
    return unit;
  }

  /** UTF-8 bytes before this unit. */
  toByte(unit: number): number {
    this.#check(unit, this.text.length);
    if (this.#ascii) return unit;
    this.#bytes ??= samples(this.text, countBytes);
    const block = Math.floor(unit / STEP);
    return (this.#bytes[block] ?? 0) + countBytes(this.text, block * STEP, unit);
  }

  #check(offset: number, limit: number): void {
    if (!Number.isInteger(offset) || offset < 0 || offset > limit) throw new RangeError(`offset ${offset} is outside 0..${limit}`);
  }
}

/** Code points of a text, without building an index. */
export function codePointLength(text: string): number {
  return SURROGATE.test(text) ? countPoints(text, 0, text.length) : text.length;
}

/** UTF-8 bytes of a well-formed text. */
export function utf8Length(text: string): number {
  return NON_ASCII.test(text) ? countBytes(text, 0, text.length) : text.length;
}

/** The first `count` code points, never cutting a pair. */
export function takeCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  let unit = 0;
  for (let taken = 0; taken < count && unit < text.length; taken += 1) unit += isHigh(text, unit) ? 2 : 1;
  return text.slice(0, unit);
}

function samples(text: string, count: (text: string, from: number, to: number) => number): Int32Array {
  const blocks = new Int32Array(Math.floor(text.length / STEP) + 1);
  let sum = 0;
  for (let block = 1; block < blocks.length; block += 1) {
    sum += count(text, (block - 1) * STEP, block * STEP);
    blocks[block] = sum;
  }
  return blocks;
}

/** Code points that begin in [from, to): a low half of a pair begins none. */
function countPoints(text: string, from: number, to: number): number {
  let count = 0;
  for (let unit = from; unit < to; unit += 1) if (!isLow(text, unit)) count += 1;
  return count;
}

/** Bytes of the code points that begin in [from, to). */
function countBytes(text: string, from: number, to: number): number {
  let count = 0;
  for (let unit = from; unit < to; unit += 1) {
    const code = text.charCodeAt(unit);
    if (code < 0x80) count += 1;
    else if (code < 0x800) count += 2;
    else if (code < 0xd800 || code > 0xdfff) count += 3;
    else if (isHigh(text, unit)) count += 4;
    else if (!isLow(text, unit)) count += 3;
  }
  return count;
}

function isHigh(text: string, unit: number): boolean {
  return inRange(text.charCodeAt(unit), 0xd800, 0xdbff) && inRange(text.charCodeAt(unit + 1), 0xdc00, 0xdfff);
}

function isLow(text: string, unit: number): boolean {
  return inRange(text.charCodeAt(unit), 0xdc00, 0xdfff) && inRange(text.charCodeAt(unit - 1), 0xd800, 0xdbff);
}

function inRange(code: number, first: number, last: number): boolean {
  return code >= first && code <= last;
}
