import type { Database, QueryOptions } from '../port.ts';
import { HEAD_COLUMNS } from './target-state.ts';
import type { TargetHead } from './target-state.ts';

export interface ListTargets {
  /** Part of a name or workspace path, compared without case. */
  filter: string | null;
  limit: number;
  /** Order key of the last row seen. */
  after: { createdAt: string; targetFileId: string } | null;
}

const TEXT = `select ${HEAD_COLUMNS}
from patchdiff.list_targets(
  p_filter => $1,
  p_limit => $2,
  p_after_created_at => $3,
  p_after_target => $4
)`;

/** Newest first; one row more than the limit when there are more. */
export function listTargets(database: Database, call: ListTargets, options?: QueryOptions): Promise<TargetHead[]> {
  const values = [call.filter, call.limit, call.after?.createdAt ?? null, call.after?.targetFileId ?? null];
  return database.query<TargetHead>({ name: 'list_targets', text: TEXT, values }, options);
}
