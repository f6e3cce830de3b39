import type { DiskState } from './disk.ts';
import { diskState, drift } from './disk.ts';
import type { FileStatus } from './file-system.ts';
import type { RefusalCode } from './refusal.ts';
import { errnoOf, refuse, refuseErrno } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { resolveKey, withDirectory } from './resolve.ts';
import type { Directory, Location } from './resolve.ts';
import { sha256Of } from './source-facts.ts';
import { abandon, removeLeftovers, temporaryName } from './temporary.ts';
import type { Workspace } from './workspace.ts';

/** The new bytes stand on disk under the file's name. */
export interface Published {
  ok: true;
  path: string;
  writtenSha256: string;
  writtenBytes: number;
  /** Permission bits of the file now. */
  mode: number;
  /** False when the system did not permit to give the new file the old one's owner and group. */
  ownerKept: boolean;
  /** False when the directory could not be flushed: the file is in place, and a power cut might still take it back. */
  durable: boolean;
  /** The temporary file's name where it could not be removed; it is a second name of the new file. */
  leftover: string | null;
  /** Temporary files of dead processes, or given up by this one, that were removed on the way. */
  removedLeftovers: string[];
}

type Meanings = Readonly<Record<string, readonly [RefusalCode, string]>>;
const CREATING: Meanings = {
  EACCES: ['directory_not_writable', 'its directory does not permit to write into it'],
  ENOENT: ['directory_vanished', 'its directory no longer exists'],
};
const INSTALLING: Meanings = {
  EACCES: ['directory_not_writable', 'its directory does not permit to write into it'],
  ENOENT: ['directory_vanished', 'its directory no longer exists'],
  EISDIR: ['is_directory', 'it has become a directory'],
  ENOTEMPTY: ['is_directory', 'it has become a directory'],
};

/**
 * Puts `bytes` in the place of the file whose bytes have the digest `expected` (null: of no file), whole or not at all:
 * a temporary file beside it is written, flushed and renamed over it. Anything else on disk is `drift`. On a refusal the
 * old file stands untouched and the temporary file is gone.
 *
 * `path` is a key from {@link resolvePath}; no symbolic link is followed, a file with other hard links or without a write bit
 * is refused. Permission bits are kept and never wider on the way than before; owner and group are kept where the system
 * permits; extended attributes and ACLs are not kept. Call it under the directory's lease: between the last look at the digest and
 * the rename a writer that takes no lease can still slip in, since POSIX has no rename that compares.
 */
export async function publishFile(ws: Workspace, path: string, bytes: Uint8Array, expected: string | null): Promise<Published | Refusal> {
  const location = await resolveKey(ws, path);
  if (!location.ok) return location;
  return withDirectory(ws, location, path, async (directory): Promise<Published | Refusal> => {
    // First: one of them may be a second name of the very file.
    const removedLeftovers = await removeLeftovers(ws, directory);
    const before = await look(ws, directory, location, expected);
    if (!before.ok) return before;
    const refused = await replaceable(ws, directory, location, before);
    if (refused !== null) return refused;

    const temporary = await writeTemporary(ws, directory, path, bytes, before.status);
    if (!temporary.ok) return temporary;
    const refusal = await install(ws, directory, location, temporary, expected, before);
    const gone = await removed(ws, directory, temporary.name);
    if (refusal !== null) return gone ? refusal : withLeftover(refusal, temporary.name);
    return {
      ok: true,
      path: location.path,
      writtenSha256: sha256Of(bytes),
      writtenBytes: bytes.length,
      mode: temporary.mode,
      ownerKept: temporary.ownerKept,
      durable: await permitted(() => directory.file.sync()),
      leftover: gone ? null : temporary.name,
      removedLeftovers,
    };
  });
}

/** The file as it stands, when it is the one expected. */
async function look(ws: Workspace, directory: Directory, location: Location, expected: string | null): Promise<DiskState | Refusal> {
  const found = await diskState(ws, directory, location.name, location.path);
  if (!found.ok) return found;
  const same = expected === null ? found.status === null : found.sha256 === expected;
  return same ? found : drift(location.path, expected, found);
}

