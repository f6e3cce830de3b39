/** Spaces and tabs at the edges of lines. */

/** Every line changed on its own; only LF ends a line. */
export function eachLine(text: string, change: (line: string, isLast: boolean, isFirst: boolean) => string): string {
  const lines = text.split('\n');
  return lines.map((line, at) => change(line, at === lines.length - 1, at === 0)).join('\n');
}

/** The text without any of `chars` at its end. By hand: `/[ \t]+$/` takes quadratic time on a run of blanks elsewhere. */
export function withoutEnd(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}

/** The spaces and tabs that end a line. */
export function endBlanks(line: string): string {
  return line.slice(withoutEnd(line, ' \t').length);
}

/** The spaces and tabs that begin a line. */
export function startBlanks(line: string): string {
  return /^[ \t]*/.exec(line)![0];
}
