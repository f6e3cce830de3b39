import type { JsonValue, Stage } from '../../transaction/index.ts';

/** The row of patchdiff.attempt_entry. */
export interface AttemptRow {
  pdcp_log_id: string;
  target_file_id: string;
  log_sequence: number;
  status: 'accepted' | 'rejected';
  decided_by: 'database' | 'runtime';
  failure_reason: string | null;
  failure_code: string | null;
  failure_detail: string | null;
  failed_change_id: string | null;
  validation_stage: Stage;
  before_hash: string;
  after_hash: string;
  before_version: number;
  after_version: number;
  expected_target_version: number | null;
  expected_current_hash: string | null;
  change_count: number;
  pdcp_content_hash: string;
  protocol_version: string;
  runtime_version: string;
  submission_source: string | null;
  parent_pdcp_log_id: string | null;
  regeneration_attempt: number | null;
  regeneration_source: string | null;
  client_request_id: string | null;
  request_fingerprint: string | null;
  editing_cycle: number;
  actor: JsonValue;
  diagnostic: JsonValue;
  warnings: JsonValue;
  created_at: string;
  chain_sequence: number;
  /** Hex. */
  row_hash: string;
  /** Null where the payload was not asked for. */
  pdcp_content: string | null;
}
