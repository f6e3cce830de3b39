import { closeSync, constants, openSync, statSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedServerError } from './error.ts';

/**
 * Runs `work` while no other process of this machine runs it for the same directory. The lock is the kernel's and dies
 * with its holder, however it dies. Linux: an abstract socket named by device and inode (not seen from another network
 * namespace; there PostgreSQL's own lock file is what remains). macOS and BSD: an exclusively opened file below the directory.
 * Throws when the lock stays taken for `timeoutMs`.
 */
export async function withDirectoryLock<T>(directory: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const release = process.platform === 'linux' ? await takeSocket(directory) : takeFile(directory);
    if (release) {
      try {
        return await work();
      } finally {
        await release();
      }
    }
    if (Date.now() > deadline) {
      throw new EmbeddedServerError(`another process has been starting or stopping the server in ${directory} for ${timeoutMs / 1000} s`);
    }
    await sleep(40);
  }
}

type Release = () => Promise<void>;

function takeSocket(directory: string): Promise<Release | null> {
  const { dev, ino } = statSync(directory, { bigint: true });
  return new Promise((resolve, reject) => {
    const server = net.createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen(`\0patchdiff-home:${dev}:${ino}`, () => {
      server.unref();
      resolve(() => new Promise((closed) => server.close(() => closed())));
    });
  });
}

// Not among Node's constants: open(2) takes an flock in the same call on macOS and the BSDs.
const O_EXLOCK = 0x20;

function takeFile(directory: string): Release | null {
  try {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK;
    const descriptor = openSync(path.join(directory, 'lock'), flags, 0o600);
    return () => {
      closeSync(descriptor);
      return Promise.resolve();
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return null;
    throw error;
  }
}
