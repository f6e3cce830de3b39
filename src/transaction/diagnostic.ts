import { CodePointIndex } from '../text/index.ts';
import type { JsonObject } from './json.ts';
import type { ContextCut, Fault } from './types.ts';
import { isRetryable } from './validity.ts';

/** Code points of a context. */
const CONTEXT_CHARS = 256;
/** Code points of a window before its point. */
const BEFORE_POINT = 128;

/** The members that may follow `failure_context`, in the order in which they are stored. */
const EVIDENCE_ORDER = [
  'exact_candidates',
  'candidate_count',
  'candidate_count_capped',
  'consumed_match',
  'near_miss_query',
  'actual_text',
  'expected',
  'actual',
  'existing_pdcp_log_id',
  'submitted_client_request_id',
  'submitted_client_request_id_truncated',
  'raw_client_request_id',
  'raw_parent_pdcp_log_id',
  'raw_attempt',
  'raw_source',
  'raw_expected_target_version',
  'raw_expected_current_hash',
  'claimed',
  'derived',
  'overlapping_scopes',
  'observed_sha256',
  'actual_sha256',
  'group_index',
  'operation_index',
  'scope',
];

export interface DiagnosticContext {
  /** The protocol version the attempt is recorded under. */
  format: string;
  decidedBy: 'database' | 'runtime';
  /** Of the row at the start of the transaction. */
  version: number;
  hash: string;
  /** The text that failed: the canonical target, or the intermediate buffer after `priorChanges` changes. */
  buffer: string;
  priorChanges: number;
  /** From `rawValuesOf`. */
  rawValues?: JsonObject;
}

/** The evidence that is stored with a rejection (`diagnostic_json`), members in the contract's order. */
export function diagnosticOf(fault: Fault, context: DiagnosticContext): JsonObject {
  const members: JsonObject = { ...context.rawValues, ...fault.evidence };
  return {
    failure_code: fault.code,
    format: context.format,
    validation_stage: fault.stage,
    retryable: isRetryable(fault.reason, fault.stage),
    requires_new_submission: true,
    decided_by: context.decidedBy,
    ...(fault.path === undefined ? {} : { path: fault.path }),
    ...(fault.ordinal === undefined ? {} : { ordinal: fault.ordinal }),
    failure_context: {
      source: context.priorChanges === 0 ? 'canonical_target' : 'intermediate_buffer',
      prior_changes: context.priorChanges,
      version: context.version,
      hash: context.hash,
      ...contextOf(context.buffer, fault.cut),
    },
    ...Object.fromEntries(EVIDENCE_ORDER.filter((name) => Object.hasOwn(members, name)).map((name) => [name, members[name]])),
  };
}

/** At most 256 code points of a text: its head, or the surroundings of a point (a code point of the text). */
function contextOf(text: string, cut: ContextCut): JsonObject {
  const index = new CodePointIndex(text);
  const total = index.length;
  const start = cut.kind === 'prefix' ? 0 : Math.min(Math.max(0, cut.point - BEFORE_POINT), Math.max(0, total - CONTEXT_CHARS));
  const end = Math.min(total, start + CONTEXT_CHARS);
  return { kind: cut.kind, start, end, total_chars: total, text: text.slice(index.toUnit(start), index.toUnit(end)) };
}
