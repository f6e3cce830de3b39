import type { Database, QueryOptions } from '../port.ts';
import { onlyRow } from '../rows.ts';
import type { PublicationReceiptRow } from './open-publication.ts';

const TEXT = `select *
from patchdiff.lock_publication(
  p_target => $1,
  p_publication_id => $2
)`;

/** Of use only inside a transaction, which then holds the target's lock. Refused: target_not_found, publication_not_found. */
export async function lockPublication(
  database: Database,
  targetFileId: string,
  publicationId: string,
  options?: QueryOptions,
): Promise<PublicationReceiptRow> {
  const values = [targetFileId, publicationId];
  return onlyRow(await database.query<PublicationReceiptRow>({ name: 'lock_publication', text: TEXT, values }, options), 'lock_publication');
}
