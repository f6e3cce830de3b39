import type { Stage } from '../../transaction/index.ts';
import type { Database, QueryOptions } from '../port.ts';
import { onlyRow } from '../rows.ts';

/** What the caller contributes; everything else the procedure reads from the payload itself. */
export interface CommitAttempt {
  targetFileId: string;
  /** Canonical JSON of the record, ASCII-escaped when it is not encodable. */
  payload: string;
  clientRequestId: string | null;
  parent: string | null;
  attempt: number | null;
  source: string | null;
  /** JSON text. */
  actor: string | null;
  /** Hex SHA-256 of the content that was evaluated; null when none was. */
  baseHash: string | null;
  verdict: 'accepted' | 'rejected' | 'none';
  /** UTF-8 byte offsets, one a change, each in the buffer as it stands at that change. */
  resolvedStarts: readonly number[] | null;
  afterHash: string | null;
  /** JSON text; of it only `failure_reason` counts. */
  diagnostic: string | null;
  /** JSON text of an array of {code, change_id}. */
  warnings: string | null;
  /** JSON text: values that do not fit their typed parameter, each as ASCII JSON text. */
  rawMetadata: string | null;
}

/** The row of patchdiff.commit_receipt, as db/current/001-tables.sql lists it. Versions are safe integers. */
export interface CommitReceiptRow {
  outcome: 'accepted' | 'rejected' | 'stale_base' | 'not_found';
  deduplicated: boolean | null;
  pdcp_log_id: string | null;
  log_sequence: number | null;
  before_version: number | null;
  after_version: number | null;
  before_hash: string | null;
  after_hash: string | null;
  current_version: number | null;
  current_hash: string | null;
  validation_stage: Stage | null;
  decided_by: 'database' | 'runtime' | null;
  failure_reason: string | null;
  failure_code: string | null;
  failure_detail: string | null;
  failed_change_id: string | null;
  request_fingerprint: string | null;
  created_at: string | null;
  changes: unknown;
  warnings: unknown;
  diagnostic: unknown;
  current_context: unknown;
  /** Only with `stale_base`: re-hashed by the procedure before it was sent. */
  current_content: string | null;
}

const TEXT = `select *
from patchdiff.commit_attempt(
  p_target => $1,
  p_payload => $2,
  p_client_request_id => $3,
  p_parent => $4,
  p_attempt => $5,
  p_source => $6,
  p_actor => $7,
  p_base_hash => $8,
  p_verdict => $9,
  p_resolved_starts => $10,
  p_after_hash => $11,
  p_diagnostic => $12,
  p_warnings => $13,
  p_raw_metadata => $14
)`;

/** One statement, which commits by itself unless `database` is bound to a transaction. */
export async function commitAttempt(database: Database, call: CommitAttempt, options?: QueryOptions): Promise<CommitReceiptRow> {
  const rows = await database.query<CommitReceiptRow>(
    {
      name: 'commit_attempt',
      text: TEXT,
      values: [
        call.targetFileId,
        call.payload,
        call.clientRequestId,
        call.parent,
        call.attempt,
        call.source,
        call.actor,
        call.baseHash,
        call.verdict,
        call.resolvedStarts,
        call.afterHash,
        call.diagnostic,
        call.warnings,
        call.rawMetadata,
      ],
    },
    options,
  );
  return onlyRow(rows, 'commit_attempt');
}
