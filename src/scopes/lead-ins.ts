/** The comments and attributes of a text in their order, to be asked which of them belong to what begins below. */
export class LeadIns {
  readonly #text: string;
  readonly #indented: boolean;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #attributes: boolean[] = [];

  constructor(text: string, indented: boolean) {
    this.#text = text;
    this.#indented = indented;
  }

  /** Takes one, in the order of the text. */
  add(start: number, end: number, attribute: boolean): void {
    if (start === 0 && this.#text.startsWith('#!')) return;
    let last = end;
    // Some grammars count the line feed to the comment.
    while (last > start && /\s/.test(this.#text[last - 1]!)) last -= 1;
    this.#starts.push(start);
    this.#ends.push(last);
    this.#attributes.push(attribute);
  }

  /**
   * Where that which begins at `start` begins with what leads it in: attributes across any blanks, comments that begin their line and
   * end on the line before or on its own. Where indentation counts, a comment must be indented alike.
   */
  startOf(start: number): number {
    let from = start;
    const indent = this.#indentBefore(start);
    for (let at = this.#starts.length - 1; at >= 0; at -= 1) {
      const [begins, ends] = [this.#starts[at]!, this.#ends[at]!];
      if (begins >= from) continue;
      const between = ends <= from ? this.#text.slice(ends, Math.min(from, ends + 4096)) : 'x';
      if (between.trim() !== '' || ends + between.length < from) break;
      if (!this.#attributes[at]) {
        if (between.includes('\n', between.indexOf('\n') + 1) && between.indexOf('\n') >= 0) break;
        const own = this.#indentBefore(begins);
        if (own === null || (this.#indented && own !== indent)) break;
      }
      from = begins;
    }
    return from;
  }

  /** The blanks before an offset on its line; null when something else stands there too. */
  #indentBefore(offset: number): string | null {
    let at = offset;
    while (at > 0 && (this.#text[at - 1] === ' ' || this.#text[at - 1] === '\t')) at -= 1;
    return at === 0 || this.#text[at - 1] === '\n' ? this.#text.slice(at, offset) : null;
  }
}
