import { createRequire } from 'node:module';
import path from 'node:path';
import { blockLength, occurrences } from './reading.ts';
import type { Session } from './session.ts';
import type { Change, Edit, Place } from './task.ts';

const require = createRequire(import.meta.url);

/** Arguments of Node that start the MCP reference server for files in a directory. */
export function filesystemServer(root: string): string[] {
  const manifest = require.resolve('@modelcontextprotocol/server-filesystem/package.json');
  return [path.join(path.dirname(manifest), 'dist/index.js'), root];
}

/**
 * Carries the changes out with `read_text_file` and `edit_file`, which replaces the first occurrence of a text: each file is read once, whole, and
 * an old text is sent with as many lines around it as make it the only one. The diff that comes back must show every new text.
 */
export async function changeThroughFilesystem(session: Session, root: string, changes: readonly Change[]): Promise<void> {
  const seen = new Map<string, string>();
  for (const change of changes) {
    const file = path.join(root, change.file);
    // Line feeds alone, as a model writes them: the server compares without carriage returns.
    const text = seen.get(file) ?? String((await session.call('read_text_file', { path: file }))['content']).replaceAll('\r\n', '\n');
    const { edits, after } = uniqueEdits(text, change.places);
    const { content } = await session.call('edit_file', { path: file, edits });
    const shown = String(content)
      .split('\n')
      .filter((line) => !line.startsWith('-'))
      .map((line) => line.slice(1))
      .join('\n');
    for (const { new: made } of change.places.flatMap((place) => place.edits)) {
      if (!shown.includes(made)) throw new Error(`the diff does not show ${JSON.stringify(made)}`);
    }
    seen.set(file, after);
  }
}

interface TextEdit {
  oldText: string;
  newText: string;
}

/** The edits, each unique in the text that the ones before it leave, and the text after all of them. */
function uniqueEdits(text: string, places: readonly Place[]): { edits: TextEdit[]; after: string } {
  const edits: TextEdit[] = [];
  let after = text;
  for (const place of places) {
    for (const edit of place.edits) {
      const made = edit.every === true ? wholeBlock(after, place, edit) : widened(after, place, edit);
      after = after.replace(made.oldText, () => made.newText);
      edits.push(made);
    }
  }
  return { edits, after };
}

/** From where to where the place stands in the text, in UTF-16 units. */
function blockOf(text: string, { headings }: Place): { from: number; to: number } {
  let at = 0;
  for (const heading of headings) {
    at = text.indexOf(heading, at);
    if (at === -1) throw new Error(`${heading} is not in the file`);
  }
  const from = text.lastIndexOf('\n', at) + 1;
  const lines = text.slice(from).split('\n');
  const block = lines.slice(0, blockLength(lines) ?? lines.length).join('\n');
  return { from, to: from + block.length };
}

/** A text that is to be replaced everywhere in a place: the lines from its first to its last occurrence, in one. */
function wholeBlock(text: string, place: Place, edit: Edit): TextEdit {
  const { from, to } = blockOf(text, place);
  const starts = occurrences(text.slice(from, to), edit.old);
  const [first, last] = [starts[0], starts.at(-1)];
  if (first === undefined || last === undefined) throw new Error(`${edit.old} is not in ${place.names.join(' > ')}`);
  return grown(text, from + first, from + last + edit.old.length, (old) => old.replaceAll(edit.old, () => edit.new));
}

function widened(text: string, place: Place, edit: Edit): TextEdit {
  const { from, to } = blockOf(text, place);
  const [at, ...others] = occurrences(text.slice(from, to), edit.old);
  if (at === undefined || others.length > 0) throw new Error(`${edit.old} is not once in ${place.names.join(' > ')}`);
  return grown(text, from + at, from + at + edit.old.length, (old, cut) => `${old.slice(0, cut.start)}${edit.new}${old.slice(cut.end)}`);
}

/** Whole lines around `[from, to)`, one more above and below until they stand in the text once. */
function grown(text: string, from: number, to: number, change: (old: string, cut: { start: number; end: number }) => string): TextEdit {
  let [start, end] = [lineStart(text, from), lineEnd(text, to)];
  while (occurrences(text, text.slice(start, end)).length > 1) {
    [start, end] = [lineStart(text, Math.max(0, start - 1)), lineEnd(text, Math.min(text.length, end + 1))];
  }
  const oldText = text.slice(start, end);
  return { oldText, newText: change(oldText, { start: from - start, end: to - start }) };
}

const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}
