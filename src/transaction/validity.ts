import type { FailureReason, Stage } from './types.ts';

/** Four levels of validity; the last two are never judged by this service. */
export interface Validity {
  protocol_valid: boolean | null;
  transaction_valid: boolean | null;
  task_correct: 'not_evaluated';
  semantic: 'not_evaluated';
}

/** What an outcome at this stage says about protocol and transaction; null = not reached. */
export function validityOf(stage: Stage): Validity {
  const validity = (protocol: boolean | null, transaction: boolean | null): Validity => ({
    protocol_valid: protocol,
    transaction_valid: transaction,
    task_correct: 'not_evaluated',
    semantic: 'not_evaluated',
  });
  switch (stage) {
    case 'precondition_guard':
      return validity(null, null);
    case 'protocol_validation':
      return validity(false, null);
    case 'transaction_applicability':
      return validity(true, false);
    case 'commit_guard':
    case 'accepted':
      return validity(true, true);
  }
}

/** The one list that every layer shares, without `disambiguation_invalid`, which depends on the stage. */
const RETRYABLE: readonly FailureReason[] = [
  'target_version_mismatch',
  'target_hash_mismatch',
  'target_diverged',
  'match_absent',
  'match_ambiguous',
  'sequential_match_invalid',
  'span_out_of_bounds',
  'span_expected_text_mismatch',
];

/** Whether a new proposal from a fresh read can succeed. */
export function isRetryable(reason: FailureReason, stage: Stage): boolean {
  return reason === 'disambiguation_invalid' ? stage === 'transaction_applicability' : RETRYABLE.includes(reason);
}
