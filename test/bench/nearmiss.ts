import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { distanceBound, search } from '../../src/nearmiss/search.ts';
import { built } from '../helpers/build.ts';
import { points, randomness } from '../nearmiss/cases.ts';
import { CORPORA } from './corpora.ts';
import { buildEdlib } from './edlib/build.ts';
import type { Edlib } from './edlib/build.ts';
import { median, type Row } from './report.ts';

const SIZES: [name: string, length: number][] = [
  ['64K', 1 << 16],
  ['1M', 1 << 20],
];
const QUERIES = [20, 80, 256];
const RATES = [0.01, 0.05, 0.1, 0.2];
/** Every buffer is searched whole. */
const WORK_CAP = 1 << 26;

type Report = (row: Row) => void;

interface Cell {
  kind: string;
  size: string;
  length: number;
  rate: number;
  text: string;
  query: number[];
}

/** Near misses against edlib, repetitive texts against prose, and the first call of a process. No database takes part. */
export async function benchNearMiss(quick: boolean, report: Report): Promise<void> {
  const edlib = buildEdlib();
  const ratios: number[] = [];
  let differences = 0;
  await warmUp();
  for (const [size, length] of SIZES) {
    const rounds = (size === '64K' ? 25 : 7) * (quick ? 1 : 2);
    const texts = Object.entries(CORPORA).map(([kind, make]): [string, string] => [kind, make(length)]);
    if (typeof edlib !== 'string') {
      for (const [kind, text] of texts) {
        for (const cell of cellsOf(kind, size, length, text)) {
          const { row, same } = against(edlib, cell, rounds);
          report(row);
          ratios.push(row.ratio);
          if (!same) differences++;
        }
      }
    }
    const prose = texts.find(([kind]) => kind === 'prose')![1];
    for (const kind of ['log', 'one letter']) {
      const text = kind === 'log' ? CORPORA['log']!(length) : 'a'.repeat(length);
      for (const rows of QUERIES)
        report(repetitive(cellsOf(kind, size, length, text, [rows]), cellsOf('prose', size, length, prose, [rows]), rounds));
    }
  }
  if (typeof edlib === 'string') {
    for (const name of ['every cell', 'median of all cells', 'least distances that differ']) report(missing(name, edlib));
  } else {
    const shared = { bench: 'nearmiss', reference: 'edlib', ours: 0, theirs: 0, unit: 'none' } as const;
    report({ ...shared, case: `median of ${ratios.length} cells`, ratio: median(ratios), goal: 3.5, bound: 'least' });
    report({ ...shared, case: 'cells whose least distance differs', ratio: differences, goal: 0, bound: 'most' });
  }
  report(await firstCall(quick ? 5 : 15));
}

/** Has the engine optimise what is measured: it does so behind the back of the program, some time after a function proved busy. */
async function warmUp(): Promise<void> {
  for (const kind of ['prose', 'log']) {
    const cells = cellsOf(kind, 'warm', 1 << 16, CORPORA[kind]!(1 << 16));
    for (let round = 0; round < 10; round++) {
      for (const { text, query } of cells) search(text, query, distanceBound(query.length), WORK_CAP);
      await setTimeout(30);
    }
  }
}

/** One cell for each query length and error rate. */
function cellsOf(kind: string, size: string, length: number, text: string, queries = QUERIES): Cell[] {
  const codes = points(text);
  return queries.flatMap((rows) =>
    RATES.map((rate) => ({
      kind,
      size,
      length,
      rate,
      text,
      query: kind === 'one letter' ? runWithErrors(rows, rate) : damaged(text, codes, rows, rate),
    })),
  );
}

/** A piece of the text after ⌈rows × rate⌉ edits, again `rows` long, that does not occur in it as it is. */
function damaged(text: string, codes: readonly number[], rows: number, rate: number): number[] {
  const below = randomness(rows * 1000 + rate * 100);
  for (;;) {
    const from = Math.floor(codes.length * 0.35) + below(Math.floor(codes.length * 0.5) - rows - 8);
    const query = codes.slice(from, from + rows);
    for (let i = 0; i < Math.max(1, Math.round(rows * rate)); i++) {
      const at = below(query.length);
      const kind = below(4);
      if (kind < 2) query[at] = codes[below(codes.length)]!;
      else if (kind === 2) query.splice(at, 1);
      else query.splice(at, 0, codes[below(codes.length)]!);
    }
    for (let next = from + rows; query.length < rows; next++) query.push(codes[next]!);
    query.length = rows;
    if (!text.includes(String.fromCodePoint(...query))) return query;
  }
}

