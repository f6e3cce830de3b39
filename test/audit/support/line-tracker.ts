import type { AppliedChange } from './history.ts';

/** A line with its LF, and who wrote it last. */
export interface OwnedLine {
  text: string;
  owner: string;
}

export const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\n)/));
const endsLine = (text: string): boolean => text === '' || text.endsWith('\n');

/** The lines after one splice of the text that these lines are: literally the definition in docs/spec/blame.md. */
export function spliced(lines: readonly OwnedLine[], { start, end, replacement }: AppliedChange, owner: string): OwnedLine[] {
  const points = [...lines.map(({ text }) => text).join('')];
  const [head, matched, tail] = [points.slice(0, start).join(''), points.slice(start, end).join(''), points.slice(end).join('')];
  const first = head.split('\n').length - 1;
  const before = head.slice(head.lastIndexOf('\n') + 1);
  const after = endsLine(before + matched) && endsLine(before + replacement) ? '' : (linesOf(tail)[0] ?? '');
  const old = linesOf(before + matched + after);
  const fresh = linesOf(before + replacement + after);
  let prefix = 0;
  while (prefix < Math.min(old.length, fresh.length) && old[prefix] === fresh[prefix]) prefix += 1;
  let suffix = 0;
  while (suffix < Math.min(old.length, fresh.length) - prefix && old.at(-1 - suffix) === fresh.at(-1 - suffix)) suffix += 1;
  return [
    ...lines.slice(0, first + prefix),
    ...fresh.slice(prefix, fresh.length - suffix).map((text) => ({ text, owner })),
    ...lines.slice(first + old.length - suffix),
  ];
}

/**
 * Whether `after` can be what a shortest line diff makes of `before`: every line not written by `owner` stands for a line of
 * before with the same text and owner, in the same order, and no diff keeps more lines.
 */
export function isShortestRewrite(before: readonly OwnedLine[], after: readonly OwnedLine[], owner: string): boolean {
  const kept = after.filter((line) => line.owner !== owner);
  return (
    kept.length === common(before, after, (a, b) => a.text === b.text) &&
    kept.length === common(before, kept, (a, b) => a.text === b.text && a.owner === b.owner)
  );
}

/** Length of the longest common subsequence. */
function common<T>(left: readonly T[], right: readonly T[], same: (a: T, b: T) => boolean): number {
  let row = new Array<number>(right.length + 1).fill(0);
  for (const one of left) {
    const next = [0];
    for (const [at, other] of right.entries()) next.push(same(one, other) ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    row = next;
  }
  return row[right.length] ?? 0;
}
