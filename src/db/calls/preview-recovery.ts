import type { Database, QueryOptions } from '../port.ts';
import type { CommitReceiptRow } from './commit-attempt.ts';

const TEXT = `select *
from patchdiff.preview_recovery(
  p_target => $1,
  p_client_request_id => $2
)`;

/** The receipt that a submission with this request key would recover; null when the key belongs to no submission. */
export async function previewRecovery(
  database: Database,
  targetFileId: string,
  clientRequestId: string,
  options?: QueryOptions,
): Promise<CommitReceiptRow | null> {
  const statement = { name: 'preview_recovery', text: TEXT, values: [targetFileId, clientRequestId] };
  const [row] = await database.query<CommitReceiptRow>(statement, options);
  return row ?? null;
}
