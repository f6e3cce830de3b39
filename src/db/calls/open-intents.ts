import type { Database, QueryOptions } from '../port.ts';

/** A row of the view patchdiff_audit.open_publications, as far as reconciling reads it. */
export interface OpenIntentRow {
  target_file_id: string;
  display_name: string;
  publication_id: string;
  opened_at: string;
  version: number;
  current_version: number;
  workspace_root: string;
  workspace_path: string;
  /** Null: no file was. */
  expected_disk_sha256: string | null;
  written_sha256: string;
  last_synced_disk_sha256: string | null;
  /** A later row says that the file has moved on. */
  is_overtaken: boolean;
}

const TEXT = `select target_file_id, display_name, publication_id, opened_at, version, current_version, workspace_root, workspace_path,
  expected_disk_sha256, written_sha256, last_synced_disk_sha256, is_overtaken
from patchdiff_audit.open_publications
where $1::text is null or workspace_root = $1
order by opened_at, publication_id`;

/** Every intent without an outcome, of one workspace root or (null) of all, oldest first. */
export function openIntents(database: Database, root: string | null, options?: QueryOptions): Promise<OpenIntentRow[]> {
  return database.query<OpenIntentRow>({ name: 'open_intents', text: TEXT, values: [root] }, options);
}

const OUTCOME = `select outcome
from patchdiff_audit.publications
where target_file_id = $1 and publication_id = $2`;

/** How an intent was closed; null while it is open. */
export async function outcomeOf(database: Database, targetFileId: string, publicationId: string, options?: QueryOptions): Promise<string | null> {
  const [row] = await database.query<{ outcome: string | null }>(
    { name: 'outcome_of_intent', text: OUTCOME, values: [targetFileId, publicationId] },
    options,
  );
  return row?.outcome ?? null;
}
