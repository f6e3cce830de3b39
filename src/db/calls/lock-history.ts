import type { Database, QueryOptions } from '../port.ts';

/** The row of patchdiff.history_step. The initial snapshot has sequence 0 and no attempt's columns. */
export interface HistoryRow {
  target_file_id: string;
  kind: 'initial_upload' | 'accepted';
  log_sequence: number;
  pdcp_log_id: string | null;
  protocol_version: string | null;
  runtime_version: string | null;
  before_version: number | null;
  after_version: number;
  before_hash: string | null;
  after_hash: string;
  content_hash: string;
  /** The snapshot's text, or the attempt's payload. */
  content: string;
}

const TEXT = `select *
from patchdiff.lock_history(
  p_target => $1,
  p_from_sequence => $2,
  p_limit => $3
)`;

/**
 * A page of history, oldest first: up to `limit` attempts after `fromSequence` (exclusive; from 0 the snapshot comes first), one more
 * when there are more. Locks the target until the transaction ends. Refused: target_not_found.
 */
export function lockHistory(
  database: Database,
  targetFileId: string,
  fromSequence: number,
  limit: number,
  options?: QueryOptions,
): Promise<HistoryRow[]> {
  return database.query<HistoryRow>({ name: 'lock_history', text: TEXT, values: [targetFileId, fromSequence, limit] }, options);
}
