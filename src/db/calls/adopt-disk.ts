import type { Database, QueryOptions } from '../port.ts';
import { onlyRow } from '../rows.ts';

export interface AdoptDisk {
  targetFileId: string;
  /** The file's text; canonicalised by the procedure. */
  content: string;
  /** JSON text {"line_endings": …, "bom": …}. */
  source: string;
  /** JSON text {"root", "path", "root_device", "root_inode", "disk_sha256"}. */
  workspace: string;
  expectedVersion: number | null;
  expectedHash: string | null;
  /** JSON text. */
  actor: string | null;
}

/** The row of patchdiff.adopt_disk. */
export interface AdoptionRow {
  outcome: 'adopted' | 'unchanged' | 'rejected';
  failure_reason: string | null;
  failure_code: string | null;
  failure_detail: string | null;
  /** The row of the chain that records the adoption; null unless `adopted`. */
  adoption_id: string | null;
  /** The attempt; null when the text is the same, and when a guard was missing. */
  pdcp_log_id: string | null;
  before_version: number;
  version: number;
  current_hash: string;
  /** What was synced before; null: no file was. */
  previous_disk_sha256: string | null;
  disk_sha256: string;
  /** Open intents that were closed with it. */
  superseded: string[];
}

const TEXT = `select *
from patchdiff.adopt_disk(
  p_target => $1,
  p_content => $2,
  p_source => $3,
  p_workspace => $4,
  p_expected_version => $5,
  p_expected_hash => $6,
  p_actor => $7
)`;

/** Refused (DatabaseError of kind `refused`): target_not_found, file_bound_elsewhere, content_too_large, bad_call. */
export async function adoptDisk(database: Database, call: AdoptDisk, options?: QueryOptions): Promise<AdoptionRow> {
  const { targetFileId, content, source, workspace, expectedVersion, expectedHash, actor } = call;
  const values = [targetFileId, content, source, workspace, expectedVersion, expectedHash, actor];
  return onlyRow(await database.query<AdoptionRow>({ name: 'adopt_disk', text: TEXT, values }, options), 'adopt_disk');
}
