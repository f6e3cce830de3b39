import type pg from 'pg';
import { sha256 } from './invalid-text.ts';

export interface Legacy {
  payload: string;
  key: string;
  /** Null: the older rule stored none. */
  fingerprint: string | null;
  format: string;
  /** Text of the stored evidence; null: the older rule stored none. */
  diagnostic: string | null;
  reason?: string;
}

/** Appends a rejected attempt as a rule of the past would have: its payload as it is, whatever a rule of today says of it. The id. */
export async function appendLegacy(admin: pg.Client, id: string, legacy: Legacy): Promise<string> {
  const { rows } = await admin.query<{ version: number; current_hash: string }>(
    'select version::integer as version, current_hash from patchdiff_store.cloud_target_files where target_file_id = $1',
    [id],
  );
  const { version, current_hash: hash } = rows[0]!;
  const row = {
    target_file_id: id,
    before_version: version,
    after_version: version,
    before_hash: hash,
    after_hash: hash,
    status: 'rejected',
    decided_by: 'runtime',
    failure_reason: legacy.reason ?? 'match_absent',
    failure_code: legacy.reason ?? 'match_absent',
    failure_detail: 'as it was said then',
    validation_stage: 'transaction_applicability',
    protocol_version: legacy.format,
    runtime_version: 'patchdiff-mvp-0.2.2',
    pdcp_content_hash: sha256(legacy.payload),
    submission_source: 'model_response',
    client_request_id: legacy.key,
    request_fingerprint: legacy.fingerprint,
  };
  // Written by hand: the text of the stored evidence must arrive byte for byte.
  const text = `${JSON.stringify(row).slice(0, -1)},"diagnostic_json":${legacy.diagnostic ?? 'null'}}`;
  const appended = await admin.query<{ id: string }>(
    `select (patchdiff_store.append_attempt(
       patchdiff_store.lock_target($1),
       json_populate_record(null::patchdiff_store.append_only_pdcp_logs, $2::json),
       $3, null, null)).pdcp_log_id as id`,
    [id, text, legacy.payload],
  );
  return appended.rows[0]!.id;
}
