import { codePointLength, isBlank, utf8Length } from '../text/index.ts';
import { decodeItem } from './decode-item.ts';
import { sortedNames } from './encode.ts';
import { depthOf } from './inspect.ts';
import { isAbsent, isInteger, isObject, member } from './json.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { LIMITS } from './limits.ts';
import { cutName } from './path.ts';
import { profileOf } from './profiles.ts';
import type { Profile } from './profiles.ts';
import { canonicalUuid } from './submission.ts';
import type { AnyFormat, Change, Decoded, Fault, Format, Submission, Transaction } from './types.ts';
import { faultOf } from './words.ts';

const HASH = /^[0-9a-f]{64}$/;
const COMMON = ['expected_current_hash', 'expected_target_version', 'format', 'intent', 'target_file_id'];

/**
 * Decodes a submission: encoding, then P0 to P8 of docs/spec/decoding.md, the first fault wins. Request key, lineage and the
 * row's guards come before protocol and are judged elsewhere (`preconditionFault`).
 */
export function decodeSubmission(submission: Submission): Decoded {
  if (!submission.encodable) return refused(faultOf('text_not_encodable'));
  const fault = admissionFault(submission);
  return fault === null ? decodeRecord(submission.record, submission.targetFileId, profileOf(submission.record)) : refused(fault);
}

/** P0 to P2 of a fresh submission. */
export function admissionFault(submission: Submission<AnyFormat>): Fault | null {
  return oversizeFault(submission.record, submission.payload) ?? contextFault(submission);
}

/** P0: larger, deeper or longer than a fresh submission may be. */
export function oversizeFault(record: JsonObject, payload: string): Fault | null {
  if (payload.length > LIMITS.payloadBytes || utf8Length(payload) > LIMITS.payloadBytes)
    return faultOf('payload_too_large', { path: null });
  if (depthOf(record, LIMITS.depth) > LIMITS.depth) return faultOf('payload_too_deep', { path: null });
  return countItems(record) > LIMITS.operations ? faultOf('too_many_operations', { path: null }) : null;
}

/** Edits or operations; of a bundle its operations or its groups, whichever are more. */
function countItems(record: JsonObject): number {
  const format = member(record, 'format');
  const items = member(record, format === 'patchdiff-observed-batch/1' ? 'groups' : containerOf(format));
  if (!Array.isArray(items)) return 0;
  if (format !== 'patchdiff-observed-batch/1') return items.length;
  let counted = 0;
  for (const group of items) {
    const operations = isObject(group) ? member(group, 'operations') : undefined;
    if (Array.isArray(operations)) counted += operations.length;
  }
  return Math.max(items.length, counted);
}

/** True for a version guard that takes part: an integer of 0…2^53−1. */
export function isVersionGuard(value: JsonValue | undefined): value is number {
  return isInteger(value, 0);
}

/** True for a hash guard that takes part: 64 lower-case hex digits. */
export function isHashGuard(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && HASH.test(value);
}

/** True for text that can be a source: not blank, at most 256 code points. */
export function isSource(text: string): boolean {
  return !isBlank(text) && codePointLength(text) <= LIMITS.sourceChars;
}

/** P1 and P2: presence and form of the guards, then form of attempt, parent and source. */
function contextFault(submission: Submission<AnyFormat>): Fault | null {
  const missing = guardFault(submission.record);
  if (missing !== null) return missing;
  const { attempt, parent, source, rawMetadata } = submission;
  if (rawMetadata?.attempt !== undefined || (attempt !== null && attempt < 1)) return faultOf('attempt_malformed', { path: 'attempt' });
  if (rawMetadata?.parent_pdcp_log_id !== undefined || (parent !== null && isBlank(parent))) {
    return faultOf('parent_malformed', { path: 'parent_pdcp_log_id' });
  }
  if (rawMetadata?.source !== undefined || (source !== null && !isSource(source))) return faultOf('source_malformed', { path: 'source' });
  return null;
}

