import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/db/pool.ts';
import type { Database } from '../../../src/db/port.ts';
import { createService, type JsonObject, type Service } from '../../../src/service/index.ts';
import { commandLine } from '../../helpers/cli.ts';
import { useDatabase } from '../../helpers/database.ts';
import { connectNew, type Host } from '../../mcp/support/hosts.ts';
import { argumentsOf, sha256, type SubmissionStep } from '../corpus.ts';
import { expectOutcome, outcomeOf } from '../expectations.ts';
import { fileScenarios, type FileCase } from './corpus.ts';

/** How files go in, are changed, and go out. */
interface Surface {
  /** All files of one import, in their order. */
  importAll(paths: string[]): Promise<JsonObject[]>;
  submit(step: SubmissionStep, args: JsonObject): Promise<JsonObject>;
  save(args: JsonObject): Promise<JsonObject>;
}

const own = useDatabase();
let root: string;
let database: Database;
let service: Service;
let host: Host;

beforeAll(async () => {
  root = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-files-'));
  database = openDatabase({ connectionString: own.url('writer') });
  service = createService({ database, workspaceRoot: root, actor: { host: 'test' } });
  host = await connectNew({ env: { DATABASE_URL: own.url('writer') }, args: ['--workspace', root] });
});

afterAll(async () => {
  await host.close();
  await database.close();
  rmSync(root, { recursive: true, force: true });
});

/** One after the other: a target's file is found by the one before. */
async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

const throughService: Surface = {
  importAll: (paths) => each(paths, (name) => service.initializeTarget({ from_workspace: true, path: name })),
  submit: (step, args) => service.submit(step.format, args),
  save: (args) => service.save(args),
};

const call = async (tool: string, args: JsonObject): Promise<JsonObject> => {
  const result = await host.call(tool, args);
  expect(result.isError, result.text).toBe(false);
  return result.structured as JsonObject;
};

const TOOLS = {
  'patchdiff-tx/1': 'patchdiff_submit_edits',
  'patchdiff-tx/2': 'patchdiff_submit_operations',
  'patchdiff-tx/3': 'patchdiff_submit_replacement',
} as const;

const throughStdio: Surface = {
  importAll: (paths) => each(paths, (name) => call('patchdiff_initialize_target', { from_workspace: true, path: name })),
  submit: (step, args) => call(TOOLS[step.format], args),
  save: (args) => call('patchdiff_save', args),
};

/** The whole import is one command; what comes after it is the service's. */
const throughCommands: Surface = {
  ...throughService,
  importAll: async (paths) => {
    const cli = await commandLine(() => ({ DATABASE_URL: own.url('writer') }), root);
    const { code, stdout } = await cli(['import', '--json', '--workspace', root, ...paths]);
    const answers = JSON.parse(stdout) as JsonObject[];
    expect(code).toBe(answers.some((answer) => answer['status'] === 'rejected') ? 6 : 0);
    return answers;
  },
};

describe.each([
  ['the service', 'service', throughService],
  ['stdio', 'stdio', throughStdio],
  ['the command line', 'commands', throughCommands],
])('files through %s', (_, folder, surface) => {
  it.each(fileScenarios())('$name: $title', async ({ name, files }) => {
    const placed = files.map((file) => ({ ...file, path: `${folder}-${name}-${file.path}` }));
    for (const file of placed) writeFileSync(path.join(root, file.path), Buffer.from(file.bytes, 'hex'));
    const answers = await surface.importAll(placed.map((file) => file.path));
    for (const [index, file] of placed.entries()) await follow(surface, file, files[index] as FileCase, answers[index] as JsonObject);
  });
});

async function follow(surface: Surface, file: FileCase, stated: FileCase, answer: JsonObject): Promise<void> {
  const onDisk = (): string => readFileSync(path.join(root, file.path)).toString('hex');
  const { facts, ...expected } = stated.import;
  expect(answer).toMatchObject(expected);
  if (facts !== undefined) expect(answer['facts']).toMatchObject({ ...(facts as JsonObject), path: file.path });
  expect(onDisk()).toBe(file.bytes);
  if (file.content === undefined) return;
  const id = answer['target_file_id'] as string;
  let content = file.content;
  let version = 0;
  expect(await service.readTarget({ target_file_id: id })).toMatchObject({ text: content, current_hash: sha256(content) });
  for (const step of file.steps ?? []) {
    const receipt = await surface.submit(step, argumentsOf(step, id, version, content));
    expectOutcome(outcomeOf(receipt), step);
    const read = await service.readTarget({ target_file_id: id });
    content = read['text'] as string;
    version = read['version'] as number;
    if (step.expect.content !== undefined) expect(content).toBe(step.expect.content);
  }
  const saved = await surface.save({ target_file_id: id, sync_workspace: true, expected_target_version: version });
  expect(saved).toMatchObject(file.save ?? {});
  expect(onDisk()).toBe(file.saved);
}
