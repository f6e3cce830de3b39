import type { FileStatus, OpenFile } from './file-system.ts';
import { errnoOf, refuse, refuseErrno } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { standingNames } from './standing-names.ts';
import type { Workspace } from './workspace.ts';

const PATH_BYTES = 4096;

/** A place in the workspace: the real directory within the root, and a name in it. */
export interface Location {
  ok: true;
  /** The real path within the root, parts joined by single slashes: the one key of a file however it was reached. */
  path: string;
  /** Names from the root to the directory, none of them a symbolic link when they were resolved. */
  directory: readonly string[];
  name: string;
  /** False when nothing stands there yet. */
  present: boolean;
}

/** The parts of a relative path; `.` and empty parts vanish. A backslash and `%2e` are characters like any other. */
export function parsePath(path: string): { ok: true; parts: string[] } | Refusal {
  const bad = (code: Refusal['code'], why: string): Refusal => refuse(code, `"${shown(path)}": ${why}.`, { path: shown(path) });
  if (path === '') return refuse('path_empty', 'The path is empty.');
  if (path.includes('\0')) return bad('path_nul', 'a path cannot hold a NUL');
  if (!path.isWellFormed()) return bad('path_not_utf8', 'the path is not well-formed Unicode');
  if (Buffer.byteLength(path) > PATH_BYTES) return bad('path_too_long', `a path is at most ${PATH_BYTES} bytes long`);
  if (path.startsWith('/')) return bad('path_absolute', 'give a path relative to the workspace root');
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return bad('path_parent', '".." is not allowed in a path');
  if (parts.length === 0) return bad('is_directory', 'this is the workspace root itself');
  if (path.endsWith('/') || path.endsWith('/.'))
    return bad('path_trailing_slash', 'a path that ends with a slash names a directory, not a file');
  return { ok: true, parts };
}

/**
 * Where the kernel says that the path leads. Symbolic links are followed as long as they stay inside the root; two paths to
 * one file give one key. A path to nothing is a location with `present: false` when its directory exists.
 */
export async function resolvePath(ws: Workspace, path: string): Promise<Location | Refusal> {
  const parsed = parsePath(path);
  if (!parsed.ok) return parsed;
  const location = await locate(ws, path, parsed.parts);
  return location.ok && location.present ? location : ((await rootFault(ws, path)) ?? location);
}

async function locate(ws: Workspace, path: string, parts: readonly string[]): Promise<Location | Refusal> {
  const real = await realParts(ws, path, parts);
  if (!('missing' in real)) {
    if (!real.ok) return real;
    const name = real.parts.at(-1);
    if (name === undefined) return refuse('is_directory', `"${path}": it is a directory.`, { path });
    return { ok: true, path: real.parts.join('/'), directory: real.parts.slice(0, -1), name, present: true };
  }
  const parent = await realParts(ws, path, parts.slice(0, -1));
  if ('missing' in parent) return refuse('path_not_found', `"${path}": its directory does not exist.`, { path });
  if (!parent.ok) return parent;
  const name = parts.at(-1)!;
  try {
    const status = await ws.fs.status(absolute(ws, [...parent.parts, name]));
    if (status.kind === 'symlink') return refuse('symlink_dangling', `"${path}": it is a symbolic link to nothing.`, { path });
    return refuse('path_changed', `"${path}": it changed while it was looked up; try again.`, { path });
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') return refuseErrno(error, path, 'lstat');
  }
  return { ok: true, path: [...parent.parts, name].join('/'), directory: parent.parts, name, present: false };
}

/**
 * The directory that a key names, for a publication: here no symbolic link is followed at all, since the key was real
 * when it was bound. The entry itself is not looked at.
 */
export async function resolveKey(ws: Workspace, path: string): Promise<Location | Refusal> {
  const parsed = parsePath(path);
  if (!parsed.ok) return parsed;
  const directory = parsed.parts.slice(0, -1);
  const real = await realParts(ws, path, directory);
  if ('missing' in real) {
    return (await rootFault(ws, path)) ?? refuse('directory_vanished', `"${path}": its directory no longer exists.`, { path });
  }
  if (!real.ok) return (await rootFault(ws, path)) ?? real;
  if (real.parts.join('/') !== directory.join('/')) {
    return refuse('path_changed', `"${path}": a directory on its way is now a symbolic link; publication follows none.`, { path });
  }
  return { ok: true, path: parsed.parts.join('/'), directory, name: parsed.parts.at(-1)!, present: true };
}

function rootChanged(path: string): Refusal {
  return refuse('root_changed', 'Another directory stands where the workspace root was opened; restart to use it.', { path });
}

