export { applyTransaction } from './apply.ts';
export type { ApplyOptions } from './apply.ts';
export { applyBundle } from './apply-bundle.ts';
export { bundleIdentityOf, bundleIdOf, flattenBundle, prepareBundle } from './bundle.ts';
export { decodeRecord, decodeSubmission, parsePayload } from './decode.ts';
export { decodeBundle } from './decode-bundle.ts';
export { diagnosticOf } from './diagnostic.ts';
export type { DiagnosticContext } from './diagnostic.ts';
export { compareCodePoints, encodeAscii, encodeCanonical } from './encode.ts';
export { evaluate, evaluateBundle } from './evaluate.ts';
export type { Evaluation } from './evaluate.ts';
export { identityOf, isSameRequest } from './identity.ts';
export type { Identity } from './identity.ts';
export { isEncodableValue } from './inspect.ts';
export { member } from './json.ts';
export type { JsonObject, JsonValue, Sha256 } from './json.ts';
export { LIMITS } from './limits.ts';
export { carryLineEndings } from './line-endings.ts';
export { scopeIdOf } from './observation.ts';
export type { Grammar, Observation, ObservedScope, ScopeOrigin } from './observation.ts';
export { keyConflictFault, preconditionFault, rawValuesOf } from './precondition.ts';
export type { Row } from './precondition.ts';
export { PROFILES, profileFor, profileOf, runtimeVersionFor } from './profiles.ts';
export type { Profile } from './profiles.ts';
export { recordOf } from './record.ts';
export { replay, replayStep, startReplay } from './replay.ts';
export type {
  AcceptedAttempt,
  InitialSnapshot,
  MaterializedChecks,
  MaterializedState,
  Replay,
  ReplayCheck,
  ReplayedStep,
  ReplayFailure,
  ReplayResult,
} from './replay.ts';
export { canonicalUuid, prepareSubmission } from './submission.ts';
export type {
  AnyFormat,
  Applied,
  Bundle,
  BundleApplied,
  BundleFormat,
  BundleNotApplied,
  Change,
  ChangeFact,
  ContextCut,
  Decoded,
  DecodedBundle,
  FailureReason,
  Fault,
  Format,
  MatchChange,
  MetadataName,
  NotApplied,
  ReplaceAllChange,
  Risk,
  ScopedFact,
  ScopedGroup,
  ScopeEvidence,
  SpanChange,
  Stage,
  Submission,
  Transaction,
  Warning,
  WarningCode,
} from './types.ts';
export { findRemoval } from './undo.ts';
export type { Missing, RecentAttempt, Removal } from './undo.ts';
export { isRetryable, validityOf } from './validity.ts';
export type { Validity } from './validity.ts';
export { FAULT_CODES, faultOf } from './words.ts';
export type { FaultCode, FaultParts } from './words.ts';
