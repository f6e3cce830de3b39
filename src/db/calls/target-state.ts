import type { JsonObject } from '../../transaction/index.ts';

/** The row of patchdiff.target_state without its content: everything narrow about a target. */
export interface TargetHead {
  target_file_id: string;
  display_name: string;
  version: number;
  current_hash: string;
  content_chars: number;
  content_bytes: number;
  status: string;
  workspace_tracked: boolean;
  /** Canonical path of the workspace root that the target is bound to. */
  workspace_root: string | null;
  workspace_path: string | null;
  last_synced_disk_sha256: string | null;
  last_synced_version: number | null;
  source_bom: boolean;
  /** Facts of the raw import; null: unknown. */
  source_line_endings: JsonObject | null;
  created_at: string;
  updated_at: string;
  log_sequence: number;
  ledger_sequence: number;
  snapshot_sequence: number;
  publication_sequence: number;
  open_cycle: number;
  chain_sequence: number;
  /** Hex. */
  chain_head: string;
}

/** The columns of TargetHead, in order; what a narrow read selects. */
export const HEAD_COLUMNS = `target_file_id, display_name, version, current_hash, content_chars, content_bytes, status, workspace_tracked,
  workspace_root, workspace_path, last_synced_disk_sha256, last_synced_version, source_bom, source_line_endings, created_at, updated_at,
  log_sequence, ledger_sequence, snapshot_sequence, publication_sequence, open_cycle, chain_sequence, chain_head`;
