import type { JsonObject } from './json.ts';

/** The public formats. */
export type Format = 'patchdiff-tx/1' | 'patchdiff-tx/2' | 'patchdiff-tx/3';

/** The format of the bundle tool: tx/2 operations, grouped by observed scope. */
export type BundleFormat = 'patchdiff-observed-batch/1';

export type AnyFormat = Format | BundleFormat;

export type Risk = 'low' | 'medium' | 'high';

export type Stage = 'precondition_guard' | 'protocol_validation' | 'transaction_applicability' | 'commit_guard' | 'accepted';

export type FailureReason =
  | 'target_not_found'
  | 'context_invalid'
  | 'target_version_mismatch'
  | 'target_hash_mismatch'
  | 'manifest_missing'
  | 'manifest_invalid'
  | 'block_malformed'
  | 'context_missing'
  | 'disambiguation_invalid'
  | 'target_encoding_invalid'
  | 'match_absent'
  | 'match_ambiguous'
  | 'sequential_match_invalid'
  | 'span_out_of_bounds'
  | 'span_expected_text_mismatch'
  | 'target_diverged';

/** What a submission to a tool comes to before anything is judged. Built by `prepareSubmission` and `prepareBundle`. */
export interface Submission<F extends AnyFormat = Format> {
  format: F;
  /** Canonical lower-case UUID; null when missing or malformed (such a submission leaves no row). */
  targetFileId: string | null;
  record: JsonObject;
  /** Canonical JSON of the record; ASCII-escaped when the record holds a lone surrogate or NUL. */
  payload: string;
  /** False when any argument, invocation values included, holds a lone surrogate or NUL. */
  encodable: boolean;
  /** The four invocation values where they fit their typed parameter, else null (then in rawMetadata, unless absent). */
  clientRequestId: string | null;
  parent: string | null;
  attempt: number | null;
  source: string | null;
  /**
   * ASCII JSON text of each of the four that does not fit its parameter (text over 8,192 bytes does not), and a mark for a
   * correlation id that holds unencodable text; null when there is none.
   */
  rawMetadata: Partial<Record<MetadataName, string>> | null;
}

export type MetadataName = 'client_request_id' | 'parent_pdcp_log_id' | 'attempt' | 'source' | 'correlation_id';

interface ChangeCommon {
  /** 1-based position in the submission. */
  ordinal: number;
  /** Where the submission holds it: `edits[0]`, `groups[1].operations[0]`. */
  path: string;
  changeId: string;
  rationale: string | null;
  risk: Risk | null;
  /** As sent; the applier canonicalises. */
  replace: string;
}

export interface MatchChange extends ChangeCommon {
  operation: 'match';
  match: string;
  occurrenceIndex: number | null;
  anchorBefore: string | null;
  anchorAfter: string | null;
}

/** `start` and `end` are code points of the buffer as it stands at that operation. */
export interface SpanChange extends ChangeCommon {
  operation: 'span';
  start: number;
  end: number;
  expectedText: string;
  expectedBefore: string | null;
  expectedAfter: string | null;
}

export interface ReplaceAllChange extends ChangeCommon {
  operation: 'replace_all';
}

export type Change = MatchChange | SpanChange | ReplaceAllChange;

/** The one internal form of every format; of a bundle, its changes in the order of application. */
export interface Transaction {
  format: AnyFormat;
  /** Canonical lower-case UUID. */
  targetFileId: string;
  intent: string;
  expectedTargetVersion: number | null;
  expectedCurrentHash: string | null;
  changes: readonly Change[];
}

/** Facts of one applied change. Offsets and counts are code points, in the buffer at that change. Key order is part of the contract. */
export interface ChangeFact {
  ordinal: number;
  change_id: string;
  operation: 'match' | 'span' | 'replace_all';
  span_start: number;
  span_end: number;
  matched_chars: number;
  replacement_chars: number;
  matched_sha256: string;
  replacement_sha256: string;
}

export type WarningCode = 'no_op_change' | 'occurrence_index_basis_shift' | 'grapheme_boundary_split' | 'no_op_transaction';

export interface Warning {
  code: WarningCode;
  /** Null for `no_op_transaction`. */
  change_id: string | null;
}

/** Where a failure context is cut: the head of the text, or 256 code points around a known point. */
export type ContextCut = { kind: 'prefix' } | { kind: 'window'; point: number };

/** One fault, complete but for what only the target's row knows (see `diagnosticOf`). */
export interface Fault {
  reason: FailureReason;
  /** Equals the reason where the contract names no code of its own. */
  code: string;
  stage: Exclude<Stage, 'accepted'>;
  failedChangeId: string | null;
  /** The words of the contract (`failure_detail`). */
  detail: string;
  /** Stored in the evidence when not undefined. */
  path?: string | null;
  /** 1-based position of the faulty item; only for faults inside an item. */
  ordinal?: number;
  cut: ContextCut;
  /** The members of the evidence that follow `failure_context`, in the contract's order. */
  evidence: JsonObject;
}

export interface Applied {
  ok: true;
  content: string;
  /** Hex SHA-256 of the content. */
  afterHash: string;
  changes: ChangeFact[];
  /** UTF-8 byte offset of each change in the buffer as it stood at that change. */
  resolvedStarts: number[];
  warnings: Warning[];
}

export interface NotApplied {
  ok: false;
  fault: Fault;
  /** The text that failed: the canonical target when priorChanges is 0, else the intermediate buffer. */
  buffer: string;
  priorChanges: number;
  /** The facts of those changes. */
  changes: ChangeFact[];
}

/** The evidence of one scope: what it was called, where it lay and what its text hashed to. Key order is part of the contract. */
export interface ScopeEvidence {
  /** Code points of the observed content; `end` is exclusive. */
  end: number;
  kind: string;
  name: string;
  qualified_path: string;
  scope_id: string;
  /** Hex SHA-256 of the scope's text. */
  sha256: string;
  start: number;
}

/** The operations of one scope, in the scope's own coordinates. */
export interface ScopedGroup {
  /** 0-based position in the submission. */
  index: number;
  scope: ScopeEvidence;
  changes: readonly Change[];
}

/** A decoded bundle; its scopes are disjoint. */
export interface Bundle extends Omit<Transaction, 'format' | 'changes'> {
  format: BundleFormat;
  /** In submitted order. */
  groups: readonly ScopedGroup[];
}

/** A fact of a bundle: in document coordinates, with the scope's own beside them. */
export interface ScopedFact extends ChangeFact {
  /** 1-based position in the order of application. */
  apply_ordinal: number;
  scope_id: string;
  scope_span_start: number;
  scope_span_end: number;
}

/** `changes` and `warnings` are in the order of application; `resolvedStarts` in submitted order, bytes of the slice's buffer. */
export interface BundleApplied extends Applied {
  changes: ScopedFact[];
}

/** `buffer`, `changes` (slice coordinates) and `priorChanges` are those of the slice in which the operation failed. */
export interface BundleNotApplied extends NotApplied {
  /** Null when no scope of its own failed: then the buffer is the document. */
  scope: ScopeEvidence | null;
}

export type DecodedBundle = { ok: true; bundle: Bundle } | { ok: false; fault: Fault };

export type Decoded = { ok: true; transaction: Transaction } | { ok: false; fault: Fault };