/** What became of the root, where that is why a path leads nowhere or a new file would lead elsewhere; null: it is what was opened. */
async function rootFault(ws: Workspace, path: string): Promise<Refusal | null> {
  try {
    const { device, inode } = await ws.fs.status(ws.facts.root);
    return device === ws.facts.device && inode === ws.facts.inode ? null : rootChanged(path);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(errnoOf(error))) return null;
    return refuse('root_missing', 'The workspace root no longer exists.', { path });
  }
}

async function realParts(
  ws: Workspace,
  path: string,
  parts: readonly string[],
): Promise<{ ok: true; parts: string[] } | Refusal | { missing: true }> {
  let bytes: Buffer;
  try {
    bytes = await ws.fs.realPath(absolute(ws, parts));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return { missing: true };
    return refuseErrno(error, path, 'realpath');
  }
  const real = bytes.toString('utf8');
  if (!Buffer.from(real).equals(bytes)) return refuse('path_not_utf8', `"${path}": it leads to a name that is not UTF-8.`, { path });
  const { root } = ws.facts;
  const prefix = root === '/' ? '/' : `${root}/`;
  if (real === root) return { ok: true, parts: [] };
  if (!real.startsWith(prefix)) return refuse('path_leaves_root', `"${path}": a symbolic link leads out of the workspace.`, { path });
  try {
    return { ok: true, parts: await standingNames(ws, real.slice(prefix.length).split('/'), (names) => absolute(ws, names)) };
  } catch (error) {
    return refuseErrno(error, path, 'readdir');
  }
}

/** An open directory within the root, reached name by name without following a link, so that no race leads out of the root. */
export interface Directory {
  readonly file: OpenFile;
  readonly status: FileStatus;
  /** A path for system calls on an entry: through the handle where the system has such paths, by name elsewhere. */
  entry(name: string): string;
  /** True while the directory's own path still leads to it. */
  inPlace(): Promise<boolean>;
}

/** Opens the directory of a location and hands it to `use`; closes it afterwards. */
export async function withDirectory<T>(
  ws: Workspace,
  location: Location,
  path: string,
  use: (directory: Directory) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const walked = await walk(ws, location, path);
  if ('code' in walked) return walked;
  try {
    return await use(walked);
  } finally {
    await walked.file.close();
  }
}

async function walk(ws: Workspace, location: Location, path: string): Promise<Directory | Refusal> {
  let open: OpenFile | null = null;
  try {
    open = await ws.fs.open(ws.facts.root, 'directory');
    let status = await open.status();
    if (status.device !== ws.facts.device || status.inode !== ws.facts.inode) {
      await open.close();
      return rootChanged(path);
    }
    const reached: string[] = [];
    for (const name of location.directory) {
      const next: OpenFile = await ws.fs.open(await entryOf(ws, open, reached, name), 'directory');
      await open.close();
      open = next;
      status = await open.status();
      reached.push(name);
    }
    const own = absolute(ws, reached);
    const base = (await entryOf(ws, open, reached, '.')).slice(0, -2);
    const { device, inode } = status;
    return {
      file: open,
      status,
      entry: (name) => `${base}/${name}`,
      inPlace: async () => {
        try {
          const now = await ws.fs.status(own);
          return now.device === device && now.inode === inode;
        } catch (error) {
          errnoOf(error);
          return false;
        }
      },
    };
  } catch (error) {
    await open?.close();
    const refusal = refuseErrno(error, path, 'open directory', {
      ENOENT: ['directory_vanished', 'its directory no longer exists'],
      ENOTDIR: ['path_changed', 'a directory on its way was replaced while it was looked up; try again'],
      ELOOP: ['path_changed', 'a directory on its way became a symbolic link while it was looked up; try again'],
    });
    return (await rootFault(ws, path)) ?? refusal;
  }
}

/** Node has no openat: on Linux a path through the handle's own link in /proc names an entry of that very directory. */
async function entryOf(ws: Workspace, open: OpenFile, reached: readonly string[], name: string): Promise<string> {
  if (process.platform === 'linux') {
    const through = `/proc/self/fd/${open.fd}`;
    try {
      await ws.fs.status(through);
      return `${through}/${name}`;
    } catch (error) {
      // A system without /proc: by name, as elsewhere; what is opened is compared with what was looked at.
      errnoOf(error);
    }
  }
  return absolute(ws, [...reached, name]);
}

function absolute(ws: Workspace, parts: readonly string[]): string {
  const { root } = ws.facts;
  return parts.length === 0 ? root : `${root === '/' ? '' : root}/${parts.join('/')}`;
}

function shown(path: string): string {
  const safe = path.toWellFormed().replaceAll('\0', '\\0');
  return safe.length > 200 ? `${safe.slice(0, 200)}...` : safe;
}
