const MARKER = /^(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/;

/**
 * Which lines of a Markdown text stand in a list item. Lines come in order; only the outermost item is followed, because whatever
 * stands in it is no heading of the document.
 */
export class ListItems {
  /** Columns that a line must be indented to stand in the open item; −1: none is open. */
  #column = -1;
  /** Whether the last line may go on, unindented, as the text of its paragraph. */
  #open = false;
  #empty = false;
  #fence: string | null = null;

  /**
   * Whether a line stands in an item, one that it begins too. `indent`: its columns of blanks; `breaks`: whether it cannot go on with a
   * paragraph; `paragraph`: whether a paragraph of the document is open, which few markers interrupt.
   */
  holds(content: string, indent: number, breaks: boolean, paragraph: boolean): boolean {
    if (this.#column >= 0) {
      if (content.trim() === '') {
        // An item that begins with a blank line ends with the second.
        if (this.#empty) this.#column = -1;
        this.#open = false;
        return this.#column >= 0;
      }
      if (indent >= this.#column || (this.#open && !breaks && !MARKER.test(content))) {
        this.#take(content, breaks);
        return true;
      }
      this.#column = -1;
    }
    const marker = MARKER.exec(content);
    if (marker === null || indent > 3 || breaks) return false;
    const [mark, number] = marker;
    const rest = content.slice(mark.length);
    if (paragraph && (rest.trim() === '' || (number !== undefined && Number(number) !== 1))) return false;
    this.#column = columnOf(indent + mark.length, rest);
    this.#fence = null;
    // Text behind five blanks is code, which no other line goes on.
    this.#take(rest.trimStart(), /^[ \t]{5}/.test(rest));
    this.#empty = rest.trim() === '';
    return true;
  }

  /** Notes what a line of the item says of the next one. */
  #take(content: string, breaks: boolean): void {
    this.#empty = false;
    let text = content;
    for (let inner = MARKER.exec(text); inner !== null; inner = MARKER.exec(text)) text = text.slice(inner[0].length).trimStart();
    const fence = /^(?:`{3,}|~{3,})/.exec(text)?.[0] ?? null;
    const within = this.#fence !== null;
    if (this.#fence === null) this.#fence = fence;
    else if (fence?.startsWith(this.#fence) === true) this.#fence = null;
    this.#open = !within && this.#fence === null && !breaks && text !== '' && !/^#{1,6}(?:[ \t]|$)/.test(text);
  }
}

/** Where the text of an item begins: behind up to four columns of blanks, else, as code or nothing, behind one. */
function columnOf(from: number, rest: string): number {
  let column = from;
  for (const character of rest) {
    if (character === ' ') column += 1;
    else if (character === '\t') column = (column | 3) + 1;
    else break;
  }
  return column - from > 4 || rest.trim() === '' ? from + 1 : column;
}
