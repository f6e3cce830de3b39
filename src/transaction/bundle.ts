import { encodeCanonical } from './encode.ts';
import { identify } from './identity.ts';
import type { Identity } from './identity.ts';
import { isObject, member } from './json.ts';
import type { JsonObject, JsonValue, Sha256 } from './json.ts';
import { evidenceOf } from './observation.ts';
import type { Observation, ObservedScope } from './observation.ts';
import { canonicalUuid, prepareSubmission } from './submission.ts';
import type { Bundle, BundleFormat, ScopedGroup, Submission, Transaction } from './types.ts';

/** The format of the bundle tool. */
export const BUNDLE_FORMAT: BundleFormat = 'patchdiff-observed-batch/1';

/** What the bundle tool's arguments come to. Total, like `prepareSubmission`. */
export function prepareBundle(args: JsonObject): Submission<BundleFormat> {
  return prepareSubmission(BUNDLE_FORMAT, args);
}

/** The observation a bundle names, as a canonical UUID; null when it names none that could exist. */
export function bundleIdOf({ record }: Submission<BundleFormat>): string | null {
  return canonicalUuid(member(record, 'bundle_id'));
}

/**
 * What is stored of a bundle: its record, and under `observation` the evidence of every group's scope in submitted order (null
 * for a group whose scope is none of the bundle). A pure function of request and observation; null: there is no such observation.
 * One group more than there are scopes is enough: it is refused at the latest, and no group behind it is judged.
 */
export function durableRecord(record: JsonObject, observation: Observation | null): JsonObject {
  if (observation === null) return { ...record, observation: null };
  const { bundle_id, content_hash, editing_cycle, grammar, language, version } = observation;
  const known = scopesById(observation);
  const groups = member(record, 'groups');
  const scopes = (Array.isArray(groups) ? groups.slice(0, observation.scopes.length + 1) : []).map((group): JsonValue => {
    const scope = isObject(group) ? known.get(member(group, 'scope_id')) : undefined;
    return scope === undefined ? null : evidenceOf(scope);
  });
  const { name, sha256, version: release } = grammar;
  return {
    ...record,
    observation: { bundle_id, content_hash, editing_cycle, grammar: { name, sha256, version: release }, language, scopes, version },
  };
}

/** What the procedure stores for a bundle and what it compares a request key by; see `identityOf`. */
export function bundleIdentityOf(
  submission: Submission<BundleFormat>,
  observation: Observation | null,
  targetFileId: string,
  parent: string | null,
  sha256: Sha256,
): Identity {
  return identify(submission, encodeCanonical(durableRecord(submission.record, observation)), targetFileId, parent, sha256);
}

/** The scopes of an observation by their ids. */
export function scopesById({ scopes }: Observation): ReadonlyMap<JsonValue | undefined, ObservedScope> {
  return new Map(scopes.map((scope) => [scope.scope_id, scope]));
}

/** The groups in the order of application: the last scope first, so that the offsets of those before stay valid. */
export function inApplicationOrder(groups: readonly ScopedGroup[]): ScopedGroup[] {
  return groups.toSorted((left, right) => right.scope.start - left.scope.start);
}

/** The changes of a bundle in the order of application, as one transaction: to be read beside its facts, never to be applied. */
export function flattenBundle({ groups, ...frame }: Bundle): Transaction {
  return { ...frame, changes: inApplicationOrder(groups).flatMap(({ changes }) => changes) };
}
