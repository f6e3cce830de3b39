import type { Database, QueryOptions } from '../port.ts';
import { HEAD_COLUMNS } from './target-state.ts';
import type { TargetHead } from './target-state.ts';

const TEXT = `select ${HEAD_COLUMNS}
from patchdiff.read_head(p_target => $1)`;

/** One committed state without its content and without a lock; null: no such target. */
export async function readHead(database: Database, targetFileId: string, options?: QueryOptions): Promise<TargetHead | null> {
  const [row] = await database.query<TargetHead>({ name: 'read_head', text: TEXT, values: [targetFileId] }, options);
  return row ?? null;
}
