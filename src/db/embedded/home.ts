import { accessSync, constants, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Account } from './account.ts';
import { EmbeddedServerError } from './error.ts';

/** Where one embedded server keeps its files. Everything is below `root`; nothing is at a path that others can predict and occupy. */
export interface HomePaths {
  root: string;
  /** Appears by one rename, complete: a cluster directory that exists was initialised to the end. */
  cluster: string;
  data: string;
  adminPassword: string;
  writerPassword: string;
  log: string;
  /** The port of the last start, tried first at the next one so that noted URLs stay true. */
  port: string;
}

/**
 * The embedded server's directory: `PATCHDIFF_HOME`, else /var/lib/patchdiff as root, else the user's data directory.
 * An empty value counts as absent; a relative one is taken from the working directory.
 */
export function resolveHome(env: NodeJS.ProcessEnv): string {
  if (env['PATCHDIFF_HOME']) return path.resolve(env['PATCHDIFF_HOME']);
  if (process.getuid?.() === 0) return '/var/lib/patchdiff';
  const user = os.homedir();
  if (process.platform === 'darwin') return path.join(user, 'Library', 'Application Support', 'patchdiff');
  return path.join(env['XDG_DATA_HOME'] || path.join(user, '.local', 'share'), 'patchdiff');
}

/** Names the files below a home that exists; throws when it is no directory. Symbolic links are resolved, so that two spellings of one home are one server. */
export function homePaths(home: string): HomePaths {
  const root = usable(home, () => {
    if (!statSync(home).isDirectory()) throw new Error('it is no directory');
    return realpathSync(home);
  });
  const cluster = path.join(root, 'cluster');
  return {
    root,
    cluster,
    data: path.join(cluster, 'data'),
    adminPassword: path.join(cluster, 'admin-password'),
    writerPassword: path.join(cluster, 'writer-password'),
    log: path.join(root, 'server.log'),
    port: path.join(root, 'port'),
  };
}

function usable<T>(home: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new EmbeddedServerError(
      `PATCHDIFF_HOME ${home} cannot be used as the embedded server's directory: ${(error as Error).message}. ` +
        'Choose a PATCHDIFF_HOME elsewhere, or set DATABASE_URL.',
    );
  }
}

// Not mkdir's own recursion: where a directory exists and yet nothing can be made in it (/proc), that one never ends.
function makeDirectories(directory: string, mode: number): void {
  const missing: string[] = [];
  for (let step = directory; !existsSync(step); step = path.dirname(step)) missing.unshift(step);
  for (const step of missing) {
    try {
      mkdirSync(step, { mode });
    } catch (error) {
      // Another process made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/**
 * Makes the home when it is absent. Throws when it cannot be made or written to, and when the server's account could not reach it: an account that root drops to
 * cannot pass a directory that only root may enter.
 */
export function makeHome(home: string, account: Account): HomePaths {
  usable(home, () => makeDirectories(home, account.dropped ? 0o711 : 0o700));
  const paths = homePaths(home);
  usable(home, () => accessSync(paths.root, constants.R_OK | constants.W_OK | constants.X_OK));
  const barrier = account.dropped ? firstBarrier(paths.root, account) : null;
  if (barrier !== null) {
    throw new EmbeddedServerError(
      `PATCHDIFF_HOME ${home} cannot be reached by ${account.name}, the account that root runs PostgreSQL as: ` +
        `${barrier} may be entered by others only. Choose a PATCHDIFF_HOME elsewhere, or set DATABASE_URL.`,
    );
  }
  return paths;
}

/** The outermost directory on the way to `target`, itself included, that the account may not enter; null when there is none. */
export function firstBarrier(target: string, account: Account): string | null {
  const steps: string[] = [];
  for (let step = target; ; step = path.dirname(step)) {
    steps.unshift(step);
    if (step === path.dirname(step)) break;
  }
  for (const step of steps) {
    const stat = statSync(step);
    if (!stat.isDirectory()) continue;
    const bit = stat.uid === account.uid ? 0o100 : stat.gid === account.gid ? 0o010 : 0o001;
    if ((stat.mode & bit) === 0) return step;
  }
  return null;
}
