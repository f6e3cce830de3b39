import { expect } from 'vitest';
import { bundleIdentityOf, evaluateBundle, prepareBundle, scopeIdOf } from '../../src/transaction/index.ts';
import type {
  AcceptedAttempt,
  BundleApplied,
  Fault,
  JsonObject,
  JsonValue,
  Observation,
  ObservedScope,
  Transaction,
} from '../../src/transaction/index.ts';
import { argsOf, TARGET } from './helpers.ts';
import { sha256 } from './reference.ts';

export const BUNDLE = '0190b000-0000-4000-8000-00000000000b';
const GRAMMAR = { name: 'letters', version: '1', sha256: null };

/** An observation of these ranges (code points) of a canonical text. */
export function observe(content: string, ranges: readonly (readonly [start: number, end: number])[]): Observation {
  const points = [...content];
  const contentHash = sha256(content);
  const scopes = ranges.map(([start, end], at): ObservedScope => {
    const scope = { kind: 'part', start, end };
    const scope_id = scopeIdOf({ targetFileId: TARGET, contentHash, grammar: GRAMMAR }, scope, sha256);
    return { ...scope, scope_id, name: `p${at}`, qualified_path: `part p${at}`, sha256: sha256(points.slice(start, end).join('')) };
  });
  return { bundle_id: BUNDLE, version: 0, content_hash: contentHash, editing_cycle: 1, language: 'letters', grammar: GRAMMAR, scopes };
}

export const idAt = ({ scopes }: Observation, at: number): string => (scopes[at] as ObservedScope).scope_id;

/** The group that edits the scope at this position of the observation. */
export const group = (observation: Observation, at: number, ...operations: JsonValue[]): JsonObject => ({
  scope_id: idAt(observation, at),
  operations,
});

export const bundleArgs = (...groups: JsonValue[]): JsonObject => argsOf({ bundle_id: BUNDLE, groups });

export const match = (text: string, replace: string, more: JsonObject = {}): JsonObject => ({ op: 'match', match: text, replace, ...more });

/** Runs a bundle that must be accepted. */
export function acceptBundle(
  args: JsonObject,
  observation: Observation,
  content: string,
): { applied: BundleApplied; transaction: Transaction } {
  const evaluation = evaluateBundle(prepareBundle(args), observation, content, sha256);
  if (evaluation.verdict === 'rejected') expect.fail(`${evaluation.fault.code}: ${evaluation.fault.detail}`);
  return evaluation;
}

/** Runs a bundle that must be rejected. */
export function rejectBundle(
  args: JsonObject,
  observation: Observation | null,
  content: string,
): { fault: Fault; buffer: string; priorChanges: number } {
  const evaluation = evaluateBundle(prepareBundle(args), observation, content, sha256);
  if (evaluation.verdict === 'accepted') expect.fail(`accepted: ${evaluation.applied.content}`);
  return evaluation;
}

/** The row of the log that an accepted bundle leaves. */
export function bundleRow(args: JsonObject, observation: Observation, before: string, after: string): AcceptedAttempt {
  const identity = bundleIdentityOf(prepareBundle(args), observation, TARGET, null, sha256);
  return {
    target_file_id: TARGET,
    pdcp_log_id: 'bundle',
    log_sequence: 1,
    before_version: 0,
    after_version: 1,
    before_hash: sha256(before),
    after_hash: sha256(after),
    pdcp_content: identity.content,
    pdcp_content_hash: identity.contentHash,
    protocol_version: identity.protocolVersion,
    runtime_version: identity.runtimeVersion,
  };
}
