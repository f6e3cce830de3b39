import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitAttempt } from '../../src/db/calls/commit-attempt.ts';
import { createTarget } from '../../src/db/calls/create-target.ts';
import { readTarget } from '../../src/db/calls/read-target.ts';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/port.ts';
import { evaluate, prepareSubmission, type JsonObject } from '../../src/transaction/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { argumentsOf, scenarios, sha256, submissionsOf, type SubmissionStep } from './corpus.ts';
import { expectOutcome, type Outcome } from './expectations.ts';

interface State {
  targetFileId: string;
  version: number;
  content: string;
}

// The verdict is the database's own: `accepted` is claimed only where the scenario says so, a rejection with the reason that it
// states. The evaluator of TypeScript gives the places and the result that an acceptance must name; a wrong one is a claim_mismatch.
describe('scenarios through the procedures', () => {
  const own = useDatabase();
  let database: Database;
  beforeAll(() => {
    database = openDatabase({ connectionString: own.url('writer') });
  });
  afterAll(() => database.close());

  it.each(scenarios())('$name: $title', async (scenario) => {
    const { before, after } = scenario;
    const state = await start(database, before);
    const contents = [state.content];
    for (const step of submissionsOf(scenario)) {
      expectOutcome(await play(database, state, step), step);
      if (step.expect.content !== undefined) expect(state.content).toBe(step.expect.content);
      if (step.expect.status === 'accepted') contents.push(state.content);
    }
    const held = await readTarget(database, state.targetFileId);
    expect(held).toMatchObject({ current_content: after, current_hash: sha256(after), version: contents.length - 1 });
    for (const [version, content] of contents.entries()) expect(await reconstructed(state.targetFileId, version)).toBe(content);
    const found = await database.query({
      name: 'verify_target',
      text: 'select * from patchdiff_audit.verify_target($1)',
      values: [state.targetFileId],
    });
    expect(found).toEqual([]);
  });

  /** The text of a version, from the history alone. */
  async function reconstructed(targetFileId: string, version: number): Promise<unknown> {
    const rows = await database.query({
      name: 'reconstruct',
      text: 'select patchdiff_audit.reconstruct($1, $2) as text',
      values: [targetFileId, version],
    });
    return (rows[0] as { text: string }).text;
  }
});

async function start(database: Database, content: string): Promise<State> {
  const created = await createTarget(database, {
    targetFileId: null,
    displayName: 'scenario',
    content,
    source: null,
    workspace: null,
    actor: null,
  });
  const held = await readTarget(database, created.target_file_id);
  return { targetFileId: created.target_file_id, version: 0, content: held?.current_content ?? '' };
}

async function play(database: Database, state: State, step: SubmissionStep): Promise<Outcome> {
  const submission = prepareSubmission(step.format, argumentsOf(step, state.targetFileId, state.version, state.content));
  const claim = evaluate(submission, state.content, sha256);
  const accepted = step.expect.status === 'accepted' && claim.verdict === 'accepted';
  const receipt = await commitAttempt(database, {
    targetFileId: state.targetFileId,
    payload: submission.payload,
    clientRequestId: submission.clientRequestId,
    parent: submission.parent,
    attempt: submission.attempt,
    source: submission.source,
    actor: null,
    baseHash: sha256(state.content),
    verdict: accepted ? 'accepted' : 'rejected',
    resolvedStarts: accepted ? claim.applied.resolvedStarts : null,
    afterHash: accepted ? claim.applied.afterHash : null,
    diagnostic: accepted ? null : JSON.stringify({ failure_reason: step.expect.failure_reason ?? 'match_absent' }),
    warnings: accepted ? JSON.stringify(claim.applied.warnings) : null,
    rawMetadata: submission.rawMetadata === null ? null : JSON.stringify(submission.rawMetadata),
  });
  if (receipt.outcome === 'accepted' && accepted) {
    state.version += 1;
    state.content = claim.applied.content;
  }
  return {
    status: receipt.outcome,
    failure_reason: receipt.failure_reason,
    failed_change_id: receipt.failed_change_id,
    after_hash: receipt.after_hash ?? '',
    warnings: (receipt.warnings ?? []) as unknown[],
    changes: (receipt.changes ?? []) as unknown[],
    diagnostic: receipt.diagnostic as JsonObject | null,
  };
}
