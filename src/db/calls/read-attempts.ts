import type { Database, QueryOptions } from '../port.ts';
import type { AttemptRow } from './attempt-entry.ts';

export interface ReadAttempts {
  targetFileId: string;
  limit: number;
  /** Exclusive. */
  beforeSequence: number | null;
  status: 'accepted' | 'rejected' | null;
  contentHash: string | null;
  /** Compared exactly. */
  clientRequestId: string | null;
  includeContent: boolean;
}

const TEXT = `select *
from patchdiff.read_attempts(
  p_target => $1,
  p_limit => $2,
  p_before_sequence => $3,
  p_status => $4,
  p_content_hash => $5,
  p_client_request_id => $6,
  p_include_content => $7
)`;

/** Newest first; one row more than the limit when there are more. Refused: target_not_found. */
export function readAttempts(database: Database, call: ReadAttempts, options?: QueryOptions): Promise<AttemptRow[]> {
  const values = [call.targetFileId, call.limit, call.beforeSequence, call.status, call.contentHash, call.clientRequestId, call.includeContent];
  return database.query<AttemptRow>({ name: 'read_attempts', text: TEXT, values }, options);
}
