import type { Database, QueryOptions } from '../port.ts';

/** The row of patchdiff.preview_facts. */
export interface PreviewFactsRow {
  version: number;
  current_hash: string;
  /** What the locked row would say, and what the content has: they differ only in a damaged row. */
  content_chars: number;
  counted_chars: number;
  /** The first 256 code points of the stored content. */
  content_head: string;
  /** False when the stored content is not what row and head say: a submission would be `target_diverged`. */
  is_intact: boolean;
  /** True when the given parent is a rejected attempt of the target. */
  is_parent: boolean;
  /** What holds the request key; null: nothing, or none was given. */
  key_kind: 'submission' | 'save' | null;
  key_fingerprint: string | null;
  /** Null for the key of a SAVE. */
  key_pdcp_log_id: string | null;
}

const TEXT = `select *
from patchdiff.preview_facts(
  p_target => $1,
  p_parent => $2,
  p_client_request_id => $3
)`;

/** What a submission would find beside its own payload, in one committed state, without a lock; null: no such target. */
export async function previewFacts(
  database: Database,
  targetFileId: string,
  parentId: string | null,
  clientRequestId: string | null,
  options?: QueryOptions,
): Promise<PreviewFactsRow | null> {
  const statement = { name: 'preview_facts', text: TEXT, values: [targetFileId, parentId, clientRequestId] };
  const [row] = await database.query<PreviewFactsRow>(statement, options);
  return row ?? null;
}
