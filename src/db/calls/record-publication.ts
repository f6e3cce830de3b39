import type { Database, QueryOptions } from '../port.ts';
import { onlyRow } from '../rows.ts';
import type { SaveReceiptRow } from './save-target.ts';

export interface RecordPublication {
  targetFileId: string;
  publicationId: string;
  outcome: 'published' | 'rejected' | 'superseded';
  observedDiskSha256: string | null;
  /** JSON text of an object: the caller's claim, kept with the outcome. The receipt's failure is what the database finds itself. */
  detail: string | null;
  /** The key that the intent was opened with, or null: then only `published` settles that key, unless it stands for something else. */
  clientRequestId: string | null;
  /** JSON text. */
  actor: string | null;
}

const TEXT = `select *
from patchdiff.record_publication(
  p_target => $1,
  p_publication_id => $2,
  p_outcome => $3,
  p_observed_disk_sha256 => $4,
  p_detail => $5,
  p_client_request_id => $6,
  p_actor => $7
)`;

/** Refused: target_not_found, publication_not_found, publication_closed, bad_call. */
export async function recordPublication(database: Database, call: RecordPublication, options?: QueryOptions): Promise<SaveReceiptRow> {
  const values = [
    call.targetFileId,
    call.publicationId,
    call.outcome,
    call.observedDiskSha256,
    call.detail,
    call.clientRequestId,
    call.actor,
  ];
  return onlyRow(await database.query<SaveReceiptRow>({ name: 'record_publication', text: TEXT, values }, options), 'record_publication');
}
