import type { Database, QueryOptions } from '../port.ts';
import { onlyRow } from '../rows.ts';
import type { SaveReceiptRow } from './save-target.ts';

export interface OpenPublication {
  targetFileId: string;
  expectedVersion: number | null;
  expectedHash: string | null;
  /** What was rendered into the bytes to be written. */
  version: number;
  contentHash: string;
  /** Null: the file must be absent. */
  expectedDiskSha256: string | null;
  writtenSha256: string;
  writtenBytes: number;
  /** JSON text. */
  actor: string | null;
  clientRequestId: string | null;
  /** JSON text of the runs of line endings that the bytes have; null: one ending for all lines. */
  eolRuns: string | null;
}

/** The row of patchdiff.publication_receipt, of open_publication and lock_publication. */
export interface PublicationReceiptRow {
  outcome: 'opened' | 'rejected' | 'recovered' | 'current' | 'moved' | 'closed';
  publication_id: string | null;
  failure_reason: string | null;
  failure_code: string | null;
  failure_detail: string | null;
  version: number;
  current_hash: string;
  workspace_root: string | null;
  workspace_path: string | null;
  last_synced_disk_sha256: string | null;
  chain_sequence: number;
  chain_head: string;
  /** Only with `recovered`: what the request key already stands for. */
  receipt: SaveReceiptRow | null;
}

const TEXT = `select *
from patchdiff.open_publication(
  p_target => $1,
  p_expected_version => $2,
  p_expected_hash => $3,
  p_version => $4,
  p_content_hash => $5,
  p_expected_disk_sha256 => $6,
  p_written_sha256 => $7,
  p_written_bytes => $8,
  p_actor => $9,
  p_client_request_id => $10,
  p_eol_runs => $11
)`;

/** Refused: target_not_found, bad_call. */
export async function openPublication(database: Database, call: OpenPublication, options?: QueryOptions): Promise<PublicationReceiptRow> {
  const values = [
    call.targetFileId,
    call.expectedVersion,
    call.expectedHash,
    call.version,
    call.contentHash,
    call.expectedDiskSha256,
    call.writtenSha256,
    call.writtenBytes,
    call.actor,
    call.clientRequestId,
    call.eolRuns,
  ];
  return onlyRow(await database.query<PublicationReceiptRow>({ name: 'open_publication', text: TEXT, values }, options), 'open_publication');
}
