import type { EndingRun } from '../text/index.ts';
import type { OpenFile } from './file-system.ts';
import { refuse, refuseErrno } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { resolvePath, withDirectory } from './resolve.ts';
import type { Directory } from './resolve.ts';
import { decodeSource } from './source-facts.ts';
import type { SourceLineEndings } from './source-facts.ts';
import type { RootFacts, Workspace } from './workspace.ts';

/** Largest file that is imported, in bytes. */
export const IMPORT_BYTES = 16 * 1024 * 1024;
/** A file that changes while it is read is read again this often. */
const ATTEMPTS = 3;

export interface ImportedFile {
  ok: true;
  root: RootFacts;
  /** The file's key: its real path within the root. */
  path: string;
  /** Canonical text. */
  content: string;
  bom: boolean;
  lineEndings: SourceLineEndings;
  /** The ending of each line where they are mixed and not too many to keep; null else. */
  eolRuns: EndingRun[] | null;
  /** SHA-256 of the bytes on disk: what a later publication expects to find. */
  diskSha256: string;
}

/** Reads one regular file of the workspace. Refuses whatever is not one whole, stable, well-formed text; opens no FIFO, socket or device. */
export async function importFile(ws: Workspace, path: string): Promise<ImportedFile | Refusal> {
  const location = await resolvePath(ws, path);
  if (!location.ok) return location;
  if (!location.present) return refuse('path_not_found', `"${path}": there is no such file.`, { path });
  return withDirectory(ws, location, path, async (directory): Promise<ImportedFile | Refusal> => {
    const bytes = await readWhole(ws, directory, location.name, path);
    if (!Buffer.isBuffer(bytes)) return bytes;
    const source = decodeSource(bytes);
    if (!source.ok) return refuseSource(path, source.code, source.byteOffset, bytes);
    const { content, bom, lineEndings, eolRuns } = source;
    return { ok: true, root: ws.facts, path: location.path, content, bom, lineEndings, eolRuns, diskSha256: lineEndings.source_sha256 };
  });
}

async function readWhole(ws: Workspace, directory: Directory, name: string, path: string): Promise<Buffer | Refusal> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const file = await openRegular(ws, directory, name, path);
    if ('code' in file) return file;
    try {
      const before = await file.status();
      if (before.size > IMPORT_BYTES) return tooLarge(path, before.size);
      const bytes = await readUpTo(file, before.size);
      const after = await file.status();
      if (after.stamp === before.stamp && after.size === bytes.length) return bytes;
    } catch (error) {
      return refuseErrno(error, path, 'read');
    } finally {
      await file.close();
    }
  }
  return refuse('file_changed_while_reading', `"${path}": it changed while it was read; try again.`, { path });
}

/**
 * Opens an entry that is a regular file and nothing else. The entry is looked at before it is opened, and what was
 * opened is compared with what was looked at.
 */
export async function openRegular(ws: Workspace, directory: Directory, name: string, path: string): Promise<OpenFile | Refusal> {
  let file: OpenFile | null = null;
  try {
    const seen = await ws.fs.status(directory.entry(name));
    if (seen.kind === 'directory') return refuse('is_directory', `"${path}": it is a directory.`, { path, kind: seen.kind });
    if (seen.kind === 'symlink') return refuse('is_symlink', `"${path}": it is a symbolic link.`, { path, kind: seen.kind });
    if (seen.kind !== 'file') return refuse('not_regular_file', `"${path}": it is a ${seen.kind}, not a file.`, { path, kind: seen.kind });
    file = await ws.fs.open(directory.entry(name), 'read');
    const opened = await file.status();
    if (opened.kind === 'file' && opened.device === seen.device && opened.inode === seen.inode) return file;
    await file.close();
    return refuse('path_changed', `"${path}": it was replaced while it was looked up; try again.`, { path });
  } catch (error) {
    await file?.close();
    return refuseErrno(error, path, 'open', { ELOOP: ['is_symlink', 'it is a symbolic link'] });
  }
}

/** At most one byte more than the size it had: a file that grows is noticed, not followed. */
async function readUpTo(file: OpenFile, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  while (length < bytes.length) {
    const count = await file.read(bytes.subarray(length));
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

function tooLarge(path: string, bytes: number): Refusal {
  return refuse('file_too_large', `"${path}": it is larger than ${IMPORT_BYTES} bytes.`, { path, bytes, limit_bytes: IMPORT_BYTES });
}

function refuseSource(path: string, code: 'invalid_utf8' | 'contains_nul', byteOffset: number, bytes: Buffer): Refusal {
  const facts = { path, byte_offset: byteOffset };
  if (code === 'contains_nul') return refuse(code, `"${path}": it holds a NUL at byte ${byteOffset}; only text is imported.`, facts);
  const byte = `0x${bytes[byteOffset]!.toString(16).padStart(2, '0')}`;
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const hint = utf16 ? ' It looks like UTF-16.' : '';
  return refuse(code, `"${path}": byte ${byteOffset} (${byte}) is not UTF-8.${hint} Convert the file; nothing is repaired.`, {
    ...facts,
    byte,
  });
}
