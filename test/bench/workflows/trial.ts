import type pg from 'pg';
import path from 'node:path';
import { PACKAGE_ROOT } from '../../helpers/build.ts';
import { Checks } from './checks.ts';
import { changeThroughFilesystem, filesystemServer } from './filesystem.ts';
import { checkHistory } from './history.ts';
import type { FileAnswers } from './history.ts';
import { expectStatus, openSession } from './session.ts';
import type { Answer, Cost, Session } from './session.ts';
import { changeThroughScopes } from './structural.ts';
import { CHANGES, FILES } from './task.ts';
import { checkTree, makeTree } from './tree.ts';
import type { Outcome } from './tree.ts';
import { changeThroughWorkspace } from './workspace.ts';

export const WAYS = ['server-filesystem', 'observed_workspace', 'workspace'] as const;
export type Way = (typeof WAYS)[number];

/** An empty database of ours: the writer's URL, and a client that may read everything. */
export interface TrialDatabase {
  url: string;
  auditor: pg.Client;
}

export interface Trial {
  way: Way;
  /** Start of the server, list of its tools, and the import where there is one. */
  setUp: Cost;
  work: Cost;
  /** Checks that were made after the run; all of them held. */
  checks: number;
  outcomes: ReadonlyMap<string, Outcome>;
}

/**
 * Carries the task out once, in a fresh directory, with a server process of its own. `database` is asked for by our two ways alone. Throws
 * with every check that did not hold; a file that the reference server leaves with other line endings is an outcome, not a failure.
 */
export async function runTrial(way: Way, database: () => Promise<TrialDatabase>): Promise<Trial> {
  const tree = makeTree();
  const checks = new Checks();
  try {
    const run = way === 'server-filesystem' ? await runReference(tree.root) : await runOurs(way, tree.root, await database(), checks);
    const outcomes = checkTree(tree.root, checks);
    if (way !== 'server-filesystem') for (const [file, outcome] of outcomes) checks.equal(outcome, 'as meant', file);
    if (checks.failures.length > 0) throw new Error(`${way}: ${checks.failures.join('; ')}`);
    return { way, ...run, checks: checks.made, outcomes };
  } finally {
    tree.remove();
  }
}

async function withSession<T>(session: Session, work: (session: Session) => Promise<T>): Promise<T> {
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

async function runReference(root: string): Promise<{ setUp: Cost; work: Cost }> {
  return withSession(await openSession(filesystemServer(root), {}), async (session) => {
    const setUp = session.cost();
    await changeThroughFilesystem(session, root, CHANGES);
    return { setUp, work: session.cost() };
  });
}

async function runOurs(
  profile: 'observed_workspace' | 'workspace',
  root: string,
  { url, auditor }: TrialDatabase,
  checks: Checks,
): Promise<{ setUp: Cost; work: Cost }> {
  const command = [path.join(PACKAGE_ROOT, 'dist/cli/main.js'), 'mcp', '--workspace', root, '--profile', profile];
  const [run, answers] = await withSession(await openSession(command, { DATABASE_URL: url }), async (session) => {
    const imported = new Map<string, Answer>();
    for (const { path: at } of FILES) {
      imported.set(at, expectStatus(await session.call('patchdiff_initialize_target', { from_workspace: true, path: at }), 'created'));
    }
    const setUp = session.cost();
    const targets = new Map([...imported].map(([at, answer]) => [at, String(answer['target_file_id'])]));
    const change = profile === 'workspace' ? changeThroughWorkspace : changeThroughScopes;
    const receipts = await change(session, targets, CHANGES);
    const saved = await saveAll(session, targets, receipts);
    const given = FILES.map(({ path: at }): [string, FileAnswers] => [
      at,
      { imported: imported.get(at) ?? {}, receipts: receipts.filter((_, step) => CHANGES[step]?.file === at), saved: saved.get(at) ?? {} },
    ]);
    return [{ setUp, work: session.cost() }, new Map(given)];
  });
  await checkHistory(auditor, answers, checks);
  return run;
}

/** Each file once, guarded by the version of its last receipt. */
async function saveAll(session: Session, targets: ReadonlyMap<string, string>, receipts: readonly Answer[]): Promise<Map<string, Answer>> {
  const saved = new Map<string, Answer>();
  for (const [at, target] of targets) {
    const last = receipts.findLast((_, step) => CHANGES[step]?.file === at);
    const guard = { target_file_id: target, sync_workspace: true, expected_target_version: last?.['version'] };
    saved.set(at, expectStatus(await session.call('patchdiff_save', guard), 'published'));
  }
  return saved;
}
