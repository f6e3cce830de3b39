import { randomBytes } from 'node:crypto';
import { isDead, ownIdentity } from './process-identity.ts';
import { errnoOf } from './refusal.ts';
import type { Directory } from './resolve.ts';
import type { Workspace } from './workspace.ts';

/** `.patchdiff-<pid namespace>-<pid>-<start>-<random>.tmp`: whose it is can be read from the name. */
const TEMPORARY = /^\.patchdiff-(\d+)-(\d+)-(\d+)-[0-9a-f]{16}\.tmp$/;

/** Names that this process made and could not remove. */
const abandoned = new Set<string>();

/** Notes a temporary file that could not be removed, so that the next publication into its directory tries again. */
export function abandon(name: string): void {
  abandoned.add(name);
}

export function temporaryName(): string {
  const { namespace, pid, started } = ownIdentity();
  return `.patchdiff-${namespace}-${pid}-${started}-${randomBytes(8).toString('hex')}.tmp`;
}

/**
 * Removes the temporary files that were left in a directory by processes now dead or given up by this one, and returns their names.
 * Touches nothing else: another name, another kind of entry or a maker that may still use it stays. Call it under the directory's lease.
 * What cannot be removed is left for the next time.
 */
export async function removeLeftovers(ws: Workspace, directory: Directory): Promise<string[]> {
  const removed: string[] = [];
  try {
    for (const name of await ws.fs.names(directory.entry('.'))) {
      const match = TEMPORARY.exec(name);
      if (match === null) continue;
      const [, namespace, pid, started] = match;
      if (!abandoned.has(name) && !isDead({ namespace: namespace!, pid: Number(pid), started: started! })) continue;
      if ((await ws.fs.status(directory.entry(name))).kind !== 'file') continue;
      await ws.fs.unlink(directory.entry(name));
      abandoned.delete(name);
      removed.push(name);
    }
  } catch (error) {
    errnoOf(error);
  }
  return removed;
}
