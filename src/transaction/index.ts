export { compareCodePoints, encodeAscii, encodeCanonical, sortedNames } from './encode.ts';
export { depthOf, isEncodableValue } from './inspect.ts';
export { isAbsent, isInteger, isObject, member } from './json.ts';
export type { JsonObject, JsonValue, Sha256 } from './json.ts';
export { LIMITS } from './limits.ts';
export { PROFILES, profileFor, profileOf, runtimeVersionFor } from './profiles.ts';
export type { Profile } from './profiles.ts';
export { recordOf } from './record.ts';
export { canonicalUuid, prepareSubmission } from './submission.ts';
export type {
  Applied,
  Change,
  ChangeFact,
  Decoded,
  FailureReason,
  Fault,
  Format,
  MatchChange,
  MetadataName,
  NotApplied,
  ReplaceAllChange,
  Risk,
  SpanChange,
  Stage,
  Submission,
  Transaction,
  Warning,
  WarningCode,
} from './types.ts';
export { isRetryable, RETRYABLE_REASONS, validityOf } from './validity.ts';
export type { Validity } from './validity.ts';
