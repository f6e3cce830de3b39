import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { databaseUrl, withServer as withClient } from '../helpers/template.ts';
import { benchCommit } from './commit.ts';
import { benchContention } from './contention.ts';
import { benchHistory } from './history.ts';
import { benchNearMiss } from './nearmiss.ts';
import { benchScopes } from './scopes.ts';
import { holds, jsonLine, markdownTable, type Row } from './report.ts';
import { withBenchServer } from './server.ts';

const BENCHES = ['commit', 'contention', 'history', 'nearmiss', 'scopes'] as const;
/** Those that need no database. */
const PURE: readonly string[] = ['nearmiss', 'scopes'];
const PAGES = path.resolve(import.meta.dirname, '../../docs/benchmarks');

/**
 * `npm run bench -- [name…] [--json] [--quick]`: measures, what needs a database on a fresh embedded server with fsync on, and prints
 * one table (or one object a line). A run that is not quick writes the pages of docs/benchmarks whose benches it ran. A missed
 * goal is printed, never an exit code.
 */
export async function main(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
  });
  const unknown = positionals.find((name) => !BENCHES.some((bench) => bench === name));
  if (unknown !== undefined) {
    process.stderr.write(`no bench is called ${unknown}; there are ${BENCHES.join(', ')}\n`);
    return 2;
  }
  const wanted = positionals.length === 0 ? BENCHES : BENCHES.filter((bench) => positionals.includes(bench));
  const rows: Row[] = [];
  const report = (row: Row): void => {
    rows.push(row);
    if (values.json) process.stdout.write(`${jsonLine(row)}\n`);
  };
  let server = '';
  if (wanted.some((bench) => !PURE.includes(bench))) {
    server = await withServer(async (admin, url, writerUrl) => {
      if (wanted.includes('commit')) await benchCommit(admin, values.quick, report);
      if (wanted.includes('contention')) await benchContention(admin, url, writerUrl, values.quick, report);
      if (wanted.includes('history')) await benchHistory(admin, values.quick, report);
      return (await admin.query<{ version: string }>('select version()')).rows[0]?.version ?? '';
    });
  }
  if (wanted.includes('nearmiss')) await benchNearMiss(values.quick, report);
  if (wanted.includes('scopes')) await benchScopes(values.quick, report);
  if (!values.json) process.stdout.write(markdownTable(rows));
  if (!values.json && !values.quick) writePages(rows, server);
  const missed = rows.filter((row) => !holds(row)).length;
  process.stderr.write(`${rows.length} cases, ${missed} ${missed === 1 ? 'misses its' : 'miss their'} goal\n`);
  return 0;
}

interface Page {
  file: string;
  benches: (typeof BENCHES)[number][];
  words: string[];
}

const REPORTS: Page[] = [
  {
    file: 'commit.md',
    benches: ['commit', 'contention'],
    words: [
      '# The commit call, measured',
      '',
      'Made by `npm run bench`. Each ratio is ours ÷ the reference, medians of one interleaved run on one machine, fsync on.',
      'The floor is one prepared statement that does the same writes on the same tables and indexes with the full content on the wire and checks nothing.',
    ],
  },
  {
    file: 'history.md',
    benches: ['history'],
    words: [
      '# Pages of history, measured',
      '',
      'Made by `npm run bench -- history`. Each ratio is ours ÷ the reference: medians of one interleaved run, the newest 50 rows each time.',
      'A narrow table holds the columns that the page shows, as values, and nothing else, under the index that the page needs.',
    ],
  },
  {
    file: 'near-miss.md',
    benches: ['nearmiss'],
    words: [
      '# The near-miss search, measured',
      '',
      'Made by `npm run bench -- nearmiss`. Medians of the rounds of one interleaved run, in processor time. Against edlib (C++, `-O3`, semi-global with locations, the same largest distance)',
      'the ratio is edlib ÷ ours, so more is better: ours is the whole search on a JavaScript string, with three hits; edlib is handed bytes and gives the best hit.',
      'Against our own prose, and for the first call against the clock of the wall, it is ours ÷ the reference. Buffers are in code points; the distance bound is that of the product, cut-off 0.7.',
    ],
  },
  {
    file: 'scopes.md',
    benches: ['scopes'],
    words: [
      '# Listing scopes, measured',
      '',
      'Made by `npm run bench -- scopes`. Medians of one interleaved run on the clock of the wall; of large texts the most that one took, in processor time of all threads. A listing is everything: the way to the thread and back,',
      'parsing, the walk, offsets, digests. The bare parse is the same parser and grammar on the same text in the measuring thread, its tree freed at once.',
    ],
  },
];

/** Writes each page whose benches were all run. */
function writePages(rows: readonly Row[], server: string): void {
  for (const { file, benches, words } of REPORTS) {
    const own = rows.filter((row) => benches.some((bench) => bench === row.bench));
    if (!benches.every((bench) => own.some((row) => row.bench === bench))) continue;
    const machine = `Node ${process.version}; ${os.cpus().length} × ${os.cpus()[0]?.model.trim() ?? 'unknown processor'}.`;
    const measuredOn = benches.every((bench) => PURE.includes(bench)) ? machine : `${server}; ${machine}`;
    writeFileSync(path.join(PAGES, file), [...words, '', measuredOn, '', markdownTable(own)].join('\n'));
  }
}

/** The work on the template database of a fresh server, with a superuser and the URLs of that and of the writer. */
async function withServer<T>(work: (admin: pg.Client, url: string, writerUrl: string) => Promise<T>): Promise<T> {
  return withBenchServer((_, template) => {
    const database = databaseUrl(template, template.name);
    const writer = new URL(database);
    writer.username = template.logins.writer;
    writer.password = template.password;
    return withClient(database, (admin) => work(admin, database, writer.href));
  });
}
