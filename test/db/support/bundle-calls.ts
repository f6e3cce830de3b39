import type { CommitAttempt } from '../../../src/db/calls/commit-attempt.ts';
import { observeScopes } from '../../../src/db/calls/observe-scopes.ts';
import { readObservation } from '../../../src/db/calls/read-observation.ts';
import type { Database } from '../../../src/db/port.ts';
import { evaluateBundle, prepareBundle } from '../../../src/transaction/index.ts';
import type { BundleFormat, JsonObject, Observation, Submission } from '../../../src/transaction/index.ts';
import { sha256 } from './attacks.ts';
import { bareCall } from './attempts.ts';

export const GRAMMAR = { name: 'tree "é"', version: '1.2', sha256: null };

/** The arguments of an observation of these ranges of a text at a version. */
export const observationOf = (targetFileId: string, content: string, expectedVersion: number, ranges: readonly JsonObject[]) => ({
  targetFileId,
  expectedVersion,
  expectedHash: sha256(content),
  language: null,
  grammar: JSON.stringify(GRAMMAR),
  hasErrors: false,
  scopes: JSON.stringify(ranges),
  actor: null,
});

/** The range of a text that stands in it once, as a scope of that name. */
export function scopeOf(content: string, text: string, kind = 'part'): JsonObject {
  const start = [...content.slice(0, content.indexOf(text))].length;
  return { kind, name: text, qualified_path: `${kind} ${text}`, start, end: start + [...text].length };
}

/** Observes the ranges of a text. Throws unless the target has that text at that version. */
export async function observed(database: Database, id: string, content: string, version: number, ranges: readonly JsonObject[]): Promise<Observation> {
  const { outcome, bundle_id } = await observeScopes(database, observationOf(id, content, version, ranges));
  const observation = await readObservation(database, id, bundle_id ?? '');
  if (observation === null) throw new Error(`nothing was observed: ${outcome}`);
  return observation;
}

type Outcome = ReturnType<typeof evaluateBundle>;

/** A bundle with what the runtime claims of it over this content. */
export function claimingCall(submission: Submission<BundleFormat>, id: string, content: string, outcome: Outcome): CommitAttempt {
  const call = bareCall(submission, id, { actor: '{"host":"test"}', baseHash: sha256(content) });
  if (outcome.verdict === 'rejected') return { ...call, verdict: 'rejected', diagnostic: JSON.stringify({ failure_reason: outcome.fault.reason }) };
  const { resolvedStarts, afterHash, warnings } = outcome.applied;
  return { ...call, verdict: 'accepted', resolvedStarts, afterHash, warnings: JSON.stringify(warnings) };
}

/** The call of a sound caller for the bundle tool's arguments. */
export function honestBundle(args: JsonObject, observation: Observation | null, id: string, content: string): CommitAttempt {
  const submission = prepareBundle(args);
  return claimingCall(submission, id, content, evaluateBundle(submission, observation, content, sha256));
}
