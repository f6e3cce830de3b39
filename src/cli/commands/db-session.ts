import { randomUUID } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { readHead } from '../../db/calls/read-head.ts';
import { resolveServableDatabase } from '../../db/connect.ts';
import { openDatabase } from '../../db/pool.ts';
import type { Database } from '../../db/port.ts';
import type { JsonObject, Service } from '../../service/index.ts';
import { EXIT, ExitError } from '../exit.ts';
import type { Host, Output } from '../output.ts';
import { targetNamed } from '../target-name.ts';

export interface Session {
  service: Service;
  /** A service on another workspace over the same connections. */
  serviceOn: (workspace: string) => Service;
  /** The workspace root that a document's file is in; null: it has none, or there is no such document. */
  boundRoot: (targetFileId: string) => Promise<string | null>;
  database: Database;
  /** Who calls, as the CLI claims it. */
  actor: JsonObject;
}

/**
 * Runs `work` with a service on the resolved database, which must be at this package's revision, and closes the
 * connections whatever happens. `workspace` is a directory that files may come from.
 */
export async function withSession<T>(
  host: Host,
  output: Output,
  workspace: string | null,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  // Loaded only here, so that commands without a document start fast.
  const { createService } = await import('../../service/index.ts');
  const workspaceRoot = workspace === null ? null : realWorkspace(workspace);
  const resolved = await resolveServableDatabase(host.env);
  for (const warning of resolved.warnings) output.warn(warning);
  const database = openDatabase({ connectionString: resolved.url, max: 2, applicationName: 'patchdiff cli' });
  const agent = host.env['PATCHDIFF_ACTOR'];
  const actor = { host: 'patchdiff', ...(agent ? { agent } : {}), session: randomUUID(), via: 'cli' };
  try {
    const serviceOn = (root: string | null): Service => createService({ database, workspaceRoot: root, actor });
    const boundRoot = async (id: string): Promise<string | null> => (await readHead(database, id))?.workspace_root ?? null;
    return await work({ database, service: serviceOn(workspaceRoot), serviceOn, boundRoot, actor });
  } finally {
    await database.close();
  }
}

/** How every command that takes a document describes that argument. */
export const TARGET = 'target_file_id, or the workspace path as patchdiff list shows it';

/**
 * Runs `work` like `withSession`, on the document that `target` names by its id or its workspace path. Of several workspaces that hold
 * such a path PATCHDIFF_WORKSPACE_ROOT is the one that is meant. Throws what `targetNamed` throws.
 */
export async function withDocument<T>(
  host: Host,
  output: Output,
  target: string,
  work: (session: Session, id: string) => Promise<T>,
): Promise<T> {
  return withSession(host, output, null, async (session) => {
    const root = host.env['PATCHDIFF_WORKSPACE_ROOT'];
    const isMeant = async (id: string): Promise<boolean> => (await session.boundRoot(id)) === rootOf(host, root ?? '');
    return work(session, await targetNamed(session.service, target, root ? isMeant : undefined));
  });
}

/** The canonical path of a workspace root as given on the command line. */
export function rootOf(host: Host, workspace: string): string {
  return realWorkspace(path.resolve(host.cwd, workspace), workspace);
}

/** The canonical path of a directory that files may come from; `given` is what an error calls it. */
export function realWorkspace(workspace: string, given = workspace): string {
  const refuse = (why: string): never => {
    throw new ExitError(EXIT.workspace, `the workspace ${given} cannot be used: ${why}`);
  };
  try {
    const real = realpathSync(workspace);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    return refuse((error as Error).message);
  }
  return refuse('it is not a directory');
}