/** Null when the file's own status lets it be replaced. A rename asks only the directory; the file's wish is asked here. */
async function replaceable(ws: Workspace, directory: Directory, location: Location, { status }: DiskState): Promise<Refusal | null> {
  const { path, name } = location;
  if (status === null) return null;
  if (status.links > 1) {
    const message = `"${path}": it has ${status.links} hard links; replacing it would part them, so nothing was written.`;
    return refuse('hard_links', message, { path, links: status.links });
  }
  const mode = status.mode.toString(8).padStart(4, '0');
  if ((status.mode & 0o222) === 0) return refuse('file_read_only', `"${path}": it is read-only (mode ${mode}).`, { path, mode });
  try {
    await (await ws.fs.open(directory.entry(name), 'probe')).close();
  } catch (error) {
    // A running program can be replaced although it cannot be written to.
    if (errnoOf(error) === 'ETXTBSY') return null;
    return refuseErrno(error, path, 'probe', {
      EACCES: ['file_read_only', `this process has no permission to write to it (mode ${mode})`],
      EPERM: ['file_read_only', 'the system does not permit to write to it'],
      ELOOP: ['is_symlink', 'it has become a symbolic link'],
      ENOENT: ['path_changed', 'it vanished while it was looked at; try again'],
    });
  }
  return null;
}

interface Temporary {
  ok: true;
  name: string;
  status: FileStatus;
  mode: number;
  ownerKept: boolean;
}

async function writeTemporary(
  ws: Workspace,
  directory: Directory,
  path: string,
  bytes: Uint8Array,
  old: FileStatus | null,
): Promise<Temporary | Refusal> {
  const name = temporaryName();
  let file;
  try {
    // A new file gets what the umask leaves of 0666; one that replaces another is private until it has the other's bits.
    file = await ws.fs.open(directory.entry(name), 'create', old === null ? 0o666 : 0o600);
  } catch (error) {
    return refuseErrno(error, path, 'create temporary', CREATING);
  }
  let step = 'write';
  try {
    await file.write(bytes);
    let status = await file.status();
    let ownerKept = true;
    if (old !== null) {
      step = 'chown';
      let groupKept = true;
      if (status.uid !== old.uid || status.gid !== old.gid) {
        ownerKept = await permitted(() => file.chown(old.uid, old.gid));
        groupKept = ownerKept || status.gid === old.gid || (await permitted(() => file.chown(status.uid, old.gid)));
      }
      step = 'chmod';
      // After chown, which clears set-id bits. What was given to one owner or group is not given to another.
      await file.chmod(ownerKept ? old.mode : old.mode & (groupKept ? 0o777 : 0o707));
      status = await file.status();
    }
    step = 'fsync';
    await file.sync();
    await file.close();
    return { ok: true, name, status, mode: status.mode, ownerKept };
  } catch (error) {
    await file.close().catch(errnoOf);
    const refusal = refuseErrno(error, path, step);
    return (await removed(ws, directory, name)) ? refusal : withLeftover(refusal, name);
  }
}

/** Null once the temporary file stands under the name. */
async function install(
  ws: Workspace,
  directory: Directory,
  location: Location,
  temporary: Temporary,
  expected: string | null,
  before: DiskState,
): Promise<Refusal | null> {
  const { path, name } = location;
  const now = await look(ws, directory, location, expected);
  if (!now.ok) return now;
  const same =
    now.status?.inode === before.status?.inode && now.status?.mode === before.status?.mode && now.status?.links === before.status?.links;
  if (!same) return refuse('path_changed', `"${path}": it was replaced meanwhile by a file of the same text; try again.`, { path });
  if (!(await directory.inPlace()))
    return refuse('directory_vanished', `"${path}": its directory was moved or removed meanwhile.`, { path });
  try {
    if (expected !== null || !(await linked(ws, directory, temporary.name, name))) {
      await ws.fs.rename(directory.entry(temporary.name), directory.entry(name));
    }
    return null;
  } catch (error) {
    // A failed call may have done its work; the entry itself tells.
    const standing = await diskState(ws, directory, name, path);
    if (standing.ok && standing.status?.device === temporary.status.device && standing.status.inode === temporary.status.inode) return null;
    if (errnoOf(error) === 'EEXIST' && standing.ok) return drift(path, expected, standing);
    return refuseErrno(error, path, 'install', INSTALLING);
  }
}

/** Gives a new file its name without ever replacing another; false where the file system has no hard links. */
async function linked(ws: Workspace, directory: Directory, temporary: string, name: string): Promise<boolean> {
  try {
    await ws.fs.link(directory.entry(temporary), directory.entry(name));
  } catch (error) {
    if (['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errnoOf(error))) return false;
    throw error;
  }
  return true;
}

/** True when no entry of that name is left; a rename has taken it away, a link has not. */
async function removed(ws: Workspace, directory: Directory, name: string): Promise<boolean> {
  try {
    await ws.fs.unlink(directory.entry(name));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return true;
    abandon(name);
    return false;
  }
}

function withLeftover(refusal: Refusal, name: string): Refusal {
  return {
    ...refusal,
    message: `${refusal.message} The temporary file "${name}" could not be removed.`,
    facts: { ...refusal.facts, leftover: name },
  };
}

async function permitted(call: () => Promise<void>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    errnoOf(error);
    return false;
  }
}
