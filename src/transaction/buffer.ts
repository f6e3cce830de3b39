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
  readonly #startLength: number;
  #nextBase = 0;
  #pristine = true;
  #text: string | null;
  #units = 0;
  #points = 0;
  #bytes = 0;

  constructor(text: string) {
    this.#startLength = text.length;
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
    const finger = this.#seek('unit', unit);
    return this.#within(finger, unit - finger.unit);
  }

  /** The place of this code point. */
  atPoint(point: number): Place {
    if (point < 0 || point > this.#points) throw new RangeError(`code point ${point} is outside 0..${this.#points}`);
    const finger = this.#seek('point', point);
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
    const finger = this.#seek('unit', start);
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
    this.#move((finger) => (finger.piece >= first ? -1 : 0));
    for (const gone of this.#pieces.splice(first, after - first)) this.#count(gone, -1);
    if (replacement !== '') this.#insert(first, this.#pieceOf(replacement));
    this.#text = null;
  }

  /** The address of this unit, which must be inside the buffer. */
  addressOf(unit: number): number {
    const finger = this.#seek('unit', unit);
    const piece = this.#pieces[finger.piece] as Piece;
    return piece.source.base + piece.from + unit - finger.unit;
  }

  /** True when the units [unit, unit + length) are those of the starting text from `start` on, none of them replaced or moved apart. */
  isFromStart(unit: number, start: number, length: number): boolean {
    const finger = this.#seek('unit', unit);
    let inside = unit - finger.unit;
    let done = 0;
    for (let at = finger.piece; done < length; at += 1) {
      const piece = this.#pieces[at];
      if (piece?.source.base !== 0 || piece.from + inside !== start + done) return false;
      done += piece.to - piece.from - inside;
      inside = 0;
    }
    return true;
  }

  /** Units at which the still standing ones of these addresses are, ascending. */
  unitsOf(addresses: Iterable<number>): number[] {
    const units: number[] = [];
    for (const address of addresses) {
      const at = this.#pieceOfAddress(address);
      const piece = this.#pieces[at];
      if (piece === undefined) continue;
      this.#move((finger) => at - finger.piece);
      units.push(this.#finger.unit + address - piece.source.base - piece.from);
    }
    return units.sort((left, right) => left - right);
  }

  /** Position of the piece that holds the address; -1 when it is gone. */
  #pieceOfAddress(address: number): number {
    const holds = ({ source, from, to }: Piece): boolean => address >= source.base + from && address < source.base + to;
    if (address >= this.#startLength) return this.#pieces.findIndex(holds);
    // Pieces of the starting text stand in the order of their addresses, among pieces of replacements.
    let low = 0;
    let high = this.#pieces.length - 1;
    while (low <= high) {
      let middle = (low + high) >> 1;
      while (middle > low && this.#pieces[middle]?.source.base !== 0) middle -= 1;
      const piece = this.#pieces[middle] as Piece;
      if (holds(piece)) return middle;
      if (piece.source.base === 0 && address < piece.from) high = middle - 1;
      else if (piece.source.base === 0) low = middle + 1;
      else low = ((low + high) >> 1) + 1;
    }
    return -1;
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
    const finger = this.#seek('unit', unit);
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

  /** The piece that holds the offset: the later of two neighbours, the last one for the end. */
  #seek(unitOf: keyof Place, wanted: number): Finger {
    this.#move((finger, piece, hasNext) => {
      if (finger[unitOf] > wanted) return -1;
      return hasNext && finger[unitOf] + lengthOf(piece, unitOf) <= wanted ? 1 : 0;
    });
    return this.#finger;
  }

  /** Moves the finger piece by piece, in the direction told, until told 0. The first piece ends every way back. */
  #move(direction: (finger: Finger, piece: Piece, hasNext: boolean) => number): void {
    const finger = { ...this.#finger };
    for (let piece = this.#pieces[finger.piece]; piece !== undefined; piece = this.#pieces[finger.piece]) {
      const step = direction(finger, piece, finger.piece + 1 < this.#pieces.length);
      if (step === 0 || (step < 0 && finger.piece === 0)) break;
      const passed = step > 0 ? piece : (this.#pieces[finger.piece - 1] as Piece);
      const sign = step > 0 ? 1 : -1;
      finger.piece += sign;
      finger.unit += sign * (passed.to - passed.from);
      finger.point += sign * passed.points;
      finger.byte += sign * passed.bytes;
    }
    this.#finger = finger;
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

function lengthOf(piece: Piece, unitOf: keyof Place): number {
  switch (unitOf) {
    case 'unit':
      return piece.to - piece.from;
    case 'point':
      return piece.points;
    case 'byte':
      return piece.bytes;
  }
}
