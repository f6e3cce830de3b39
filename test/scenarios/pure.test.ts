import { describe, expect, it } from 'vitest';
import { canonicalize } from '../../src/text/index.ts';
import { diagnosticOf, evaluate, preconditionFault, prepareSubmission, rawValuesOf } from '../../src/transaction/index.ts';
import { argumentsOf, scenarios, sha256, submissionsOf, type SubmissionStep } from './corpus.ts';
import { expectOutcome, type Outcome } from './expectations.ts';

const TARGET = '6f9619ff-8b86-4d01-b42d-00c04fc964ff';

interface State {
  version: number;
  content: string;
}

describe('scenarios through the pure applier', () => {
  it.each(scenarios())('$name: $title', (scenario) => {
    const state: State = { version: 0, content: canonicalize(scenario.before) };
    for (const step of submissionsOf(scenario)) {
      expectOutcome(play(state, step), step);
      if (step.expect.content !== undefined) expect(state.content).toBe(step.expect.content);
    }
    expect(state.content).toBe(scenario.after);
  });
});

function play(state: State, step: SubmissionStep): Outcome {
  const submission = prepareSubmission(step.format, argumentsOf(step, TARGET, state.version, state.content));
  const row = { version: state.version, hash: sha256(state.content) };
  const early = preconditionFault(submission, row, false);
  const evaluation =
    early === null
      ? evaluate(submission, state.content, sha256)
      : { verdict: 'rejected' as const, fault: early, buffer: state.content, priorChanges: 0 };
  if (evaluation.verdict === 'accepted') {
    state.version += 1;
    state.content = evaluation.applied.content;
    const { changes, warnings, afterHash } = evaluation.applied;
    return { status: 'accepted', failure_reason: null, failed_change_id: null, after_hash: afterHash, warnings, changes, diagnostic: null };
  }
  const { fault, buffer, priorChanges } = evaluation;
  const rawValues = rawValuesOf(submission, false);
  return {
    status: 'rejected',
    failure_reason: fault.reason,
    failed_change_id: fault.failedChangeId,
    after_hash: row.hash,
    warnings: [],
    changes: [],
    diagnostic: diagnosticOf(fault, { format: step.format, decidedBy: 'runtime', ...row, buffer, priorChanges, rawValues }),
  };
}
