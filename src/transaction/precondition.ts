import { codePointLength, isBlank, takeCodePoints } from '../text/index.ts';
import { isHashGuard, isSource, isVersionGuard } from './decode.ts';
import { encodeAscii } from './encode.ts';
import { isAbsent, member } from './json.ts';
import type { JsonObject } from './json.ts';
import type { AnyFormat, Fault, Submission } from './types.ts';
import { faultOf } from './words.ts';

const KEY = /^[\x21-\x7e]{1,128}$/;
/** Characters of a raw value that evidence keeps. */
const RAW_CHARS = 1024;
/** Code points of a conflicting key that evidence keeps. */
const KEY_CHARS = 256;

/** What the target's row says, as far as the guards ask. */
export interface Row {
  version: number;
  /** Hex SHA-256 of the stored content, as recorded. */
  hash: string;
}

/**
 * The first fault that comes before protocol, in the order under the lock: key syntax, encoding, lineage, version guard, hash
 * guard. `parentResolved`: whether the parent is a rejected attempt of this target (any answer when there is none); `observed`: whether
 * a bundle's `bundle_id` is the id of an observation of this target. A stored key, which comes before all of these, is looked up elsewhere.
 */
export function preconditionFault(submission: Submission<AnyFormat>, row: Row, parentResolved: boolean, observed = true): Fault | null {
  return (
    keyFault(submission) ??
    (submission.encodable ? null : faultOf('text_not_encodable')) ??
    lineageFault(submission, parentResolved) ??
    (observed ? null : faultOf('bundle_invalid')) ??
    staleFault(submission.record, row)
  );
}

/** Key syntax of a fresh key. A key with unencodable text is an encoding fault instead. */
function keyFault({ clientRequestId, rawMetadata, encodable }: Submission<AnyFormat>): Fault | null {
  const raw = rawMetadata?.client_request_id;
  const bad = clientRequestId === null ? raw !== undefined && (encodable || !holdsUnencodable(raw)) : !KEY.test(clientRequestId);
  return bad ? faultOf('invalid_client_request_id') : null;
}

/** The fault of a key that already stands for another request; `existing` is null when the key belongs to a SAVE. */
export function keyConflictFault(clientRequestId: string, existing: string | null): Fault {
  return faultOf('request_key_conflict', {
    evidence: {
      existing_pdcp_log_id: existing,
      submitted_client_request_id: takeCodePoints(clientRequestId, KEY_CHARS),
      submitted_client_request_id_truncated: codePointLength(clientRequestId) > KEY_CHARS,
    },
  });
}

/** A parent that is a non-blank string but no rejected attempt of this target; other malformed parents are protocol faults. */
function lineageFault({ parent }: Submission<AnyFormat>, resolved: boolean): Fault | null {
  return parent === null || isBlank(parent) || resolved ? null : faultOf('parent_invalid');
}

/** The guards against the row, version before hash; a malformed guard takes no part. */
function staleFault(record: JsonObject, { version, hash }: Row): Fault | null {
  const expectedVersion = member(record, 'expected_target_version');
  if (isVersionGuard(expectedVersion) && expectedVersion !== version) {
    const values = { expected: expectedVersion, actual: version };
    return faultOf('target_version_mismatch', { words: values, evidence: values });
  }
  const expectedHash = member(record, 'expected_current_hash');
  if (isHashGuard(expectedHash) && expectedHash !== hash) {
    return faultOf('target_hash_mismatch', { evidence: { expected: expectedHash, actual: hash } });
  }
  return null;
}

/** The values of a submission that fit no column, as evidence keeps them: ASCII JSON, cut to 1,024 characters. */
export function rawValuesOf(submission: Submission<AnyFormat>, parentResolved: boolean): JsonObject {
  const { record, clientRequestId, parent, attempt, source, rawMetadata } = submission;
  const version = member(record, 'expected_target_version');
  const hash = member(record, 'expected_current_hash');
  const raw: [string, string | null][] = [
    ['raw_client_request_id', rawMetadata?.client_request_id ?? (keyFault(submission) === null ? null : encodeAscii(clientRequestId))],
    ['raw_parent_pdcp_log_id', rawMetadata?.parent_pdcp_log_id ?? (parent === null || parentResolved ? null : encodeAscii(parent))],
    ['raw_attempt', rawMetadata?.attempt ?? (attempt === null || attempt >= 1 ? null : encodeAscii(attempt))],
    ['raw_source', rawMetadata?.source ?? (source === null || isSource(source) ? null : encodeAscii(source))],
    ['raw_expected_target_version', isAbsent(version) || isVersionGuard(version) ? null : encodeAscii(version)],
    ['raw_expected_current_hash', isAbsent(hash) || isHashGuard(hash) ? null : encodeAscii(hash)],
  ];
  return Object.fromEntries(raw.flatMap(([name, value]) => (value === null ? [] : [[name, value.slice(0, RAW_CHARS)]])));
}

/** Whether ASCII JSON holds an escape that no PostgreSQL text can: `\u0000` or half of a surrogate pair. */
function holdsUnencodable(json: string): boolean {
  return /\\u(?:0000|d[89a-f][0-9a-f]{2})/.test(
    json.replaceAll('\\\\', '..').replaceAll(/\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}/g, '.'),
  );
}
