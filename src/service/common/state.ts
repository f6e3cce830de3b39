import { createScopeEngine } from '../../scopes/index.ts';
import type { ScopeEngine } from '../../scopes/index.ts';
import { openWorkspace } from '../../workspace/index.ts';
import type { Refusal, Workspace } from '../../workspace/index.ts';
import { BundleCache } from './bundle-cache.ts';
import { ContentCache } from './content-cache.ts';
import { TargetQueue } from './target-queue.ts';

const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;

/** What the services of one process share, whoever acts: cached content, the queue of each target, opened workspaces, the parser's thread. */
export interface ServiceState {
  cache: ContentCache;
  queue: TargetQueue;
  /** Made when it is first asked for; an idle one keeps no process alive. */
  readonly scopes: ScopeEngine;
  bundles: BundleCache;
  /** Opens a root when it is first needed and keeps it once it is open: its queues order the SAVEs of this process. */
  workspace: (root: string) => Promise<Workspace | Refusal>;
}

/** `cacheBytes`: most bytes of document content kept in memory between calls; default 64 MiB. */
export function createServiceState(cacheBytes = DEFAULT_CACHE_BYTES): ServiceState {
  const opened = new Map<string, Workspace>();
  let engine: ScopeEngine | null = null;
  return {
    cache: new ContentCache(cacheBytes),
    queue: new TargetQueue(),
    // Not before it is asked for: nothing else needs the grammars.
    get scopes() {
      return (engine ??= createScopeEngine());
    },
    bundles: new BundleCache(),
    workspace: async (root) => {
      const kept = opened.get(root);
      if (kept !== undefined) return kept;
      const workspace = await openWorkspace(root);
      if (!workspace.ok) return workspace;
      // Two calls at once may both have opened it; the first one's queues are the ones in use.
      const first = opened.get(root) ?? workspace;
      opened.set(root, first);
      return first;
    },
  };
}
