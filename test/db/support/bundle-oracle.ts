import { encodeCanonical, parsePayload, type JsonObject } from '../../../src/transaction/index.ts';
import { canonicalize } from '../../../src/text/index.ts';
import type { ObservedTarget } from './bundle-attacks.ts';

/** A text after one operation of a test's making, which has no options; null when it does not apply. */
function operated(text: string, { op, match, start, end, expected_text, replace }: JsonObject): string | null {
  const points = [...text];
  if (typeof replace !== 'string') return null;
  if (op === 'span') {
    if (typeof start !== 'number' || typeof end !== 'number' || points.slice(start, end).join('') !== expected_text) return null;
    return points.slice(0, start).join('') + canonicalize(replace) + points.slice(end).join('');
  }
  if (op !== 'match' || typeof match !== 'string' || match === '') return null;
  const at = text.indexOf(match);
  return at < 0 || text.includes(match, at + 1) ? null : text.slice(0, at) + canonicalize(replace) + text.slice(at + match.length);
}

/**
 * What a bundle makes of a target's text, by nothing but the observations that this test made: every range still holds the text that was
 * seen in it, and its text is what the operations make of that. Null when it may not be accepted.
 */
export function appliedAlone(payload: string, texts: ReadonlyMap<string, string>, target: ObservedTarget): string | null {
  const record = parsePayload(payload);
  if (record === null || encodeCanonical(record) !== payload || record['format'] !== 'patchdiff-observed-batch/1') return null;
  const known = ['bundle_id', 'expected_current_hash', 'expected_target_version', 'format', 'groups', 'intent', 'target_file_id'];
  if (Object.keys(record).some((name) => !known.includes(name)) || record['target_file_id'] !== target.id) return null;
  if (record['expected_target_version'] !== target.version || record['expected_current_hash'] !== null) return null;
  const seen = target.observations.find(({ bundle_id }) => bundle_id === record['bundle_id']);
  const groups = record['groups'];
  if (seen === undefined || !Array.isArray(groups) || groups.length === 0) return null;
  const points = [...target.content];
  const edits: { start: number; end: number; text: string }[] = [];
  for (const group of groups as (JsonObject | null)[]) {
    const scope = seen.scopes.find(({ scope_id }) => scope_id === group?.['scope_id']);
    const operations = group?.['operations'];
    if (scope === undefined || !Array.isArray(operations) || operations.length === 0) return null;
    const { start, end } = scope;
    const now = points.slice(start, end).join('');
    if (now !== texts.get(`${seen.bundle_id} ${scope.scope_id}`)) return null;
    if (edits.some((edit) => edit.start < end && start < edit.end)) return null;
    const text = (operations as JsonObject[]).reduce<string | null>((before, operation) => (before === null ? null : operated(before, operation)), now);
    if (text === null) return null;
    edits.push({ start, end, text });
  }
  for (const { start, end, text } of edits.sort((left, right) => right.start - left.start)) points.splice(start, end - start, text);
  return points.join('');
}
