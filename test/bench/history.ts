import type pg from 'pg';
import { newSubject } from './commit.ts';
import { fillHistory, makeNarrowTables } from './histories.ts';
import { median, type Row } from './report.ts';

const PAGE = 50;
const GOAL = 2;

interface Page {
  name: string;
  ours: string;
  /** The same page of a table that holds the page's columns and nothing else, under the same index. */
  narrow: string;
}

const newest = (table: string, sequence: string): string =>
  `select * from ${table} where target_file_id = $1 order by ${sequence} desc limit ${PAGE + 1}`;

/** What a client calls and what a DBA reads. */
const PAGES: readonly Page[] = [
  {
    name: 'attempts, call',
    ours: `select * from patchdiff.read_attempts($1, ${PAGE})`,
    narrow: newest('narrow.read_attempts', 'log_sequence'),
  },
  {
    name: 'ledger, call',
    ours: `select * from patchdiff.read_ledger($1, true, ${PAGE})`,
    narrow: `select * from (${newest('narrow.read_ledger', 'ledger_sequence')}) as page order by ledger_sequence`,
  },
  {
    name: 'ledger of the open cycle, call',
    ours: `select * from patchdiff.read_ledger($1, false, ${PAGE})`,
    narrow: `select * from (${newest('narrow.read_ledger', 'ledger_sequence')}) as page order by ledger_sequence`,
  },
  {
    name: 'attempts, view',
    ours: newest('patchdiff_audit.attempts', 'log_sequence'),
    narrow: newest('narrow.attempts', 'log_sequence'),
  },
  {
    name: 'changes, view',
    ours: newest('patchdiff_audit.changes', 'ledger_sequence'),
    narrow: newest('narrow.changes', 'ledger_sequence'),
  },
];

/** Histories whose payloads are large: attempts and characters of each payload. */
const LARGE = [
  { name: '50 × 400 KB, tx/3', format: 'patchdiff-tx/3', attempts: 50, characters: 400_000 },
  { name: '20 × 1 MB, tx/1', format: 'patchdiff-tx/1', attempts: 20, characters: 1_000_000 },
] as const;

/** The newest page of histories with large payloads against a narrow table, and of a long history against a short one. */
export async function benchHistory(admin: pg.Client, quick: boolean, report: (row: Row) => void): Promise<void> {
  const rounds = quick ? 60 : 300;
  for (const history of LARGE) {
    const { id } = await newSubject(admin, 'text\n');
    await fillHistory(admin, { target: id, ...history });
    await makeNarrowTables(admin, id);
    for (const { name, ours, narrow } of PAGES) {
      const times = await interleave(admin, [ours, narrow], [id], rounds);
      report(rowOf(`${name}, ${history.name}`, 'the same page of a narrow table', times));
    }
  }
  const [short, long] = [await newSubject(admin, 'text\n'), await newSubject(admin, 'text\n')];
  const attempts = quick ? 100_000 : 1_000_000;
  await fillHistory(admin, { target: short.id, format: 'patchdiff-tx/1', attempts: 1000, characters: 300 });
  await fillHistory(admin, { target: long.id, format: 'patchdiff-tx/1', attempts, characters: 300 });
  for (const { name, ours } of PAGES) {
    const times = await interleave(admin, [ours, ours], [long.id, short.id], rounds);
    report(rowOf(`${name}, ${attempts.toLocaleString('en')} attempts`, '1,000 attempts', times));
  }
}

function rowOf(name: string, reference: string, [ours = [], theirs = []]: readonly number[][]): Row {
  const [mine, other] = [median(ours), median(theirs)];
  return {
    bench: 'history',
    case: name,
    reference,
    ratio: mine / other,
    goal: GOAL,
    bound: 'most',
    ours: mine,
    theirs: other,
    unit: 'ms',
  };
}

/** Milliseconds of two prepared pages, turn by turn, each for its target (the last one serves both). */
async function interleave(client: pg.Client, texts: readonly string[], targets: readonly string[], rounds: number): Promise<number[][]> {
  const times: number[][] = texts.map(() => []);
  const warmUp = 10;
  for (let round = 0; round < rounds + warmUp; round += 1) {
    for (const [at, text] of texts.entries()) {
      const target = targets[at] ?? targets.at(-1);
      const begun = process.hrtime.bigint();
      await client.query({ name: text.slice(0, 60), text, values: [target] });
      if (round >= warmUp) times[at]?.push(Number(process.hrtime.bigint() - begun) / 1e6);
    }
  }
  return times;
}
