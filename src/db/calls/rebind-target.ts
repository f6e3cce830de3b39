import type { Database, QueryOptions } from '../port.ts';
import { onlyRow } from '../rows.ts';

export interface RebindTarget {
  targetFileId: string;
  /** JSON text {"root", "path", "root_device", "root_inode", "disk_sha256"}: the new place, and what stands there (null: no file). */
  workspace: string;
  expectedVersion: number | null;
  expectedHash: string | null;
  /** JSON text. */
  actor: string | null;
}

/** The row of patchdiff.rebind_target. */
export interface RebindingRow {
  outcome: 'rebound' | 'refreshed' | 'unchanged' | 'rejected';
  failure_reason: string | null;
  failure_code: string | null;
  failure_detail: string | null;
  /** The row of the chain that records it; null unless `rebound` or `refreshed`. */
  rebinding_id: string | null;
  version: number;
  current_hash: string;
  /** Where the target was bound before the call; null: nowhere. */
  from_root: string | null;
  from_path: string | null;
  /** Where it is bound now. */
  workspace_root: string | null;
  workspace_path: string | null;
  /** Digest of the file by which the target was known; null: it never had one. */
  expected_disk_sha256: string | null;
  /** What the caller said stands at the new place. */
  disk_sha256: string | null;
  /** What SAVE expects to find from now on; null: no file. */
  last_synced_disk_sha256: string | null;
  last_synced_version: number | null;
  /** Open intents that were closed with it. */
  superseded: string[];
  chain_sequence: number;
  /** Hex. */
  chain_head: string;
}

const TEXT = `select *
from patchdiff.rebind_target(
  p_target => $1,
  p_workspace => $2,
  p_expected_version => $3,
  p_expected_hash => $4,
  p_actor => $5
)`;

/** Refused (DatabaseError of kind `refused`): target_not_found, file_bound_elsewhere, bad_call. */
export async function rebindTarget(database: Database, call: RebindTarget, options?: QueryOptions): Promise<RebindingRow> {
  const { targetFileId, workspace, expectedVersion, expectedHash, actor } = call;
  const values = [targetFileId, workspace, expectedVersion, expectedHash, actor];
  return onlyRow(await database.query<RebindingRow>({ name: 'rebind_target', text: TEXT, values }, options), 'rebind_target');
}
