import type { BigIntStats } from 'node:fs';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { link, lstat, open, readdir, realpath, rename, unlink } from 'node:fs/promises';

/** What the kernel says about an entry, symbolic links not followed. */
export interface FileStatus {
  kind: 'file' | 'directory' | 'symlink' | 'fifo' | 'socket' | 'device';
  device: string;
  inode: string;
  /** Bytes. */
  size: number;
  /** Permission bits with set-id and sticky, 0 to 0o7777. */
  mode: number;
  links: number;
  uid: number;
  gid: number;
  /** Differs whenever content or status was changed: nanoseconds of both times. */
  stamp: string;
}

/** An open file or directory. Every method fails with the errno of its system call. */
export interface OpenFile {
  readonly fd: number;
  status(): Promise<FileStatus>;
  /** Bytes read at the position after the last read; 0 at the end. */
  read(into: Uint8Array): Promise<number>;
  /** Writes all of it, or fails. */
  write(bytes: Uint8Array): Promise<void>;
  chown(uid: number, gid: number): Promise<void>;
  chmod(mode: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * How an entry is opened; the last component is never followed when it is a symbolic link, and nothing blocks.
 * `create` makes a new file and fails on anything that exists; `probe` opens for writing and leaves the content alone.
 */
export type OpenIntent = 'read' | 'directory' | 'create' | 'probe';

/** The system calls that the workspace makes: a port, so that each can be made to fail. */
export interface FileSystem {
  /** The bytes of the canonical path. */
  readonly realPath: (path: string) => Promise<Buffer>;
  readonly status: (path: string) => Promise<FileStatus>;
  readonly open: (path: string, intent: OpenIntent, mode?: number) => Promise<OpenFile>;
  readonly names: (directory: string) => Promise<string[]>;
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly link: (from: string, to: string) => Promise<void>;
  readonly unlink: (path: string) => Promise<void>;
}

const SAFE = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
const FLAGS: Readonly<Record<OpenIntent, number>> = {
  read: constants.O_RDONLY | SAFE,
  directory: constants.O_RDONLY | constants.O_DIRECTORY | SAFE,
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | SAFE,
  probe: constants.O_WRONLY | SAFE,
};

export const nodeFileSystem: FileSystem = {
  realPath: (path) => realpath(path, { encoding: 'buffer' }),
  status: async (path) => statusOf(await lstat(path, { bigint: true })),
  open: async (path, intent, mode) => new NodeFile(await open(path, FLAGS[intent], mode)),
  names: (directory) => readdir(directory),
  rename,
  link,
  unlink,
};

class NodeFile implements OpenFile {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  get fd(): number {
    return this.#handle.fd;
  }

  async status(): Promise<FileStatus> {
    return statusOf(await this.#handle.stat({ bigint: true }));
  }

  async read(into: Uint8Array): Promise<number> {
    return (await this.#handle.read(into, 0, into.length, null)).bytesRead;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length;) done += (await this.#handle.write(bytes, done)).bytesWritten;
  }

  chown(uid: number, gid: number): Promise<void> {
    return this.#handle.chown(uid, gid);
  }

  chmod(mode: number): Promise<void> {
    return this.#handle.chmod(mode);
  }

  sync(): Promise<void> {
    return this.#handle.sync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

function statusOf(stats: BigIntStats): FileStatus {
  return {
    kind: kindOf(stats),
    device: stats.dev.toString(),
    inode: stats.ino.toString(),
    size: Number(stats.size),
    mode: Number(stats.mode & 0o7777n),
    links: Number(stats.nlink),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    stamp: `${stats.mtimeNs}:${stats.ctimeNs}`,
  };
}

function kindOf(stats: BigIntStats): FileStatus['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  if (stats.isSymbolicLink()) return 'symlink';
  if (stats.isFIFO()) return 'fifo';
  if (stats.isSocket()) return 'socket';
  return 'device';
}
