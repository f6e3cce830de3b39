/** One measured case: a ratio to a named reference of the same run. */
export interface Row {
  bench: string;
  case: string;
  /** What the ratio is taken against. */
  reference: string;
  ratio: number;
  goal: number;
  /** Whether a ratio above the goal (`most`) or below it (`least`) misses it. */
  bound: 'most' | 'least';
  /** Milliseconds or commits per second, of ours and of the reference; for the reader, not for comparison between runs. */
  ours: number;
  theirs: number;
  /** `none` where the ratio stands for itself. */
  unit: 'ms' | 'per second' | 'none';
  /** Why the case was not measured; its ratio is then NaN, and it does not hold. */
  missing?: string;
}

export const holds = (row: Row): boolean => (row.bound === 'most' ? row.ratio <= row.goal : row.ratio >= row.goal);

/** One object a line. */
export function jsonLine(row: Row): string {
  const { bench, case: name, reference, ratio, goal, bound, missing } = row;
  return JSON.stringify({ bench, case: name, reference, ratio: round(ratio), bound, goal, holds: holds(row), missing });
}

export function markdownTable(rows: readonly Row[]): string {
  const head = '| bench | case | reference | ratio | goal | | ours | reference |\n|---|---|---|---:|---:|---|---:|---:|\n';
  const line = (row: Row): string => {
    const goal = `${row.bound === 'most' ? '≤' : '≥'} ${row.goal}`;
    const shown = (value: number): string => (row.unit === 'none' ? '' : `${round(value)} ${row.unit === 'ms' ? 'ms' : '/s'}`);
    const ratio = row.missing === undefined ? round(row.ratio).toFixed(2) : 'not measured';
    const verdict = holds(row) ? 'holds' : `**missed**${row.missing === undefined ? '' : `: ${row.missing}`}`;
    return `| ${row.bench} | ${row.case} | ${row.reference} | ${ratio} | ${goal} | ${verdict} | ${shown(row.ours)} | ${shown(row.theirs)} |`;
  };
  return `${head}${rows.map(line).join('\n')}\n`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new RangeError('nothing was measured');
  return middle;
}

const round = (value: number): number => Math.round(value * 100) / 100;