function guardFault(record: JsonObject): Fault | null {
  const version = member(record, 'expected_target_version');
  const hash = member(record, 'expected_current_hash');
  if (isAbsent(version) && isAbsent(hash)) return faultOf('guard_missing', { path: null });
  if (!isAbsent(version) && !isVersionGuard(version)) {
    return faultOf('guard_malformed', { path: 'expected_target_version', words: { rule: 'an integer from 0 to 9007199254740991' } });
  }
  if (!isAbsent(hash) && !isHashGuard(hash)) {
    return faultOf('guard_malformed', { path: 'expected_current_hash', words: { rule: '64 lowercase hexadecimal digits' } });
  }
  return null;
}

/**
 * P1 to P8 of a record, under a profile: what replay and imported history decode by. Only a fresh submission (the default)
 * is held to the admission limits. `targetFileId` is the canonical id of the target the record must name.
 */
export function decodeRecord(record: JsonObject, targetFileId: string | null, profile: Profile, fresh = true): Decoded {
  const early = headFault(record, targetFileId, profile.protocols.filter(isFormat));
  if (early !== null) return refused(early);
  const format = member(record, 'format') as Format;
  const container = containerOf(format);
  const items = member(record, container);
  if (!Array.isArray(items) || items.length === 0) return refused(containerFault(format, container));
  const fault = frameFault(record, [container], fresh);
  if (fault !== null) return refused(fault);

  const changes: Change[] = [];
  const used = new Set<string>();
  for (const [position, item] of items.entries()) {
    const decoded = decodeItem(item, { container, position, count: items.length, before: 0, format, profile, fresh, used });
    if (!decoded.ok) return decoded;
    used.add(decoded.change.changeId);
    changes.push(decoded.change);
  }
  return {
    ok: true,
    transaction: { format, ...frameOf(record), changes },
  };
}

/** P1, P3 and P4: guards, format and target of a record. */
export function headFault(record: JsonObject, targetFileId: string | null, formats: readonly string[]): Fault | null {
  const fault = guardFault(record);
  if (fault !== null) return fault;
  const format = member(record, 'format');
  if (typeof format !== 'string' || !formats.includes(format)) return faultOf('unknown_format', { path: 'format' });
  const named = canonicalUuid(member(record, 'target_file_id'));
  return named === null || named !== targetFileId ? faultOf('target_mismatch', { path: 'target_file_id' }) : null;
}

/** P6 and P7: the fields of a record beside the common ones, and its intent. */
export function frameFault(record: JsonObject, own: readonly string[], fresh: boolean): Fault | null {
  const unknown = sortedNames(record).find((name) => !own.includes(name) && !COMMON.includes(name));
  if (unknown !== undefined) return faultOf('unknown_field', { path: cutName(unknown) });
  const intent = member(record, 'intent');
  if (typeof intent !== 'string' || isBlank(intent)) return faultOf('intent_invalid', { path: 'intent' });
  return fresh && codePointLength(intent) > LIMITS.reasonChars ? faultOf('intent_too_long', { path: 'intent' }) : null;
}

/** The common fields of a record that has passed P1 to P7. */
export function frameOf(record: JsonObject): Omit<Transaction, 'format' | 'changes'> {
  return {
    targetFileId: canonicalUuid(member(record, 'target_file_id')) as string,
    intent: member(record, 'intent') as string,
    expectedTargetVersion: (member(record, 'expected_target_version') ?? null) as number | null,
    expectedCurrentHash: (member(record, 'expected_current_hash') ?? null) as string | null,
  };
}

/** Decodes a stored payload. `null` when it is no JSON object. */
export function parsePayload(payload: string): JsonObject | null {
  try {
    const value = JSON.parse(payload) as JsonValue;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function containerOf(format: JsonValue | undefined): 'edits' | 'operations' {
  return format === 'patchdiff-tx/1' ? 'edits' : 'operations';
}

function containerFault(format: Format, container: string): Fault {
  return format === 'patchdiff-tx/3'
    ? faultOf('manifest_missing', { path: 'replacement', words: { rule: 'a string' } })
    : faultOf('manifest_missing', { path: container, words: { rule: 'a non-empty array' } });
}

function isFormat(value: JsonValue | undefined): value is Format {
  return value === 'patchdiff-tx/1' || value === 'patchdiff-tx/2' || value === 'patchdiff-tx/3';
}

function refused(fault: Fault): { ok: false; fault: Fault } {
  return { ok: false, fault };
}
