import type { JsonObject } from '../../transaction/index.ts';
import type { Database, QueryOptions } from '../port.ts';

export interface BindingRow {
  target_file_id: string;
  root_device: string;
  root_inode: string;
  bound_at: string;
  version: number;
  current_hash: string;
  last_synced_disk_sha256: string | null;
  last_synced_version: number | null;
  source_bom: boolean;
  source_line_endings: JsonObject | null;
}

const TEXT = `select *
from patchdiff.find_binding(
  p_root => $1,
  p_path => $2
)`;

/** The target of a file, by the root's canonical path and the real path within it; null: none. */
export async function findBinding(database: Database, root: string, path: string, options?: QueryOptions): Promise<BindingRow | null> {
  const [row] = await database.query<BindingRow>({ name: 'find_binding', text: TEXT, values: [root, path] }, options);
  return row ?? null;
}
