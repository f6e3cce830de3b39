const NEWLINE = 0x0a;

/** One line of the input, without its newline, or the news that a line was longer than allowed and was thrown away. */
export type Line = { ok: true; bytes: Buffer } | { ok: false; droppedBytes: number };

/**
 * Cuts a byte stream into lines. Lengths are bytes. A line longer than `maxBytes` is dropped while it arrives, so that it
 * never sits in memory as a whole, and is reported once, when its newline comes. What follows the last newline is no line.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that `chunk` completes. */
  push(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, from);
      if (newline === -1) break;
      this.#keep(chunk.subarray(from, newline));
      lines.push(this.#take());
      from = newline + 1;
    }
    this.#keep(chunk.subarray(from));
    return lines;
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#length += part.length;
    if (this.#length > this.#maxBytes) this.#parts = [];
    else this.#parts.push(part);
  }

  #take(): Line {
    const [parts, length] = [this.#parts, this.#length];
    this.#parts = [];
    this.#length = 0;
    if (length > this.#maxBytes) return { ok: false, droppedBytes: length };
    return { ok: true, bytes: parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts, length) };
  }
}
