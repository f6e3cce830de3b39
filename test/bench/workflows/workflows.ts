import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { built, PACKAGE_ROOT } from '../../helpers/build.ts';
import { databaseUrl, withServer, type Template } from '../../helpers/template.ts';
import { withBenchServer } from '../server.ts';
import { differences, trialLine, trialTable } from './table.ts';
import { runTrial, WAYS, type Trial, type TrialDatabase, type Way } from './trial.ts';

const ROUNDS = 6;

/**
 * `npm run bench:workflows -- [way…] [--json] [--quick]`: the same changes of five files by scripted agents, in each way in turn, six times;
 * `--quick` does it once. Each trial has its own directory, server process and database (of a fresh embedded server with fsync on), and
 * everything is checked after it: the first check that does not hold ends the run. A whole run writes docs/benchmarks/workflows.md.
 */
export async function main(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
  });
  const unknown = positionals.find((name) => !WAYS.some((way) => way === name));
  if (unknown !== undefined) {
    process.stderr.write(`no way is called ${unknown}; there are ${WAYS.join(', ')}\n`);
    return 2;
  }
  const ways = positionals.length === 0 ? WAYS : WAYS.filter((way) => positionals.includes(way));
  const rounds = values.quick ? 1 : ROUNDS;
  await built();
  const trials: Trial[] = [];
  const server = await withBenchServer(async (admin, template) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const [turn] of ways.entries()) {
        const way = ways[(round + turn) % ways.length];
        if (way === undefined) continue;
        const trial = await withTrialDatabase(template, (database) => runTrial(way, database));
        trials.push(trial);
        if (values.json) process.stdout.write(`${trialLine(trial)}\n`);
      }
    }
    return (await admin.query<{ version: string }>('select version()')).rows[0]?.version ?? '';
  });
  if (!values.json) process.stdout.write([trialTable(trials, ways), ...differences(trials).map((line) => `${line}\n`)].join('\n'));
  if (!values.json && !values.quick && ways.length === WAYS.length) writePage(trials, ways, server);
  process.stderr.write(`${trials.length} trials, ${trials.reduce((sum, { checks }) => sum + checks, 0)} checks, all of them hold\n`);
  return 0;
}

/** A database of its own for one trial, made when it is asked for and dropped after it. */
async function withTrialDatabase<T>(template: Template, work: (database: () => Promise<TrialDatabase>) => Promise<T>): Promise<T> {
  const name = template.name.replace(/template$/, () => randomBytes(5).toString('hex'));
  const auditor = new pg.Client({ connectionString: loginUrl(template, name, 'auditor') });
  let isMade = false;
  try {
    return await work(async () => {
      await withServer(template.serverUrl, (client) => client.query(`create database ${name} template ${template.name}`));
      isMade = true;
      await auditor.connect();
      return { url: loginUrl(template, name, 'writer'), auditor };
    });
  } finally {
    if (isMade) {
      await auditor.end();
      await withServer(template.serverUrl, (client) => client.query(`drop database ${name} with (force)`));
    }
  }
}

function loginUrl(template: Template, database: string, role: 'writer' | 'auditor'): string {
  const url = new URL(databaseUrl(template, database));
  url.username = template.logins[role];
  url.password = template.password;
  return url.href;
}

const WORDS = [
  '# The same work in three ways, measured',
  '',
  'Made by `npm run bench:workflows`. Scripted agents carry out seven changes in five files (TypeScript, Python, Go, YAML, and Markdown that begins with a byte order mark',
  'and ends its lines with CRLF): through the MCP reference server `@modelcontextprotocol/server-filesystem` with `read_text_file` and `edit_file`, through our profile',
  '`observed_workspace` with scopes and bundles, and through our profile `workspace` with lines and spans. The [task](../../test/bench/workflows/task.ts) is the same data for all',
  'three; what a way needs to know beyond it comes from its own answers. The trials alternate; each has a fresh directory, server process and, for ours, database, fsync on.',
  '',
  'Bytes are those of whole JSON-RPC lines as they pass the pipes: sent by the agent, received from the server. Set-up is the start of the process, the handshake, the list of',
  'tools, and for ours the import of the five files; the work of ours includes a SAVE of each file. Numbers are medians, with the least and the most where trials differ.',
  'This says what the tools cost a client that makes no mistake. It says nothing about models: neither how often one errs with which tool, nor what an error costs.',
  '',
  'After each trial every file is compared byte for byte with what was meant, with its permissions and all that stands beside it; of ours every answer with what is recorded, and',
  'every accepted commit is rebuilt by SQL, by the replay, and by a reader of the ledger that shares no code with either. Ours must come out as meant; of the reference',
  'server a change of line endings is reported below.',
];

function writePage(trials: readonly Trial[], ways: readonly Way[], server: string): void {
  const machine = `${server}; Node ${process.version}; ${os.cpus().length} × ${os.cpus()[0]?.model.trim() ?? 'unknown processor'}.`;
  const found = differences(trials).map((line) => `* ${line}`);
  const page = [...WORDS, '', machine, '', trialTable(trials, ways), ...found, ''].join('\n');
  writeFileSync(path.join(PACKAGE_ROOT, 'docs/benchmarks/workflows.md'), page);
}
