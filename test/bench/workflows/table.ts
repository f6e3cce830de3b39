import { median } from '../report.ts';
import type { Cost } from './session.ts';
import { FILES } from './task.ts';
import type { Trial, Way } from './trial.ts';

/** One object a line. */
export function trialLine({ way, setUp, work, checks, outcomes }: Trial): string {
  return JSON.stringify({
    bench: 'workflows',
    way,
    setUp: rounded(setUp),
    work: rounded(work),
    checks,
    files: Object.fromEntries(outcomes),
  });
}

const rounded = (cost: Cost): Cost => ({ ...cost, ms: Math.round(cost.ms) });

type Column = [head: string, of: (trial: Trial) => number];

const COLUMNS: readonly Column[] = [
  ['tool calls', ({ work }) => work.calls],
  ['bytes sent', ({ work }) => work.sent],
  ['bytes received', ({ work }) => work.received],
  ['ms', ({ work }) => work.ms],
  ['set-up calls', ({ setUp }) => setUp.calls],
  ['set-up bytes sent', ({ setUp }) => setUp.sent],
  ['set-up bytes received', ({ setUp }) => setUp.received],
  ['set-up ms', ({ setUp }) => setUp.ms],
  ['checks', ({ checks }) => checks],
];

/** A row a way: medians, with the range where the trials differ, and how many files of a trial have every byte as meant. */
export function trialTable(trials: readonly Trial[], ways: readonly Way[]): string {
  const head = `| way | trials | ${COLUMNS.map(([name]) => name).join(' | ')} | files byte for byte |`;
  const rows = ways.map((way) => {
    const own = trials.filter((trial) => trial.way === way);
    const asMeant = own.flatMap(({ outcomes }) => [...outcomes.values()]).filter((outcome) => outcome === 'as meant').length;
    const cells = [way, own.length, ...COLUMNS.map(([, of]) => cell(own.map(of))), `${asMeant} of ${own.length * FILES.length}`];
    return `| ${cells.join(' | ')} |`;
  });
  return `${[head, `|---|${'---:|'.repeat(COLUMNS.length + 2)}`, ...rows].join('\n')}\n`;
}

function cell(values: readonly number[]): string {
  const shown = (value: number): string => Math.round(value).toLocaleString('en');
  const [least, most] = [shown(Math.min(...values)), shown(Math.max(...values))];
  return least === most ? least : `${shown(median(values))} (${least}–${most})`;
}

/** Which files came out otherwise than meant, one line a way and file. */
export function differences(trials: readonly Trial[]): string[] {
  const lines = trials.flatMap(({ way, outcomes }) =>
    [...outcomes].filter(([, outcome]) => outcome !== 'as meant').map(([file, outcome]) => `${way}: ${file} has ${outcome} than meant`),
  );
  return [...new Set(lines)].sort();
}
