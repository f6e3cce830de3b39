import { createHash } from 'node:crypto';
import type { FileStatus } from './file-system.ts';
import { IMPORT_BYTES, openRegular } from './import.ts';
import { errnoOf, refuse, refuseErrno } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { resolveKey, withDirectory } from './resolve.ts';
import type { Directory } from './resolve.ts';
import type { Workspace } from './workspace.ts';

/** Nothing larger was ever imported or published: the largest text with every character a CRLF, and a byte order mark. */
const DIGEST_BYTES = 2 * IMPORT_BYTES + 3;
const CHUNK_BYTES = 1 << 20;

/** The file that stands at a place, or that none does. */
export interface DiskState {
  ok: true;
  /** Null when nothing stands there. */
  status: FileStatus | null;
  /** SHA-256 of the bytes; null when nothing stands there, or more than this product could have written. */
  sha256: string | null;
}

/** What stands at a key now, for comparing without publishing. Follows no symbolic link. */
export async function readDisk(ws: Workspace, path: string): Promise<DiskState | Refusal> {
  const location = await resolveKey(ws, path);
  if (!location.ok) return location;
  return withDirectory(ws, location, path, (directory) => diskState(ws, directory, location.name, path));
}

/** The same in an open directory. */
export async function diskState(ws: Workspace, directory: Directory, name: string, path: string): Promise<DiskState | Refusal> {
  try {
    await ws.fs.status(directory.entry(name));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return { ok: true, status: null, sha256: null };
    return refuseErrno(error, path, 'lstat');
  }
  const file = await openRegular(ws, directory, name, path);
  if ('code' in file) return file;
  try {
    const status = await file.status();
    const hash = createHash('sha256');
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let bytes = 0;
    for (;;) {
      const count = await file.read(chunk);
      if (count === 0) break;
      bytes += count;
      if (bytes > DIGEST_BYTES) return { ok: true, status, sha256: null };
      hash.update(chunk.subarray(0, count));
    }
    return { ok: true, status, sha256: hash.digest('hex') };
  } catch (error) {
    return refuseErrno(error, path, 'read');
  } finally {
    await file.close();
  }
}

/** The refusal when a file is not what was expected; both digests are named, null for no file. */
export function drift(path: string, expected: string | null, found: DiskState): Refusal {
  const observed = found.sha256 ?? (found.status === null ? 'no file' : `${found.status.size} bytes`);
  return refuse('drift', `"${path}": the disk has changed: ${expected ?? 'no file'} expected, ${observed} found. Nothing was written.`, {
    path,
    expected_disk_sha256: expected,
    observed_disk_sha256: found.sha256,
    observed_bytes: found.status?.size ?? null,
  });
}
