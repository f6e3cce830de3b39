import type { CommitReceiptRow } from '../../db/calls/commit-attempt.ts';
import { isRetryable, validityOf } from '../../transaction/index.ts';
import type { NearMissAnswer } from '../../nearmiss/index.ts';
import type { AnyFormat, JsonObject, JsonValue } from '../../transaction/index.ts';
import { nearMissMembers } from './near-misses.ts';
import { nextStep } from './next-step.ts';

/** What a receipt says of the moment of the call, beside the recorded outcome. */
export interface ReceiptContext {
  targetFileId: string;
  /** The tool's arguments as sent. */
  args: JsonObject;
  /** The right shape of a misshaped argument, or null. */
  shape: string | null;
  /** Response only; null unless they were searched for. */
  nearMisses: NearMissAnswer | null;
}

/** The public receipt of a recorded outcome, fresh or recovered. */
export function receiptOf(row: CommitReceiptRow, context: ReceiptContext): JsonObject {
  const accepted = row.outcome === 'accepted';
  const common: JsonObject = {
    status: accepted ? 'accepted' : 'rejected',
    deduplicated: row.deduplicated === true,
    pdcp_log_id: row.pdcp_log_id,
    target_file_id: context.targetFileId,
    before_version: row.before_version,
    version: accepted ? row.after_version : row.current_version,
    before_hash: row.before_hash,
    after_hash: row.after_hash,
    current_version: row.current_version,
    current_hash: row.current_hash,
    validity: { ...validityOf(row.validation_stage ?? 'accepted') },
  };
  if (accepted) {
    return { ...common, evidence: { changes: row.changes as JsonValue }, warnings: (row.warnings ?? []) as JsonValue };
  }
  return {
    ...common,
    failure_reason: row.failure_reason,
    failure_code: row.failure_code,
    failure_detail: row.failure_detail,
    failed_change_id: row.failed_change_id,
    // A rejection that was recorded without evidence, by older rules, is not given any.
    ...(row.diagnostic === null ? {} : { diagnostic: row.diagnostic as JsonValue }),
    current_context: row.current_context as JsonValue,
    ...nearMissMembers(context.nearMisses),
    next_step: nextStep(row.failure_code ?? row.failure_reason ?? '', { ...context, diagnostic: (row.diagnostic ?? {}) as JsonObject }),
  };
}

/** Why a submission reached no target. */
export interface UnlinkedFault {
  reason: 'context_invalid' | 'target_not_found';
  code: 'arguments_not_an_object' | 'target_id_malformed' | 'target_not_found';
  detail: string;
}

/** A rejection without a row: there is no target whose log could hold it. */
export function unlinkedReceipt(format: AnyFormat, targetFileId: string | null, fault: UnlinkedFault, shape: string | null): JsonObject {
  const unavailable = { kind: 'unavailable', reason: fault.detail };
  const diagnostic: JsonObject = {
    failure_code: fault.code,
    format,
    validation_stage: 'precondition_guard',
    retryable: isRetryable(fault.reason, 'precondition_guard'),
    requires_new_submission: true,
    decided_by: 'runtime',
    failure_context: unavailable,
  };
  return {
    status: 'rejected',
    deduplicated: false,
    pdcp_log_id: null,
    target_file_id: targetFileId,
    before_version: null,
    version: null,
    before_hash: null,
    after_hash: null,
    current_version: null,
    current_hash: null,
    validity: { ...validityOf('precondition_guard') },
    failure_reason: fault.reason,
    failure_code: fault.code,
    failure_detail: fault.detail,
    failed_change_id: null,
    diagnostic,
    current_context: unavailable,
    ...nearMissMembers(null),
    next_step:
      fault.code === 'arguments_not_an_object' && shape !== null
        ? shape
        : nextStep(fault.code, { shape, args: {}, diagnostic, nearMisses: null }),
  };
}
