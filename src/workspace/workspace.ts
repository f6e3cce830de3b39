import { resolve } from 'node:path';
import type { FileSystem } from './file-system.ts';
import { nodeFileSystem } from './file-system.ts';
import { errnoOf, refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';

/** Identity of a root. The path decides; device and inode inform, since a reboot or remount changes them. */
export interface RootFacts {
  /** Canonical absolute path. */
  root: string;
  device: string;
  inode: string;
}

/** One directory tree that may be imported from and published to. Made by {@link openWorkspace}. */
export interface Workspace {
  readonly ok: true;
  readonly facts: RootFacts;
  readonly fs: FileSystem;
  readonly lease: LeaseKind;
  readonly leaseWaitMs: number;
  /** Tails of the queues inside this process, by directory. */
  readonly queues: Map<string, Promise<void>>;
}

/**
 * How processes exclude each other from one physical directory.
 * `abstract_socket` (Linux): the name is the kernel's and dies with its holder; it does not reach across network namespaces,
 * hence not across containers. `lock_file` (elsewhere): a file beside the destination that names its holder's pid, taken
 * over when that process is gone.
 */
export type LeaseKind = 'abstract_socket' | 'lock_file';

export interface WorkspaceOptions {
  fs?: FileSystem;
  lease?: LeaseKind;
  /** How long a lease held elsewhere is waited for. */
  leaseWaitMs?: number;
}

/** Opens a root by its canonical path. Keeps no handle: each later call opens the root again and refuses another directory in its place. */
export async function openWorkspace(root: string, options: WorkspaceOptions = {}): Promise<Workspace | Refusal> {
  if (process.platform === 'win32') return refuse('unsupported_platform', 'Workspaces need a POSIX system.', {});
  const fs = options.fs ?? nodeFileSystem;
  try {
    const bytes = await fs.realPath(resolve(root));
    const canonical = bytes.toString('utf8');
    if (!Buffer.from(canonical).equals(bytes)) return refuse('path_not_utf8', 'The path of the workspace root is not UTF-8.');
    const status = await fs.status(canonical);
    if (status.kind !== 'directory') return refuse('root_not_directory', `The workspace root "${root}" is not a directory.`, { root });
    const directory = await fs.open(canonical, 'directory');
    await directory.close();
    return {
      ok: true,
      facts: { root: canonical, device: status.device, inode: status.inode },
      fs,
      lease: options.lease ?? (process.platform === 'linux' ? 'abstract_socket' : 'lock_file'),
      leaseWaitMs: options.leaseWaitMs ?? 2000,
      queues: new Map(),
    };
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT') return refuse('root_missing', `The workspace root "${root}" does not exist.`, { root, errno });
    if (errno === 'ENOTDIR') return refuse('root_not_directory', `The workspace root "${root}" is not a directory.`, { root, errno });
    return refuse('root_unreadable', `The workspace root "${root}" cannot be opened (${errno}).`, { root, errno });
  }
}
