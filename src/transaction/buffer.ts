import { CodePointIndex } from '../text/index.ts';

/** One place of a buffer in the three units. */
export interface Place {
  unit: number;
  point: number;
  byte: number;
}

interface Source {
  index: CodePointIndex;
  /** Address of its first unit. */
  base: number;
}

/** A stretch of one source: [from, to) in the source's units. */
interface Piece {
  source: Source;
  from: number;
  to: number;
  points: number;
  bytes: number;
}

/** A piece and the place at which it begins. */
interface Finger extends Place {
  piece: number;
}

/**
 * A text under splices, kept as pieces of the starting text and of the replacements: a splice costs the number of pieces, not
 * the length of the text. Every unit has an address for life (starting text first, then each replacement in order), so that
 * what was found once can be found again after other splices. Look-ups begin at the piece used last.
 * Splices must fall on code-point boundaries.
 */
export class PieceBuffer {
  #pieces: Piece[] = [];
  #finger: Finger = { piece: 0, unit: 0, point: 0, byte: 0 };
  #nextBase = 0;
  #pristine = true;
  #text: string | null;
  #units = 0;
  #points = 0;
  #bytes = 0;

  constructor(text: string) {
    if (text !== '') this.#insert(0, this.#pieceOf(text));
    this.#text = text;
  }

  /** True until the first splice. */
  get pristine(): boolean {
    return this.#pristine;
  }

  /** Length in units. */
  get units(): number {
    return this.#units;
  }

  /** Length in code points. */
  get points(): number {
    return this.#points;
  }

  /** Length in UTF-8 bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The whole text; joined when first asked for after a splice. */
  text(): string {
    this.#text ??= this.#pieces.map(({ source, from, to }) => source.index.text.slice(from, to)).join('');
    return this.#text;
  }

