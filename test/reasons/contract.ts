import type { FailureReason, Format, Stage } from '../../src/transaction/index.ts';

/*
 * What the contract says of stages, validity and retries, written down once more by hand: the layers are held against it.
 */

export const TX1 = 'patchdiff-tx/1';
export const TX2 = 'patchdiff-tx/2';
export const TX3 = 'patchdiff-tx/3';
export const FORMATS: readonly Format[] = [TX1, TX2, TX3];

export type FailureStage = Exclude<Stage, 'accepted'>;

export const STAGES: readonly FailureStage[] = ['precondition_guard', 'protocol_validation', 'transaction_applicability', 'commit_guard'];

/** protocol_valid and transaction_valid of a rejection at each stage. */
export const VALIDITY: Readonly<Record<FailureStage, [boolean | null, boolean | null]>> = {
  precondition_guard: [null, null],
  protocol_validation: [false, null],
  transaction_applicability: [true, false],
  commit_guard: [true, true],
};

/** Every reason, the stages at which it occurs, and those of them at which a fresh read can help. */
export const REASONS: Readonly<Record<FailureReason, { stages: FailureStage[]; retryable: FailureStage[] }>> = {
  target_not_found: { stages: ['precondition_guard'], retryable: [] },
  context_invalid: { stages: ['precondition_guard', 'protocol_validation', 'commit_guard'], retryable: [] },
  target_version_mismatch: { stages: ['precondition_guard'], retryable: ['precondition_guard'] },
  target_hash_mismatch: {
    stages: ['precondition_guard', 'transaction_applicability'],
    retryable: ['precondition_guard', 'transaction_applicability'],
  },
  manifest_missing: { stages: ['protocol_validation'], retryable: [] },
  manifest_invalid: { stages: ['protocol_validation', 'transaction_applicability'], retryable: [] },
  block_malformed: { stages: ['protocol_validation'], retryable: [] },
  context_missing: { stages: ['protocol_validation'], retryable: [] },
  disambiguation_invalid: { stages: ['protocol_validation', 'transaction_applicability'], retryable: ['transaction_applicability'] },
  target_encoding_invalid: { stages: ['protocol_validation'], retryable: [] },
  match_absent: { stages: ['transaction_applicability'], retryable: ['transaction_applicability'] },
  match_ambiguous: { stages: ['transaction_applicability'], retryable: ['transaction_applicability'] },
  sequential_match_invalid: { stages: ['transaction_applicability'], retryable: ['transaction_applicability'] },
  span_out_of_bounds: { stages: ['transaction_applicability'], retryable: ['transaction_applicability'] },
  span_expected_text_mismatch: { stages: ['transaction_applicability'], retryable: ['transaction_applicability'] },
  target_diverged: { stages: ['commit_guard'], retryable: ['commit_guard'] },
};

/** Faults that the database finds by itself, whatever the caller claimed; all others are the claimant's too. */
export function isDatabases(stage: FailureStage, code: string): boolean {
  return stage === 'precondition_guard' || stage === 'commit_guard' || code === 'text_not_encodable';
}
