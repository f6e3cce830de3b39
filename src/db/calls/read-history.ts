import type { Database, QueryOptions } from '../port.ts';
import type { HistoryRow } from './lock-history.ts';

const TEXT = `select *
from patchdiff.read_history(
  p_target => $1,
  p_after_version => $2,
  p_limit => $3
)`;

/** A page of the accepted attempts after a version, oldest first: up to `limit`, one more when there are more. No lock. */
export function readHistory(
  database: Database,
  targetFileId: string,
  afterVersion: number,
  limit: number,
  options?: QueryOptions,
): Promise<HistoryRow[]> {
  return database.query<HistoryRow>({ name: 'read_history', text: TEXT, values: [targetFileId, afterVersion, limit] }, options);
}
