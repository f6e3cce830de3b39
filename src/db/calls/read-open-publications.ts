import type { Database, QueryOptions } from '../port.ts';

export interface OpenPublicationRow {
  target_file_id: string;
  publication_id: string;
  created_at: string;
  version: number;
  content_hash: string;
  expected_disk_sha256: string | null;
  written_sha256: string;
  written_bytes: number;
  workspace_root: string;
  workspace_path: string;
}

const TEXT = `select *
from patchdiff.read_open_publications(p_target => $1)`;

/** Intents without an outcome, of one target or (null) of all, oldest first, at most 1000. */
export function readOpenPublications(database: Database, targetFileId: string | null, options?: QueryOptions): Promise<OpenPublicationRow[]> {
  return database.query<OpenPublicationRow>({ name: 'read_open_publications', text: TEXT, values: [targetFileId] }, options);
}
