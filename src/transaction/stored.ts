import { isEncodable } from '../text/index.ts';
import { BUNDLE_FORMAT, flattenBundle } from './bundle.ts';
import { decodeRecord, isHashGuard, parsePayload } from './decode.ts';
import { decodeGroups } from './decode-bundle.ts';
import { sortedNames } from './encode.ts';
import { isEncodableValue } from './inspect.ts';
import { isInteger, isObject, member } from './json.ts';
import type { JsonObject, JsonValue, Sha256 } from './json.ts';
import { scopeIdOf } from './observation.ts';
import type { ScopeOrigin } from './observation.ts';
import { profileFor } from './profiles.ts';
import type { Profile } from './profiles.ts';
import { canonicalUuid } from './submission.ts';
import type { Bundle, ScopeEvidence, Transaction } from './types.ts';

const OWN = ['bundle_id', 'groups', 'observation'];
const OBSERVATION = 'bundle_id,content_hash,editing_cycle,grammar,language,scopes,version';
const GRAMMAR = 'name,sha256,version';
const EVIDENCE = 'end,kind,name,qualified_path,scope_id,sha256,start';

/** A payload as a row of the log holds it. */
export interface StoredPayload {
  pdcp_content: string;
  protocol_version: string;
  runtime_version: string;
}

/** `transaction` has the changes in the order of application; `bundle` is null for a scalar format. */
export type Stored =
  | { ok: true; profile: Profile; transaction: Transaction; bundle: Bundle | null }
  | { ok: false; check: 'protocol' | 'decode'; detail: string };

/**
 * Decodes an accepted payload under its recorded profile, without admission limits. Of a bundle, every link between a group and
 * the evidence of its scope is checked: id, digest, range and disjointness; its text is checked when it is applied.
 */
export function decodeStored(stored: StoredPayload, targetFileId: string, sha256: Sha256): Stored {
  const { pdcp_content: payload, protocol_version: protocol, runtime_version: runtime } = stored;
  const profile = profileFor(protocol, runtime);
  if (profile === null) {
    return { ok: false, check: 'protocol', detail: `UnsupportedRuntimeVersionError: ${runtime} is no runtime of ${protocol}` };
  }
  const record = isEncodable(payload) ? parsePayload(payload) : null;
  if (record === null) return undecodable('the payload is no JSON object');
  // Text that only escapes can carry was never applied to a document.
  if (!isEncodableValue(record)) return undecodable('the payload holds text that cannot be stored');
  if (protocol === BUNDLE_FORMAT) return decodeStoredBundle(record, targetFileId, profile, sha256);
  const decoded = decodeRecord(record, targetFileId, profile, false);
  if (!decoded.ok) return undecodable(decoded.fault.detail);
  const { transaction } = decoded;
  if (transaction.format !== protocol) return undecodable(`the payload is ${transaction.format}`);
  return { ok: true, profile, transaction, bundle: null };
}

function decodeStoredBundle(record: JsonObject, targetFileId: string, profile: Profile, sha256: Sha256): Stored {
  const evidence = evidenceIn(record, targetFileId, sha256);
  if (typeof evidence === 'string') return undecodable(evidence);
  const scopeOf = (scopeId: string, index: number): ScopeEvidence | null => {
    const scope = evidence[index];
    return scope?.scope_id === scopeId ? scope : null;
  };
  const decoded = decodeGroups(record, targetFileId, { own: OWN, profile, fresh: false, scopeOf });
  if (!decoded.ok) return undecodable(decoded.fault.detail);
  const { bundle } = decoded;
  if (evidence.length !== bundle.groups.length) return undecodable('observation.scopes: the evidence of one scope a group is required');
  return { ok: true, profile, transaction: flattenBundle(bundle), bundle };
}

/** The evidence of the scopes, one a group; a text that says what of it does not hold. */
function evidenceIn(record: JsonObject, targetFileId: string, sha256: Sha256): ScopeEvidence[] | string {
  const observation = member(record, 'observation');
  if (!hasNames(observation, OBSERVATION) || !isInteger(observation['version'], 0) || !isInteger(observation['editing_cycle'], 0)) {
    return 'observation: the evidence of an observation is required';
  }
  const { bundle_id: bundleId, content_hash: contentHash, grammar, language, scopes } = observation;
  if (canonicalUuid(bundleId) !== bundleId || bundleId !== canonicalUuid(member(record, 'bundle_id'))) {
    return 'observation.bundle_id: the bundle_id of the record is required';
  }
  if (
    !isHashGuard(contentHash) ||
    (language !== null && language !== null && typeof language !== 'string') ||
    !hasNames(grammar, GRAMMAR) ||
    !Array.isArray(scopes)
  ) {
    return 'observation: the evidence of an observation is required';
  }
  const { name, version, sha256: digest } = grammar;
  if (typeof name !== 'string' || typeof version !== 'string' || (digest !== null && !isHashGuard(digest))) {
    return 'observation.grammar: the name, version and digest of a grammar are required';
  }
  const origin: ScopeOrigin = { targetFileId, contentHash, grammar: { name, version } };
  const evidence: ScopeEvidence[] = [];
  for (const [index, scope] of scopes.entries()) {
    if (!isEvidence(scope)) return `observation.scopes[${index}]: the evidence of a scope is required`;
    if (scope.scope_id !== scopeIdOf(origin, scope, sha256)) return `observation.scopes[${index}].scope_id: not the id of this scope`;
    evidence.push(scope);
  }
  return evidence;
}

function isEvidence(value: JsonValue): value is ScopeEvidence & JsonObject {
  if (!hasNames(value, EVIDENCE)) return false;
  const { end, kind, name, qualified_path: path, sha256, start } = value;
  const texts = [kind, name, path].every((text) => typeof text === 'string');
  return texts && isHashGuard(sha256) && isInteger(start, 0) && isInteger(end, start + 1);
}

function hasNames(value: JsonValue | undefined, names: string): value is JsonObject {
  return isObject(value) && sortedNames(value).join() === names;
}

function undecodable(detail: string): Stored {
  return { ok: false, check: 'decode', detail };
}
