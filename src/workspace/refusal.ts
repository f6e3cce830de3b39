/** One code per thing that the caller can do about it. */
export type RefusalCode =
  // the root
  | 'unsupported_platform'
  | 'root_missing'
  | 'root_not_directory'
  | 'root_unreadable'
  | 'root_changed'
  // the path
  | 'path_empty'
  | 'path_absolute'
  | 'path_parent'
  | 'path_nul'
  | 'path_too_long'
  | 'path_not_utf8'
  | 'path_trailing_slash'
  | 'path_not_found'
  | 'path_leaves_root'
  | 'path_changed'
  | 'symlink_loop'
  | 'symlink_dangling'
  | 'permission_denied'
  // the file
  | 'is_directory'
  | 'is_symlink'
  | 'not_regular_file'
  | 'file_too_large'
  | 'file_changed_while_reading'
  | 'invalid_utf8'
  | 'contains_nul'
  // publication
  | 'drift'
  | 'file_read_only'
  | 'hard_links'
  | 'directory_not_writable'
  | 'directory_vanished'
  | 'disk_full'
  | 'read_only_file_system'
  | 'cross_device'
  | 'destination_busy'
  | 'operation_not_permitted'
  | 'io_error'
  // the lease
  | 'lease_busy'
  | 'lease_unavailable';

export type RefusalFacts = Readonly<Record<string, string | number | boolean | null>>;

/** An expected failure. Nothing was changed. Messages name the path as the caller gave it, never an absolute one. */
export interface Refusal {
  ok: false;
  code: RefusalCode;
  message: string;
  facts: RefusalFacts;
}

export function refuse(code: RefusalCode, message: string, facts: RefusalFacts = {}): Refusal {
  return { ok: false, code, message, facts };
}

/** The errno name of a failed system call; anything else is a bug and is thrown on. */
export function errnoOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string' && /^E[A-Z0-9]+$/.test(error.code)) return error.code;
  throw error;
}

/** What most errnos mean wherever they occur; a step that knows better says so through `special`. */
const MEANING: Readonly<Record<string, readonly [RefusalCode, string]>> = {
  ENOSPC: ['disk_full', 'no space is left on its file system'],
  EDQUOT: ['disk_full', 'the disk quota is used up'],
  EROFS: ['read_only_file_system', 'its file system is mounted read-only'],
  EXDEV: ['cross_device', 'it lies on another file system than its directory'],
  EBUSY: ['destination_busy', 'it is in use by the system (a mount point, perhaps)'],
  EACCES: ['permission_denied', 'this process has no permission to reach it'],
  EPERM: ['operation_not_permitted', 'the system does not permit the operation (an immutable file, perhaps)'],
  ENOENT: ['path_not_found', 'there is no such file'],
  ENOTDIR: ['path_not_found', 'a part of its path is not a directory'],
  EISDIR: ['is_directory', 'it is a directory'],
  ELOOP: ['symlink_loop', 'its symbolic links lead in a circle'],
  ENAMETOOLONG: ['path_too_long', 'a part of its path is longer than the file system allows'],
};

/** The refusal for a failed system call at `step` on the file that the caller calls `path`. */
export function refuseErrno(
  error: unknown,
  path: string,
  step: string,
  special: Readonly<Record<string, readonly [RefusalCode, string]>> = {},
): Refusal {
  const errno = errnoOf(error);
  const [code, why] = special[errno] ?? MEANING[errno] ?? ['io_error', `the system reported ${errno}`];
  return refuse(code, `"${path}": ${why}.`, { path, step, errno });
}
