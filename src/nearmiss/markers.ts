/** Marks of the page around a text: the first column of a diff, and the fences of a code block. */

const DIFF_HEAD = /^(?:@@ |diff |index [0-9a-f]+\.\.|--- |\+\+\+ |\\ No newline)/;
const FENCE = /^[ \t]*(`{3,}|~{3,})/;

/**
 * The texts that a piece of a diff may stand for: as it was before, as it is after, and every line of it. Null when some
 * line begins with none of `+`, `-` and a blank, or no line with one of the first two.
 */
export function withoutDiffMarkers(query: string): { before: string; after: string; all: string } | null {
  const lines = query.split('\n').filter((line) => !DIFF_HEAD.test(line));
  if (!lines.every((line) => line === '' || ' +-'.includes(line[0]!)) || !lines.some((line) => /^[+-]/.test(line))) return null;
  const without = (mark: string): string =>
    lines
      .filter((line) => line === '' || line[0] !== mark)
      .map((line) => line.slice(1))
      .join('\n');
  return { before: without('+'), after: without('-'), all: lines.map((line) => line.slice(1)).join('\n') };
}

/** The inside of a fenced block or of inline backticks, with and without its last line break; null when it is neither. */
export function withoutFences(query: string): string[] | null {
  const inline = /^(`{1,2})([^`\n]+)\1$/.exec(query.trim())?.[2];
  if (inline !== undefined) return [inline];
  const lines = query.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const opens = FENCE.test(lines[first] ?? '');
  const closes = last > first && FENCE.test(lines[last] ?? '');
  if (!opens && !closes) return null;
  const inside = lines.slice(opens ? first + 1 : 0, closes ? last : lines.length).join('\n');
  return [`${inside}\n`, inside];
}
