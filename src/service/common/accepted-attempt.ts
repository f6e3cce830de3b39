import type { HistoryRow } from '../../db/calls/lock-history.ts';
import type { AcceptedAttempt } from '../../transaction/index.ts';

/** A row of history that is an attempt, as replay takes it. */
export function attemptOf(row: HistoryRow): AcceptedAttempt {
  return {
    target_file_id: row.target_file_id,
    pdcp_log_id: row.pdcp_log_id ?? '',
    log_sequence: row.log_sequence,
    before_version: row.before_version ?? -1,
    after_version: row.after_version,
    before_hash: row.before_hash ?? '',
    after_hash: row.after_hash,
    pdcp_content: row.content,
    pdcp_content_hash: row.content_hash,
    protocol_version: row.protocol_version ?? '',
    runtime_version: row.runtime_version ?? '',
  };
}