function runWithErrors(rows: number, rate: number): number[] {
  const below = randomness(rows + rate * 100);
  const query = Array.from({ length: rows }, () => 0x61);
  for (let i = 0; i < Math.max(1, Math.round(rows * rate)); i++) query[below(rows)] = 0x62;
  return query;
}

/** Ours and edlib in turn. edlib gets bytes, mapped from the code points outside of the measurement. */
function against(edlib: Edlib, { kind, size, rate, text, query }: Cell, rounds: number): { row: Row; same: boolean } {
  const bound = distanceBound(query.length);
  const classes = new Map([...new Set(query)].map((point, index) => [point, index + 1]));
  if (classes.size > 255) throw new RangeError('edlib takes bytes, and the query has more than 255 different code points');
  const bytes = (codes: readonly number[]): Buffer => Buffer.from(codes.map((point) => classes.get(point) ?? 0));
  const [queryBytes, textBytes] = [bytes(query), bytes(points(text))];
  const run = (): number => search(text, query, bound, WORK_CAP).hits[0]?.distance ?? -1;
  const reference = (): number => edlib.align(queryBytes, textBytes, bound)[0];
  const row: Row = {
    bench: 'nearmiss',
    case: `${kind}, ${size}, ${query.length} code points, ${rate * 100} % errors`,
    reference: 'edlib',
    goal: 2.2,
    bound: 'least',
    unit: 'ms',
    ...inTurn(run, reference, rounds),
  };
  return { row, same: run() === reference() };
}

/** The worst error rate of a repetitive text, against prose of the same size and the same query length. */
function repetitive(cells: readonly Cell[], prose: readonly Cell[], rounds: number): Row {
  const searched =
    ({ text, query }: Cell) =>
    (): unknown =>
      search(text, query, distanceBound(query.length), WORK_CAP);
  const rows = cells.map((cell, index): Row => {
    const { ours: theirs, theirs: ours, ratio } = inTurn(searched(prose[index]!), searched(cell), rounds);
    const name = `${cell.kind}, ${cell.size}, ${cell.query.length} code points, worst error rate`;
    return { bench: 'nearmiss', case: name, reference: 'our own prose', ratio, goal: 2.5, bound: 'most', ours, theirs, unit: 'ms' };
  });
  return rows.reduce((worst, row) => (row.ratio > worst.ratio ? row : worst));
}

/**
 * Median milliseconds of both, and the median of what the second took in terms of the first, round by round, after three rounds
 * that do not count. It is the processor's time, and each ratio that of neighbours in time: both functions keep one thread busy,
 * and what else the machine does changes their times, not which of them is faster.
 */
function inTurn(first: () => unknown, second: () => unknown, rounds: number): { ours: number; theirs: number; ratio: number } {
  const times = Array.from({ length: 3 + rounds }, () => ({ ours: processorTime(first), theirs: processorTime(second) })).slice(3);
  return {
    ours: median(times.map(({ ours }) => ours)),
    theirs: median(times.map(({ theirs }) => theirs)),
    ratio: median(times.map(({ ours, theirs }) => theirs / ours)),
  };
}

function processorTime(measured: () => unknown): number {
  const started = process.cpuUsage();
  measured();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

/** The first search of a fresh process on the built package, compiling and instantiating included. */
async function firstCall(processes: number): Promise<Row> {
  const module = pathToFileURL(path.join(await built(), 'nearmiss/search.js')).href;
  const text = CORPORA['prose']!(1 << 16);
  const query = damaged(text, points(text), 80, 0.05);
  const program = `
    import { search } from ${JSON.stringify(module)};
    let text = '';
    for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
    const started = performance.now();
    const { hits } = search(text, ${JSON.stringify(query)}, ${distanceBound(query.length)}, ${WORK_CAP});
    const took = performance.now() - started;
    if (hits.length === 0) throw new Error('nothing found');
    console.log(took);
  `;
  const times = Array.from({ length: processes }, () =>
    Number(execFileSync(process.execPath, ['--input-type=module', '-e', program], { input: text, encoding: 'utf8' })),
  );
  const ours = median(times);
  const shared = { bench: 'nearmiss', case: 'first call of a process, 64K prose, 80 code points', reference: '1 ms', unit: 'ms' } as const;
  return { ...shared, ratio: ours, goal: 30, bound: 'most', ours, theirs: 1 };
}

function missing(name: string, reason: string): Row {
  const shared = {
    bench: 'nearmiss',
    reference: 'edlib',
    ratio: NaN,
    goal: 2.2,
    bound: 'least',
    ours: NaN,
    theirs: NaN,
    unit: 'none',
  } as const;
  return { ...shared, case: name, missing: reason };
}
