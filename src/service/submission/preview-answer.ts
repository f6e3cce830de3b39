import type { CommitReceiptRow } from '../../db/calls/commit-attempt.ts';
import type { NearMissAnswer } from '../../nearmiss/index.ts';
import { validityOf } from '../../transaction/index.ts';
import type { Applied, Fault, Format, JsonObject, JsonValue } from '../../transaction/index.ts';
import { nearMissMembers } from './near-misses.ts';
import { nextStep } from './next-step.ts';
import { diffPart, entriesPart, withinBudget } from './preview-budget.ts';
import { receiptOf } from './receipt.ts';
import { planUnifiedDiff } from './unified-diff.ts';
import { wrongShape } from './wrong-shape.ts';

/** What every answer about a known target begins with. */
export interface PreviewHead {
  target_file_id: string;
  format: Format;
  version: number;
  current_hash: string;
}

/** Bytes that each part is sure of when not everything fits; the diff comes first in what is left over. */
const DIFF_FLOOR = 20_480;
const CHANGES_FLOOR = 8_192;
const WARNINGS_FLOOR = 2_048;
/** A diagnostic that was made here fits whole; only imported history can hold a larger one. */
const DIAGNOSTIC_FLOOR = 20_480;
const NEAR_MISSES_FLOOR = 6_144;
const SEARCH_FLOOR = 4_096;
const RECEIPT_FLOOR = 8_192;

/** The answer for an acceptance. */
export function wouldAccept(head: PreviewHead, before: string, applied: Applied): JsonObject {
  const plan = planUnifiedDiff(before, applied.content);
  const parts = {
    diff: diffPart(plan, DIFF_FLOOR),
    changes: entriesPart('changes', applied.changes as unknown as JsonValue[], CHANGES_FLOOR),
    warnings: entriesPart('warnings', applied.warnings as unknown as JsonValue[], WARNINGS_FLOOR),
  };
  return withinBudget(parts, ({ diff, changes, warnings }, omitted) => ({
    status: 'would_accept',
    ...head,
    would_recover: false,
    validity: { ...validityOf('accepted') },
    after_version: head.version + 1,
    after_hash: applied.afterHash,
    evidence: { changes },
    warnings,
    diff,
    diff_coarse: plan.coarse,
    omitted,
  }));
}

export interface Refusal {
  fault: Fault;
  diagnostic: JsonObject;
  currentContext: JsonObject;
  nearMisses: NearMissAnswer | null;
  /** The submission's arguments as sent. */
  args: JsonObject;
}

/** The answer for a rejection: the members that the receipt would have. */
export function wouldReject(head: PreviewHead, { fault, diagnostic, currentContext, nearMisses, args }: Refusal): JsonObject {
  const { near_misses: hits, near_miss_search: search } = nearMissMembers(nearMisses);
  const parts = {
    diagnostic: entriesPart('diagnostic_members', diagnostic, DIAGNOSTIC_FLOOR),
    near_misses: entriesPart('near_misses', hits as JsonValue[], NEAR_MISSES_FLOOR),
    search: entriesPart('near_miss_search_members', (search ?? {}) as JsonObject, SEARCH_FLOOR),
  };
  return withinBudget(parts, (cut, omitted) => ({
    status: 'would_reject',
    ...head,
    would_recover: false,
    validity: { ...validityOf(fault.stage) },
    after_version: head.version,
    after_hash: head.current_hash,
    failure_reason: fault.reason,
    failure_code: fault.code,
    failure_detail: fault.detail,
    failed_change_id: fault.failedChangeId,
    diagnostic: cut.diagnostic,
    current_context: currentContext,
    near_misses: cut.near_misses,
    near_miss_search: search === null ? null : cut.search,
    next_step: nextStep(fault.code, { shape: wrongShape(head.format, args), args, diagnostic, nearMisses }),
    omitted,
  }));
}

/** The answer for a request key that has its outcome: the receipt that the submission would get. */
export function wouldRecover(head: PreviewHead, row: CommitReceiptRow, args: JsonObject): JsonObject {
  const receipt = receiptOf(row, { targetFileId: head.target_file_id, args, shape: wrongShape(head.format, args), nearMisses: null });
  const { evidence, warnings, diagnostic, ...rest } = receipt;
  const changes = (evidence as JsonObject | undefined)?.['changes'] ?? [];
  const parts = {
    rest: entriesPart('receipt_members', { ...rest, after_version: row.after_version }, RECEIPT_FLOOR),
    diagnostic: entriesPart('diagnostic_members', (diagnostic ?? {}) as JsonObject, DIAGNOSTIC_FLOOR),
    changes: entriesPart('changes', changes as JsonValue[], CHANGES_FLOOR),
    warnings: entriesPart('warnings', (warnings ?? []) as JsonValue[], WARNINGS_FLOOR),
  };
  return withinBudget(parts, (cut, omitted) => ({
    status: 'would_recover',
    ...head,
    would_recover: true,
    recorded: {
      ...(cut.rest as JsonObject),
      ...(evidence === undefined ? {} : { evidence: { changes: cut.changes }, warnings: cut.warnings }),
      ...(diagnostic === undefined ? {} : { diagnostic: cut.diagnostic }),
    },
    next_step: 'A submission with this client_request_id returns that outcome and changes nothing; send a new key for a new change.',
    omitted,
  }));
}
