import { takeCodePoints, utf8Length } from '../text/index.ts';
import { isHashGuard, isVersionGuard, oversizeFault } from './decode.ts';
import { encodeAscii, encodeCanonical } from './encode.ts';
import { isEncodableValue, isWellFormedValue } from './inspect.ts';
import { member } from './json.ts';
import type { JsonObject, JsonValue, Sha256 } from './json.ts';
import { runtimeVersionFor } from './profiles.ts';
import type { AnyFormat, Submission } from './types.ts';

const INVALID_INPUT = 'patchdiff-invalid-input/1';
const OVERSIZED_INPUT = 'patchdiff-oversized-input/1';
/** Code points of an oversized payload that its envelope keeps. */
const PREFIX_CHARS = 256;

/** What the database stores and identifies a submission by. */
export interface Identity {
  /** `pdcp_content`: the payload, or the envelope that stands for it. */
  content: string;
  /** Hex SHA-256 of `content`. */
  contentHash: string;
  protocolVersion: string;
  runtimeVersion: string;
  /** `request_fingerprint`. */
  fingerprint: string;
  /** What a rule older than the envelopes identified the same submission by; null when stored as it is, or when none could. */
  earlierFingerprint: string | null;
  /** Null for a payload stored as it is. */
  envelope: typeof INVALID_INPUT | typeof OVERSIZED_INPUT | null;
}

/**
 * What the procedure stores for a submission and what it compares a request key by. `parent` is the canonical id of a
 * resolved parent, else the parent as supplied (null when there is none). The target id must be canonical.
 */
export function identityOf(submission: Submission, targetFileId: string, parent: string | null, sha256: Sha256): Identity {
  return identify(submission, submission.payload, targetFileId, parent, sha256);
}

/** The same for a submission that is stored as `stored` when it needs no envelope. */
export function identify(
  submission: Submission<AnyFormat>,
  stored: string,
  targetFileId: string,
  parent: string | null,
  sha256: Sha256,
): Identity {
  const { record, payload } = submission;
  const versions = { protocolVersion: submission.format, runtimeVersion: runtimeVersionFor(record) };
  const plain = (contentHash: string, as: string | null): string =>
    fingerprintOf(record, { protocolVersion: versions.protocolVersion, targetFileId, contentHash, parent: as }, sha256);
  const wrapped = (content: string, envelope: NonNullable<Identity['envelope']>, evidence: string): Identity => ({
    content,
    contentHash: sha256(content),
    ...versions,
    envelope,
    fingerprint: sha256(encodeCanonical({ evidence_domain: envelope, evidence_sha256: evidence, target_file_id: targetFileId })),
    earlierFingerprint: earlierFingerprint(submission, parent, (payload, as) => plain(sha256(payload), as)),
  });
  if (!submission.encodable) {
    const inputs = invalidInputs(submission);
    return wrapped(invalidInputEnvelope(inputs, versions.protocolVersion, versions.runtimeVersion), INVALID_INPUT, sha256(inputs));
  }
  if (oversizeFault(record, payload) !== null) {
    const digest = sha256(payload);
    return wrapped(oversizedEnvelope(payload, digest), OVERSIZED_INPUT, digest);
  }
  const contentHash = sha256(stored);
  return {
    content: stored,
    contentHash,
    ...versions,
    envelope: null,
    fingerprint: plain(contentHash, parent),
    earlierFingerprint: null,
  };
}

/** Whether a key that is stored with this fingerprint stands for this very request (docs/spec/decoding.md). */
export function isSameRequest({ fingerprint, earlierFingerprint }: Identity, stored: string): boolean {
  return stored === fingerprint || stored === earlierFingerprint;
}

/** `request_fingerprint` of a payload that is stored as it is; malformed guards count as null. */
function fingerprintOf(
  record: JsonObject,
  {
    protocolVersion,
    targetFileId,
    contentHash,
    parent,
  }: { protocolVersion: string; targetFileId: string; contentHash: string; parent: string | null },
  sha256: Sha256,
): string {
  const version = member(record, 'expected_target_version');
  const hash = member(record, 'expected_current_hash');
  return sha256(
    encodeCanonical({
      protocol_version: protocolVersion,
      target_file_id: targetFileId,
      pdcp_content_hash: contentHash,
      expected_target_version: isVersionGuard(version) ? version : null,
      expected_current_hash: isHashGuard(hash) ? hash : null,
      parent_pdcp_log_id: parent,
    }),
  );
}

/** The fingerprint as if the record had been stored as plain canonical JSON; null when a lone surrogate forbids that. */
function earlierFingerprint(
  { record, rawMetadata }: Submission<AnyFormat>,
  parent: string | null,
  plain: (payload: string, parent: string | null) => string,
): string | null {
  const raw = rawMetadata?.parent_pdcp_log_id;
  const unheld = raw === undefined ? null : (JSON.parse(raw) as JsonValue);
  // A string with NUL is a parent as supplied; any other raw value is no string, or too long to be one.
  const supplied = typeof unheld === 'string' && !isEncodableValue(unheld) ? unheld : parent;
  return isWellFormedValue(record) && isWellFormedValue(supplied) ? plain(encodeCanonical(record), supplied) : null;
}

/** The `inputs` of an invalid-input envelope: every identity-bearing input as ASCII JSON text. */
function invalidInputs({ record, parent, rawMetadata }: Submission<AnyFormat>): string {
  const raw = rawMetadata?.parent_pdcp_log_id ?? encodeAscii(parent);
  return `{"parent_pdcp_log_id":${raw},"record":${encodeAscii(record)}}`;
}

/** The envelope that stands for a submission with unencodable text. */
function invalidInputEnvelope(inputs: string, protocolVersion: string, runtimeVersion: string): string {
  return encodeCanonical({ evidence_format: INVALID_INPUT, inputs, protocol_version: protocolVersion, runtime_version: runtimeVersion });
}

/** The envelope that stands for an oversized payload. */
function oversizedEnvelope(payload: string, sha256: string): string {
  return encodeCanonical({
    evidence_format: OVERSIZED_INPUT,
    sha256,
    bytes: utf8Length(payload),
    prefix: takeCodePoints(payload, PREFIX_CHARS),
  });
}
