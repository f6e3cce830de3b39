import { BUNDLE_FORMAT, scopesById } from './bundle.ts';
import { admissionFault, frameFault, frameOf, headFault } from './decode.ts';
import { decodeItem } from './decode-item.ts';
import { sortedNames } from './encode.ts';
import { isAbsent, isObject, member } from './json.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { Observation } from './observation.ts';
import { cutName } from './path.ts';
import { profileOf } from './profiles.ts';
import type { Profile } from './profiles.ts';
import type { BundleFormat, Change, DecodedBundle, Fault, ScopedGroup, ScopeEvidence, Submission } from './types.ts';
import { faultOf } from './words.ts';
import type { FaultCode, FaultParts } from './words.ts';

const OWN = ['bundle_id', 'groups'];
const GROUP = ['operations', 'scope_id'];
const REQUIRED_ARRAY = { rule: 'a non-empty array' };

/** What groups are decoded against. */
export interface GroupRules {
  /** Top-level fields beside the common ones. */
  own: readonly string[];
  profile: Profile;
  /** Whether the admission limits apply. */
  fresh: boolean;
  /** The scope that the group at this position means; null when the bundle has none of this id. */
  scopeOf(scopeId: string, index: number): ScopeEvidence | null;
}

/**
 * Decodes a bundle: encoding, the observation it names (null: none of this target), then P0 to P8 of docs/spec/bundles.md, the
 * first fault wins. Request key, parent and the row's guards are judged elsewhere (`preconditionFault`).
 */
export function decodeBundle(submission: Submission<BundleFormat>, observation: Observation | null): DecodedBundle {
  if (!submission.encodable) return refused(faultOf('text_not_encodable'));
  if (observation === null) return refused(faultOf('bundle_invalid'));
  const fault = admissionFault(submission);
  if (fault !== null) return refused(fault);
  const { record, targetFileId } = submission;
  const known = scopesById(observation);
  const scopeOf = (scopeId: string): ScopeEvidence | null => known.get(scopeId) ?? null;
  return decodeGroups(record, targetFileId, { own: OWN, profile: profileOf(record), fresh: true, scopeOf });
}

/** P1 to P8 of a bundle's record. */
export function decodeGroups(record: JsonObject, targetFileId: string | null, rules: GroupRules): DecodedBundle {
  const early = headFault(record, targetFileId, [BUNDLE_FORMAT]);
  if (early !== null) return refused(early);
  const items = member(record, 'groups');
  if (!Array.isArray(items) || items.length === 0) {
    return refused(faultOf('manifest_missing', { path: 'groups', words: REQUIRED_ARRAY }));
  }
  const fault = frameFault(record, rules.own, rules.fresh);
  if (fault !== null) return refused(fault);
  const groups: ScopedGroup[] = [];
  const used = new Set<string>();
  for (const [index, item] of items.entries()) {
    const decoded = decodeGroup(item, index, { rules, groups, used });
    if ('code' in decoded) return refused(decoded);
    groups.push(decoded);
  }
  return { ok: true, bundle: { format: BUNDLE_FORMAT, ...frameOf(record), groups } };
}

/** What the groups before have left: themselves, and the change ids they use. */
interface Earlier {
  rules: GroupRules;
  groups: readonly ScopedGroup[];
  used: Set<string>;
}

function decodeGroup(item: JsonValue, index: number, { rules, groups, used }: Earlier): ScopedGroup | Fault {
  const base = `groups[${index}]`;
  const refuse = (code: FaultCode, path: string, parts: FaultParts = {}): Fault => inGroup(faultOf(code, { ...parts, path }), { index });
  if (!isObject(item)) return refuse('not_an_object', base);
  const unknown = sortedNames(item).find((name) => !GROUP.includes(name));
  if (unknown !== undefined) return refuse('unknown_field', `${base}.${cutName(unknown)}`);
  const scopeId = member(item, 'scope_id');
  const path = `${base}.scope_id`;
  if (isAbsent(scopeId)) return refuse('field_missing', path);
  if (typeof scopeId !== 'string') return refuse('field_type', path, { words: { type: 'a string' } });
  const scope = rules.scopeOf(scopeId, index);
  if (scope === null) return refuse('scope_not_observed', path);
  const other = groups.find((group) => group.scope.start < scope.end && scope.start < group.scope.end);
  if (other !== undefined) return overlapFault({ index, scope }, other);
  const operations = member(item, 'operations');
  if (!Array.isArray(operations) || operations.length === 0) {
    const fault = faultOf('manifest_missing', { path: `${base}.operations`, words: REQUIRED_ARRAY });
    return inGroup(fault, { index, scope });
  }
  const changes: Change[] = [];
  const before = used.size;
  for (const [position, operation] of operations.entries()) {
    const decoded = decodeItem(operation, {
      container: `${base}.operations`,
      position,
      count: operations.length,
      before,
      format: 'patchdiff-tx/2',
      profile: rules.profile,
      fresh: rules.fresh,
      used,
    });
    if (!decoded.ok) return inGroup(decoded.fault, { index, scope, operation: position });
    used.add(decoded.change.changeId);
    changes.push(decoded.change);
  }
  return { index, scope, changes };
}

function overlapFault({ index, scope }: { index: number; scope: ScopeEvidence }, other: ScopedGroup): Fault {
  const named = (group: number, { scope_id, qualified_path }: ScopeEvidence): JsonObject => ({
    group_index: group,
    scope_id,
    qualified_path,
  });
  const fault = faultOf('scopes_overlap', {
    path: `groups[${index}].scope_id`,
    words: { other: other.index },
    evidence: { overlapping_scopes: [named(other.index, other.scope), named(index, scope)] },
  });
  return inGroup(fault, { index, scope });
}

/** Where in a bundle a fault is; positions are 0-based. */
export interface PlaceInBundle {
  index: number;
  operation?: number;
  scope?: ScopeEvidence;
}

/** The fault with the evidence of where in the bundle it is. */
export function inGroup(fault: Fault, { index, operation, scope }: PlaceInBundle): Fault {
  const evidence: JsonObject = { ...fault.evidence, group_index: index };
  if (operation !== undefined) evidence['operation_index'] = operation;
  if (scope !== undefined) {
    const { scope_id, qualified_path, start, end } = scope;
    evidence['scope'] = { scope_id, qualified_path, start, end };
  }
  return { ...fault, evidence };
}

function refused(fault: Fault): { ok: false; fault: Fault } {
  return { ok: false, fault };
}