  /** The place of this unit. */
  atUnit(unit: number): Place {
    if (unit < 0 || unit > this.#units) throw new RangeError(`unit ${unit} is outside 0..${this.#units}`);
    const finger = this.#seek(({ unit: at }) => at, ({ from, to }) => to - from, unit);
    return this.#within(finger, unit - finger.unit);
  }

  /** The place of this code point. */
  atPoint(point: number): Place {
    if (point < 0 || point > this.#points) throw new RangeError(`code point ${point} is outside 0..${this.#points}`);
    const finger = this.#seek(({ point: at }) => at, ({ points }) => points, point);
    const piece = this.#pieces[finger.piece];
    if (piece === undefined) return this.#within(finger, 0);
    const { index } = piece.source;
    const unit = index.toUnit(index.toCodePoint(piece.from) + point - finger.point);
    return this.#within(finger, unit - piece.from);
  }

  /** The text of [from, to), in units, clipped to the buffer. */
  slice(from: number, to: number): string {
    const start = Math.max(0, from);
    const end = Math.min(this.#units, to);
    if (start >= end) return '';
    if (this.#text !== null) return this.#text.slice(start, end);
    const finger = this.#seek(({ unit }) => unit, (piece) => piece.to - piece.from, start);
    const parts: string[] = [];
    let unit = finger.unit;
    for (let at = finger.piece; at < this.#pieces.length && unit < end; at += 1) {
      const piece = this.#pieces[at] as Piece;
      const first = piece.from + Math.max(0, start - unit);
      const last = Math.min(piece.to, piece.from + end - unit);
      parts.push(piece.source.index.text.slice(first, last));
      unit += piece.to - piece.from;
    }
    return parts.join('');
  }

  /** Replaces [from, to), in units. */
  splice(from: number, to: number, replacement: string): void {
    this.#pristine = false;
    const first = this.#cut(from);
    const after = this.#cut(to);
    // The pieces from `first` on move away, so the finger goes back to one that stays (or to the very beginning).
    while (this.#finger.piece > 0 && this.#finger.piece >= first) this.#stepBack();
    for (const gone of this.#pieces.splice(first, after - first)) this.#count(gone, -1);
    if (replacement !== '') this.#insert(first, this.#pieceOf(replacement));
    this.#text = null;
  }

  /** The address of this unit, which must be inside the buffer. */
  addressOf(unit: number): number {
    const finger = this.#seek(({ unit: at }) => at, ({ from, to }) => to - from, unit);
    const piece = this.#pieces[finger.piece] as Piece;
    return piece.source.base + piece.from + unit - finger.unit;
  }

  /** Units at which the still standing ones of these addresses are, ascending. */
  unitsOf(addresses: readonly number[]): number[] {
    const units: number[] = [];
    let unit = 0;
    for (const { source, from, to } of this.#pieces) {
      const first = source.base + from;
      const last = source.base + to;
      for (const address of addresses) if (address >= first && address < last) units.push(unit + address - first);
      unit += to - from;
    }
    return units.sort((left, right) => left - right);
  }

  #pieceOf(text: string): Piece {
    const source = { index: new CodePointIndex(text), base: this.#nextBase };
    this.#nextBase += text.length;
    return { source, from: 0, to: text.length, points: source.index.length, bytes: source.index.byteLength };
  }

  #insert(at: number, piece: Piece): void {
    this.#pieces.splice(at, 0, piece);
    this.#count(piece, 1);
  }

  #count(piece: Piece, sign: 1 | -1): void {
    this.#units += sign * (piece.to - piece.from);
    this.#points += sign * piece.points;
    this.#bytes += sign * piece.bytes;
  }

  /** Makes a piece begin at this unit and answers which one. */
  #cut(unit: number): number {
    const finger = this.#seek(({ unit: at }) => at, ({ from, to }) => to - from, unit);
    const piece = this.#pieces[finger.piece];
    const inside = unit - finger.unit;
    if (piece === undefined || inside === 0) return finger.piece;
    const { source, from, to } = piece;
    if (inside === to - from) return finger.piece + 1;
    const { point, byte } = this.#within(finger, inside);
    const left = { source, from, to: from + inside, points: point - finger.point, bytes: byte - finger.byte };
    const right = { source, from: from + inside, to, points: piece.points - left.points, bytes: piece.bytes - left.bytes };
    this.#pieces.splice(finger.piece, 1, left, right);
    return finger.piece + 1;
  }

  #stepBack(): void {
    const { piece, unit, point, byte } = this.#finger;
    const before = this.#pieces[piece - 1];
    if (before === undefined) return;
    this.#finger = { piece: piece - 1, unit: unit - (before.to - before.from), point: point - before.points, byte: byte - before.bytes };
  }

  /** The piece that holds the offset: the later of two neighbours, the last one for the end. */
  #seek(offsetOf: (finger: Finger) => number, lengthOf: (piece: Piece) => number, wanted: number): Finger {
    while (this.#finger.piece > 0 && offsetOf(this.#finger) > wanted) this.#stepBack();
    for (;;) {
      const piece = this.#pieces[this.#finger.piece];
      if (piece === undefined || this.#finger.piece + 1 >= this.#pieces.length) break;
      if (offsetOf(this.#finger) + lengthOf(piece) > wanted) break;
      const { unit, point, byte } = this.#finger;
      this.#finger = { piece: this.#finger.piece + 1, unit: unit + piece.to - piece.from, point: point + piece.points, byte: byte + piece.bytes };
    }
    return this.#finger;
  }

  #within(finger: Finger, inside: number): Place {
    const piece = this.#pieces[finger.piece];
    if (piece === undefined || inside === 0) return { unit: finger.unit, point: finger.point, byte: finger.byte };
    const { index } = piece.source;
    const unit = piece.from + inside;
    return {
      unit: finger.unit + inside,
      point: finger.point + index.toCodePoint(unit) - index.toCodePoint(piece.from),
      byte: finger.byte + index.toByte(unit) - index.toByte(piece.from),
    };
  }
}
