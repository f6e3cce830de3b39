import type { RecentAttempt } from '../../transaction/index.ts';
import type { Database, QueryOptions } from '../port.ts';

const TEXT = `select *
from patchdiff.read_recent_changes(p_target => $1, p_version => $2)`;

/** The last accepted attempts up to a version, newest first, within the routine's bounds. No lock; empty for an unknown target. */
export function readRecentChanges(
  database: Database,
  targetFileId: string,
  version: number,
  options?: QueryOptions,
): Promise<RecentAttempt[]> {
  return database.query<RecentAttempt>({ name: 'read_recent_changes', text: TEXT, values: [targetFileId, version] }, options);
}
