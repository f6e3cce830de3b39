import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/port.ts';
import { createService, type JsonObject, type Service } from '../../src/service/index.ts';
import { commandLine, runHere, type Cli } from '../helpers/cli.ts';
import { useDatabase } from '../helpers/database.ts';
import { argumentsOf, isSubmission, scenarios, sha256, type Scenario, type SubmissionStep } from '../scenarios/corpus.ts';
import { expectHints, expectOutcome, outcomeOf } from '../scenarios/expectations.ts';

const corpus = scenarios();
const own = useDatabase();
let cwd: string;
let cli: Cli;
let database: Database;
let service: Service;

beforeAll(async () => {
  cwd = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-cli-'));
  cli = await commandLine(() => ({ DATABASE_URL: own.url('writer') }), cwd);
  database = openDatabase({ connectionString: own.url('writer') });
  service = createService({ database, actor: { host: 'test' } });
});

afterAll(async () => {
  await database.close();
  rmSync(cwd, { recursive: true, force: true });
});

/** The submission that is the first of its outcome in the corpus: of its format, status and code. */
const firsts = new Set(new Map(submissions().map((step) => [outcomeKey(step), step] as const)).values());

// A process costs more than all that it does here, so one is started for each outcome only; every other submission goes through the
// same arguments, files and output inside this process. The target and what is read back are the service's.
describe.concurrent('scenarios through the command line', () => {
  test.each(corpus)('$name: $title', async ({ name, before, after, steps }: Scenario) => {
    const created = await service.initializeTarget({ content: before, display_name: name });
    const id = created['target_file_id'] as string;
    for (const [index, step] of steps.entries()) {
      if (!isSubmission(step)) continue;
      const head = await service.readTarget({ target_file_id: id });
      const args = argumentsOf(step, id, head['version'] as number, await textOf(id));
      const file = `${name}-${index}.json`;
      writeFileSync(path.join(cwd, file), JSON.stringify(args));
      const run = firsts.has(step) ? cli : here;
      if ('format' in step.arguments) await expectRefused(run, file, step);
      else await submit(run, file, step);
      if (step.expect.content !== undefined) expect(await textOf(id)).toBe(step.expect.content);
    }
    expect(await textOf(id)).toBe(after);
    expect(await service.replayTarget({ target_file_id: id })).toMatchObject({
      reconstructed_hash: sha256(after),
      materialized_state_matches: true,
    });
  });
});

/** Every submission of the corpus, the last one first, so that a map keeps the first of its kind. */
function submissions(): SubmissionStep[] {
  return corpus.flatMap(({ steps }) => steps.filter(isSubmission)).reverse();
}

function outcomeKey({ format, expect: { status, failure_code: code } }: SubmissionStep): string {
  return [format, status, code].join(' ');
}

const here: Cli = (args) => runHere(args, { DATABASE_URL: own.url('writer') }, cwd);

async function submit(run: Cli, file: string, step: SubmissionStep): Promise<void> {
  const { code, stdout, stderr } = await run(['submit', file, '--format', step.format, '--json']);
  const receipt = JSON.parse(stdout || '{}') as JsonObject;
  expectOutcome(outcomeOf(receipt), step);
  expectHints(receipt, step);
  expect({ code, stderr }).toEqual({ code: step.expect.status === 'accepted' ? 0 : 6, stderr: '' });
}

/** On the command line an argument called `format` is the format: with another one beside it the line contradicts itself. */
async function expectRefused(run: Cli, file: string, step: SubmissionStep): Promise<void> {
  const other = step.format === 'patchdiff-tx/1' ? 'patchdiff-tx/2' : 'patchdiff-tx/1';
  expect(await run(['submit', file, '--format', other])).toMatchObject({ code: 2, stdout: '' });
}

async function textOf(id: string): Promise<string> {
  const pages: string[] = [];
  for (let start: unknown = 0; start !== null;) {
    const page = await service.readTarget({ target_file_id: id, start: start as number, length: 8000 });
    pages.push(page['text'] as string);
    start = page['next_start'];
  }
  return pages.join('');
}
