import type { Database } from '../../db/port.ts';
import type { ScopeEngine } from '../../scopes/index.ts';
import type { Refusal, Workspace } from '../../workspace/index.ts';
import type { BundleCache } from './bundle-cache.ts';
import type { ContentCache } from './content-cache.ts';
import type { TargetQueue } from './target-queue.ts';

/** What the use cases of one service share. */
export interface Context {
  database: Database;
  /** Opened anew for each call, so that a root that comes back is used again; null: none was given. */
  openWorkspace: (() => Promise<Workspace | Refusal>) | null;
  /** JSON text of the claimed actor, or null. */
  actor: string | null;
  cache: ContentCache;
  queue: TargetQueue;
  scopes: () => ScopeEngine;
  bundles: BundleCache;
}
