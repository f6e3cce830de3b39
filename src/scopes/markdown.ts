import { lineStarts } from '../text/index.ts';
import { ListItems } from './list-items.ts';
import type { RawScope } from './types.ts';

/** Lines of HTML in which nothing is a heading, and what ends them. */
const HTML_BLOCKS: readonly [begins: RegExp, ends: RegExp][] = [
  [/^<(?:script|pre|style|textarea)(?:[ \t>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [/^<![a-z]/i, />/],
];
/** Elements that stand for themselves; the block that one begins goes on to a blank line. */
const BLOCK_TAG = new RegExp(
  `^</?(?:${[
    'address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset figcaption',
    'figure footer form frame frameset h[1-6] head header hr html iframe legend li link main menu menuitem nav noframes ol optgroup option p',
    'param search section summary table tbody td tfoot th thead title tr track ul',
  ]
    .join(' ')
    .replaceAll(' ', '|')})(?:[ \\t]|/?>|$)`,
  'i',
);
/** One whole tag alone on its line: such a block too, but it does not interrupt a paragraph. */
const LONE_TAG =
  /^<(?:\/[a-z][\w-]*[ \t]*|[a-z][\w-]*(?:[ \t]+[a-z_:][\w.:-]*(?:[ \t]*=[ \t]*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*[ \t]*\/?)>[ \t]*$/i;
/** UTF-16 units of a line that is looked at as one tag. */
const LONGEST_TAG = 4096;
const BLANK_LINE = /^[ \t]*$/;

/**
 * Sections of a Markdown text by its headings (`#` and underlined ones), nested by level, with front matter and what stands before
 * the first heading. Nothing within a code fence, front matter, an HTML block, a list item or a quotation is a heading. One pass over the lines.
 */
export function sectionsOf(text: string): RawScope[] {
  const starts = lineStarts(text);
  const lineAt = (at: number): string => {
    const end = starts[at + 1] ?? text.length;
    return text.slice(starts[at], text[end - 1] === '\n' ? end - 1 : end);
  };
  const sections: RawScope[] = [];
  const open: { level: number; at: number }[] = [];
  const begin = (kind: string, name: string, start: number, level: number): void => {
    while ((open.at(-1)?.level ?? 0) >= level) sections[open.pop()!.at]!.end = start;
    sections.push({ kind, name, start, end: text.length, parent: open.at(-1)?.at ?? -1, hasErrors: false, onlyAsParent: false });
    open.push({ level, at: sections.length - 1 });
  };

  let at = frontMatterLines(starts.length, lineAt);
  if (at > 0) begin('front-matter', 'front matter', 0, 7);
  if (at > 0 && at < starts.length) begin('preamble', 'preamble', starts[at]!, 7);
  else if (at === 0 && starts.length > 0) begin('preamble', 'preamble', 0, 7);

  let fence: { mark: string; length: number } | null = null;
  let ends: RegExp | null = null;
  const items = new ListItems();
  // Where the paragraph began whose underlining would make it a heading; −1: none is open, −2: a quotation is.
  let paragraph = -1;
  for (; at < starts.length; at += 1) {
    const line = lineAt(at);
    if (ends !== null) {
      if (ends.test(line)) ends = null;
      continue;
    }
    const indent = indentOf(line);
    const content = line.slice(indent);
    const marked = indent <= 3 ? fenceOf(content) : null;
    if (fence !== null) {
      if (marked?.mark === fence.mark && marked.length >= fence.length && marked.bare) fence = null;
      continue;
    }
    const level = indent <= 3 ? headingLevel(content) : 0;
    const underlined = indent <= 3 && paragraph >= 0 ? underlineLevel(content) : 0;
    const block = indent <= 3 ? htmlBlockEnd(content, paragraph !== -1) : null;
    const breaks = level > 0 || underlined > 0 || marked?.opens === true || (indent <= 3 && breaksText(content));
    if (items.holds(content, indent, breaks, paragraph >= 0)) {
      paragraph = -1;
      continue;
    }
    if (content.trim() === '') paragraph = -1;
    else if (indent <= 3) {
      ends = block?.test(line) === false ? block : null;
      if (marked !== null && marked.opens) {
        fence = marked;
        paragraph = -1;
      } else if (level > 0) {
        begin('section', headingText(content, level), starts[at]!, level);
        paragraph = -1;
      } else if (underlined > 0) {
        const from = starts[paragraph]!;
        begin('section', text.slice(from, starts[at]), from, underlined);
        paragraph = -1;
      } else if (block !== null || isRule(content)) paragraph = -1;
      else if (content.startsWith('>')) paragraph = isText(content.replace(/^(?:>[ \t]?)+/, '')) ? -2 : -1;
      else if (paragraph === -1) paragraph = at;
    }
  }
  return sections;
}

/** How many lines the front matter takes, its fences included; 0: there is none. */
function frontMatterLines(count: number, lineAt: (at: number) => string): number {
  const first = count > 0 ? lineAt(0).trimEnd() : '';
  if (first !== '---' && first !== '+++') return 0;
  for (let at = 1; at < count; at += 1) {
    const line = lineAt(at).trimEnd();
    if (line === first || (first === '---' && line === '...')) return at + 1;
  }
  return 0;
}

/** Columns of the blanks a line begins with; it is a code of its own from four on. */
function indentOf(line: string): number {
  let at = 0;
  while (line[at] === ' ') at += 1;
  return line[at] === '\t' ? 4 : at;
}

function fenceOf(content: string): { mark: string; length: number; bare: boolean; opens: boolean } | null {
  const mark = content[0];
  if (mark !== '`' && mark !== '~') return null;
  let length = 1;
  while (content[length] === mark) length += 1;
  if (length < 3) return null;
  const rest = content.slice(length);
  return { mark, length, bare: rest.trim() === '', opens: mark === '~' || !rest.includes('`') };
}

/** 1 to 6, or 0 for no heading. */
function headingLevel(content: string): number {
  let level = 0;
  while (content[level] === '#') level += 1;
  return level <= 6 && (level === content.length || content[level] === ' ' || content[level] === '\t') ? level : 0;
}

function headingText(content: string, level: number): string {
  const body = content.slice(level).trim();
  let end = body.length;
  while (end > 0 && body[end - 1] === '#') end -= 1;
  return end === 0 || body[end - 1] === ' ' || body[end - 1] === '\t' ? body.slice(0, end).trimEnd() : body;
}

function underlineLevel(content: string): number {
  const line = content.trimEnd();
  const mark = line[0];
  if (mark !== '=' && mark !== '-') return 0;
  for (const character of line) if (character !== mark) return 0;
  return mark === '=' ? 1 : 2;
}

function isRule(content: string): boolean {
  const mark = content[0];
  if (mark !== '*' && mark !== '-' && mark !== '_') return false;
  let count = 0;
  for (const character of content) {
    if (character === mark) count += 1;
    else if (character !== ' ' && character !== '\t') return false;
  }
  return count >= 3;
}

/** Whether a line ends the paragraph above, though it is neither heading nor fence. */
function breaksText(content: string): boolean {
  return isRule(content) || content.startsWith('>') || htmlBlockEnd(content, true) !== null;
}

/** Whether a line of a quotation is text, which the next line may go on with. */
function isText(content: string): boolean {
  return content.trim() !== '' && headingLevel(content) === 0 && fenceOf(content) === null && !breaksText(content);
}

/** What ends the HTML block that begins here; null when none does. */
function htmlBlockEnd(content: string, paragraph: boolean): RegExp | null {
  if (!content.startsWith('<')) return null;
  const block = HTML_BLOCKS.find(([begins]) => begins.test(content));
  if (block !== undefined) return block[1];
  const alone = !paragraph && content.length <= LONGEST_TAG && LONE_TAG.test(content);
  return alone || BLOCK_TAG.test(content) ? BLANK_LINE : null;
}
