import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeLockFile } from './lock-file.ts';
import { errnoOf, refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { resolveKey, withDirectory } from './resolve.ts';
import type { Directory } from './resolve.ts';
import type { Workspace } from './workspace.ts';

const POLL_MS = 25;

/** Gives the lease back. */
export type Release = () => Promise<void>;

/**
 * Runs `use` while this process alone may publish into the physical directory of `path`, whatever path leads there.
 * Inside one workspace calls queue; a lease held by another process is waited for briefly, then refused as `lease_busy`.
 * Cooperative: it binds only those who take it. What `use` throws is thrown on, after the lease is given back.
 */
export async function withLease<T>(ws: Workspace, path: string, use: () => Promise<T>): Promise<{ ok: true; value: T } | Refusal> {
  const location = await resolveKey(ws, path);
  if (!location.ok) return location;
  return withDirectory(ws, location, path, (directory) =>
    inTurn(ws, `${directory.status.device}:${directory.status.inode}`, async (key) => {
      const release = await acquire(ws, directory, key, path);
      if (typeof release !== 'function') return release;
      try {
        return { ok: true as const, value: await use() };
      } finally {
        await release();
      }
    }),
  );
}

async function inTurn<T>(ws: Workspace, key: string, run: (key: string) => Promise<T>): Promise<T> {
  const before = ws.queues.get(key) ?? Promise.resolve();
  let done!: () => void;
  const tail = new Promise<void>((resolve) => {
    done = resolve;
  });
  ws.queues.set(key, tail);
  await before;
  try {
    return await run(key);
  } finally {
    done();
    if (ws.queues.get(key) === tail) ws.queues.delete(key);
  }
}

async function acquire(ws: Workspace, directory: Directory, key: string, path: string): Promise<Release | Refusal> {
  for (let waited = 0; ; waited += POLL_MS) {
    const taken = ws.lease === 'abstract_socket' ? await takeSocket(key) : await takeLockFile(ws, directory);
    if (typeof taken === 'function') return taken;
    if (taken !== 'busy') {
      if (taken === 'EACCES' && ws.lease === 'lock_file') {
        return refuse('directory_not_writable', `"${path}": its directory does not permit to write into it.`, { path, errno: taken });
      }
      return refuse('lease_unavailable', `"${path}": the system refused a lease on its directory (${taken}).`, { path, errno: taken });
    }
    if (waited >= ws.leaseWaitMs) {
      const message = `"${path}": another process is publishing into its directory; try again.`;
      return refuse('lease_busy', message, { path, waited_ms: waited });
    }
    await sleep(POLL_MS);
  }
}

/**
 * The name fills the whole socket address: versions of libuv differ in whether they pad a shorter one with NULs, and
 * two spellings of a name would be two leases.
 */
function takeSocket(key: string): Promise<Release | string> {
  const name = `\0patchdiff-lease:${key}:`.padEnd(108, '.');
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    server.on('error', (error) => {
      const errno = errnoOf(error);
      resolve(errno === 'EADDRINUSE' ? 'busy' : errno);
    });
    // Exclusive: the workers of a cluster would otherwise share the socket.
    server.listen({ path: name, exclusive: true }, () => {
      server.unref();
      resolve(() => new Promise((closed) => server.close(() => closed())));
    });
  });
}
