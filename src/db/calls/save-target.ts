import type { JsonObject } from '../../transaction/index.ts';
import type { Database, QueryOptions } from '../port.ts';
import { onlyRow } from '../rows.ts';

export interface SaveTarget {
  targetFileId: string;
  expectedVersion: number | null;
  expectedHash: string | null;
  clientRequestId: string | null;
  /** JSON text. */
  actor: string | null;
  /** True: settles only what needs no publication and answers `publication_needed` otherwise. */
  syncWorkspace: boolean;
}

/** The row of patchdiff.save_receipt. */
export interface SaveReceiptRow {
  outcome: 'checkpointed' | 'unchanged' | 'rejected' | 'publication_needed' | 'published' | 'superseded';
  deduplicated: boolean;
  failure_reason: string | null;
  failure_code: string | null;
  failure_detail: string | null;
  version: number;
  current_hash: string;
  editing_cycle: number;
  snapshot_id: string | null;
  publication_id: string | null;
  created_at: string;
  chain_sequence: number;
  chain_head: string;
  /** Only with `published`: what was written, and the claim of the process that wrote it (RecordPublication.detail). */
  installation: { workspace_path: string; disk_sha256: string; written_bytes: number; detail: JsonObject | null } | null;
}

const TEXT = `select *
from patchdiff.save_target(
  p_target => $1,
  p_expected_version => $2,
  p_expected_hash => $3,
  p_client_request_id => $4,
  p_actor => $5,
  p_sync_workspace => $6
)`;

/** Refused: target_not_found, bad_call. */
export async function saveTarget(database: Database, call: SaveTarget, options?: QueryOptions): Promise<SaveReceiptRow> {
  const values = [call.targetFileId, call.expectedVersion, call.expectedHash, call.clientRequestId, call.actor, call.syncWorkspace];
  return onlyRow(await database.query<SaveReceiptRow>({ name: 'save_target', text: TEXT, values }, options), 'save_target');
}
