import { utf8Length } from '../text/index.ts';
import { commitBundle } from './scopes/commit-bundle.ts';
import type { Context } from './common/context.ts';
import { exportTarget } from './reading/export-target.ts';
import { findOccurrences } from './reading/find-occurrences.ts';
import { foreseeImport } from './files/foresee-import.ts';
import { getManifestLedger } from './reading/get-manifest-ledger.ts';
import { getPdcpLog } from './reading/get-pdcp-log.ts';
import { initializeTarget } from './files/initialize-target.ts';
import { listScopes } from './scopes/list-scopes.ts';
import { listTargets } from './reading/list-targets.ts';
import { observeScopes } from './scopes/observe-scopes.ts';
import { preview } from './submission/preview.ts';
import { readLines } from './reading/read-lines.ts';
import { readTarget } from './reading/read-target.ts';
import { replayTarget } from './reading/replay-target.ts';
import { save } from './files/save.ts';
import { createServiceState } from './common/state.ts';
import { submit } from './submission/submit.ts';
import type { Service, ServiceDeps } from './common/types.ts';

/** Most the procedures take. */
const ACTOR_BYTES = 8192;

/** A claim may hold whatever a host sent: what PostgreSQL cannot keep is shown as U+FFFD, and what is too long is left out. */
function claimedActor(actor: ServiceDeps['actor']): string | null {
  if (actor === null) return null;
  const text = JSON.stringify(actor, (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\u{FFFD}') : value,
  );
  return utf8Length(text) <= ACTOR_BYTES ? text : JSON.stringify({ omitted_bytes: utf8Length(text) });
}

/** The use cases over one database; the caller keeps and closes the database. */
export function createService(deps: ServiceDeps): Service {
  const { database, workspaceRoot: root } = deps;
  const state = deps.state ?? createServiceState();
  const context: Context = {
    database,
    openWorkspace: typeof root === 'string' ? () => state.workspace(root) : null,
    actor: claimedActor(deps.actor),
    cache: state.cache,
    queue: state.queue,
    scopes: () => state.scopes,
    bundles: state.bundles,
  };
  return {
    listTargets: (args, options) => listTargets(context, args, options),
    initializeTarget: (args, options) => initializeTarget(context, args, options),
    foreseeImport: (args, options) => foreseeImport(context, args, options),
    readTarget: (args, options) => readTarget(context, args, options),
    readLines: (args, options) => readLines(context, args, options),
    findOccurrences: (args, options) => findOccurrences(context, args, options),
    listScopes: (args, options) => listScopes(context, args, options),
    observeScopes: (args, options) => observeScopes(context, args, options),
    preview: (args, options) => preview(context, args, options),
    submit: (format, args, options) => submit(context, format, args, options),
    commitBundle: (args, options) => commitBundle(context, args, options),
    getPdcpLog: (args, options) => getPdcpLog(context, args, options),
    getManifestLedger: (args, options) => getManifestLedger(context, args, options),
    save: (args, options) => save(context, args, options),
    replayTarget: (args, options) => replayTarget(context, args, options),
    exportTarget: (args, options) => exportTarget(context, args, options),
  };
}
