import type { Database, QueryOptions } from '../port.ts';
import { onlyRow } from '../rows.ts';

export interface CreateTarget {
  /** A caller-chosen id makes the call safe to repeat; null: a new one. */
  targetFileId: string | null;
  displayName: string;
  /** Canonicalised by the procedure. */
  content: string;
  /** JSON text {"line_endings": …, "bom": …, "eol_runs": …}, runs only of mixed line ends; null: the content itself is the source. */
  source: string | null;
  /** JSON text {"root", "path", "root_device", "root_inode", "disk_sha256"}; null: bound to no file. */
  workspace: string | null;
  /** JSON text. */
  actor: string | null;
}

/** The row of patchdiff.target_receipt. */
export interface TargetReceiptRow {
  outcome: 'created' | 'existing';
  target_file_id: string;
  version: number;
  current_hash: string;
  display_name: string;
  content_chars: number;
  content_bytes: number;
  created_at: string;
  chain_sequence: number;
  chain_head: string;
}

const TEXT = `select *
from patchdiff.create_target(
  p_target => $1,
  p_display_name => $2,
  p_content => $3,
  p_source => $4,
  p_workspace => $5,
  p_actor => $6
)`;

/** Refused (DatabaseError of kind `refused`): target_exists_with_other_content, file_bound_elsewhere, content_too_large, bad_call. */
export async function createTarget(database: Database, call: CreateTarget, options?: QueryOptions): Promise<TargetReceiptRow> {
  const values = [call.targetFileId, call.displayName, call.content, call.source, call.workspace, call.actor];
  return onlyRow(await database.query<TargetReceiptRow>({ name: 'create_target', text: TEXT, values }, options), 'create_target');
}
