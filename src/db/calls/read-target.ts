import type { Database, QueryOptions } from '../port.ts';
import { HEAD_COLUMNS } from './target-state.ts';
import type { TargetHead } from './target-state.ts';

export interface TargetWithContent extends TargetHead {
  current_content: string;
}

const TEXT = `select ${HEAD_COLUMNS}, current_content
from patchdiff.read_target(p_target => $1)`;

/** One committed state with its content, without a lock; null: no such target. */
export async function readTarget(database: Database, targetFileId: string, options?: QueryOptions): Promise<TargetWithContent | null> {
  const [row] = await database.query<TargetWithContent>({ name: 'read_target', text: TEXT, values: [targetFileId] }, options);
  return row ?? null;
}
