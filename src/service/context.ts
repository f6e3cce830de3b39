import type { Database } from '../db/port.ts';
import type { ContentCache } from './content-cache.ts';
import type { TargetQueue } from './target-queue.ts';

/** What the use cases of one service share. */
export interface Context {
  database: Database;
  /** JSON text of the claimed actor, or null. */
  actor: string | null;
  cache: ContentCache;
  queue: TargetQueue;
}
