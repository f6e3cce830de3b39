import { utf8Length } from '../text/index.ts';
import { openWorkspace } from '../workspace/index.ts';
import type { Refusal, Workspace } from '../workspace/index.ts';
import { ContentCache } from './content-cache.ts';
import type { Context } from './context.ts';
import { exportTarget } from './export-target.ts';
import { findOccurrences } from './find-occurrences.ts';
import { getManifestLedger } from './get-manifest-ledger.ts';
import { getPdcpLog } from './get-pdcp-log.ts';
import { initializeTarget } from './initialize-target.ts';
import { listTargets } from './list-targets.ts';
import { preview } from './preview.ts';
import { readLines } from './read-lines.ts';
import { readTarget } from './read-target.ts';
import { replayTarget } from './replay-target.ts';
import { save } from './save.ts';
import { submit } from './submit.ts';
import { TargetQueue } from './target-queue.ts';
import type { Service, ServiceDeps } from './types.ts';

/** Most the procedures take. */
const ACTOR_BYTES = 8192;
const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;

/** Opens the root when it is first needed and keeps it once it is open: its queues order the SAVEs of this process. */
function workspaceOf(root: string): () => Promise<Workspace | Refusal> {
  let opened: Workspace | null = null;
  return async () => {
    if (opened !== null) return opened;
    const workspace = await openWorkspace(root);
    // Two calls at once may both have opened it; the first one's queues are the ones in use.
    if (workspace.ok) opened ??= workspace;
    return opened ?? workspace;
  };
}

/** A claim may hold whatever a host sent: what PostgreSQL cannot keep is shown as U+FFFD, and what is too long is left out. */
function claimedActor(actor: ServiceDeps['actor']): string | null {
  if (actor === null) return null;
  const text = JSON.stringify(actor, (_, value: unknown) => (typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\u{FFFD}') : value));
  return utf8Length(text) <= ACTOR_BYTES ? text : JSON.stringify({ omitted_bytes: utf8Length(text) });
}

/** The use cases over one database; the caller keeps and closes the database. */
export function createService(deps: ServiceDeps): Service {
  const context: Context = {
    database: deps.database,
    openWorkspace: typeof deps.workspaceRoot === 'string' ? workspaceOf(deps.workspaceRoot) : null,
    actor: claimedActor(deps.actor),
    cache: new ContentCache(deps.cacheBytes ?? DEFAULT_CACHE_BYTES),
    queue: new TargetQueue(),
  };
  return {
    listTargets: (args, options) => listTargets(context, args, options),
    initializeTarget: (args, options) => initializeTarget(context, args, options),
    readTarget: (args, options) => readTarget(context, args, options),
    readLines: (args, options) => readLines(context, args, options),
    findOccurrences: (args, options) => findOccurrences(context, args, options),
    preview: (args, options) => preview(context, args, options),
    submit: (format, args, options) => submit(context, format, args, options),
    getPdcpLog: (args, options) => getPdcpLog(context, args, options),
    getManifestLedger: (args, options) => getManifestLedger(context, args, options),
    save: (args, options) => save(context, args, options),
    replayTarget: (args, options) => replayTarget(context, args, options),
    exportTarget: (args, options) => exportTarget(context, args, options),
  };
}
