/**
 * What readers and search tools put before a line: `12| `, `12: `, `  12\t`, `12→`, `12:a3|`, `L12: `, `[12] `, `src/a.ts:12:`. It
 * ends before the separating blanks, because which of them belong to the text only the document can tell.
 */
const NUMBER =
  /^[ \t]*(?:[^\s:|]{1,200}:)?(?:L|line |\[)?\d{1,9}(?:[:#][0-9A-Fa-f]{1,8}[ \t]*[|\u2502\u2503\u2192]|[ \t]*[|:\u2502\u2503\u2192\u203A>)\]-]|(?=[ \t]|$))/;
/** Blanks after the number that may be the reader's: a tab, or up to this many spaces. */
const SPACES = 2;

/**
 * The query without line numbers, as often as it can be read: with none, one or two of the blanks after each number taken
 * for the reader's, the fewest first. Null when a line that is not blank has none, but for the first, which may have been taken up inside.
 */
export function withoutLineNumbers(query: string): { queries: string[]; prefix: string } | null {
  let prefix: string | null = null;
  const lines: { rest: string; numbered: boolean }[] = [];
  for (const [at, line] of query.split('\n').entries()) {
    const found = NUMBER.exec(line)?.[0] ?? null;
    if (found === null && line.trim() !== '' && at > 0) return null;
    prefix ??= found;
    lines.push({ rest: line.slice(found?.length ?? 0), numbered: found !== null });
  }
  if (prefix === null) return null;
  const readings = [...Array.from({ length: SPACES + 1 }, (_, most) => takeSpaces(most)), takeTab];
  const queries = readings.map((read) => lines.map(({ rest, numbered }) => (numbered ? read(rest) : rest)).join('\n'));
  return { queries: Array.from(new Set(queries)), prefix };
}

function takeTab(rest: string): string {
  return rest.replace(/^ *\t/, '');
}

function takeSpaces(most: number): (rest: string) => string {
  return (rest) => {
    let taken = 0;
    while (taken < most && rest[taken] === ' ') taken++;
    return rest.slice(taken);
  };
}
