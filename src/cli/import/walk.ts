import { readdir, realpath, stat } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import path from 'node:path';
import { IgnoreRules } from './ignore-rules.ts';

/** Something that an import names or comes upon: a file to read, or what is left out and why. */
export type Found = { kind: 'file'; absolute: string } | Skip;

export interface Skip {
  kind: 'skip';
  absolute: string;
  code: string;
  detail: string;
  facts: Readonly<Record<string, string>>;
}

export interface Pattern {
  /** By the path below the walk's start; what does not match is not mentioned. */
  matches: (relative: string) => boolean;
  /** It may name what hidden directories hold. */
  namesHidden: boolean;
}

export interface WalkOptions {
  /** Real absolute path of the workspace root. */
  root: string;
  ignoreFiles: boolean;
  /** Hidden entries are taken as others are. */
  hidden: boolean;
  /** What the walk is for: everything (null), or the files that match, of which hidden ones are its own to judge. */
  pattern: Pattern | null;
}

/**
 * Everything below a directory (real, absolute), in the order of the bytes of its names, a directory's entries at its place. No
 * symbolic link is followed, nothing but directories is opened, and `.git` is passed over. One directory's names are held at a time.
 */
export async function* walk(start: string, options: WalkOptions): AsyncGenerator<Found> {
  const rules = options.ignoreFiles ? await IgnoreRules.at(start, options.root) : IgnoreRules.none;
  yield* below(start, start, rules, options);
}

async function* below(start: string, directory: string, rules: IgnoreRules, options: WalkOptions): AsyncGenerator<Found> {
  let entries: Dirent<Buffer>[];
  try {
    entries = await readdir(directory, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    yield unreadable(directory, error);
    return;
  }
  entries.sort((a, b) => Buffer.compare(a.name, b.name));
  for (const entry of entries) {
    const name = entry.name.toString('utf8');
    if (name === '.git') continue;
    const absolute = path.join(directory, name);
    const isDirectory = entry.isDirectory();
    const { pattern } = options;
    if (pattern !== null && !isDirectory && !pattern.matches(path.relative(start, absolute))) continue;
    if (!Buffer.from(name).equals(entry.name)) {
      yield skip(path.join(directory, escaped(entry.name)), 'path_not_utf8', 'its name is not UTF-8');
      continue;
    }
    if (name.startsWith('.') && !options.hidden && (pattern === null || isDirectory)) {
      if (pattern?.namesHidden !== true) {
        if (pattern === null) yield skip(absolute, 'hidden', 'its name begins with a dot; name it, or use --hidden');
        continue;
      }
    }
    if (rules.excludes(absolute, isDirectory)) {
      if (pattern !== null && isDirectory) continue;
      yield skip(absolute, 'ignored', 'an ignore file leaves it out; name it, or use --no-ignore');
    } else if (isDirectory) {
      yield* below(start, absolute, options.ignoreFiles ? await rules.enter(absolute) : rules, options);
    } else if (entry.isSymbolicLink()) yield await linkAt(absolute, options.root);
    else if (entry.isFile()) yield { kind: 'file', absolute };
    else yield skip(absolute, 'not_regular_file', `it is a ${kindOf(entry)}, not a file`, { kind: kindOf(entry) });
  }
}

function skip(absolute: string, code: string, detail: string, facts: Skip['facts'] = {}): Skip {
  return { kind: 'skip', absolute, code, detail, facts };
}

function kindOf(entry: Dirent<Buffer>): string {
  if (entry.isFIFO()) return 'fifo';
  if (entry.isSocket()) return 'socket';
  return entry.isCharacterDevice() || entry.isBlockDevice() ? 'device' : 'special file';
}

/** Where a link leads decides what is said of it; followed it is not, since what it leads to has a name of its own. */
async function linkAt(absolute: string, root: string): Promise<Skip> {
  try {
    const real = await realpath(absolute);
    if (real !== root && !real.startsWith(root === '/' ? root : `${root}/`)) {
      return skip(absolute, 'path_leaves_root', 'a symbolic link that leads out of the workspace');
    }
    const kind = (await stat(absolute)).isDirectory() ? 'directory' : 'file';
    return skip(absolute, 'is_symlink', `a symbolic link to a ${kind}, which a walk does not follow`, {
      leads_to: path.relative(root, real),
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return skip(absolute, 'symlink_dangling', 'a symbolic link to nothing');
    if (code === 'ELOOP') return skip(absolute, 'symlink_loop', 'symbolic links that lead in a circle');
    return unreadable(absolute, error);
  }
}

const ERRORS: Readonly<Record<string, readonly [string, string]>> = {
  EACCES: ['permission_denied', 'this process has no permission to read it'],
  EPERM: ['permission_denied', 'this process has no permission to read it'],
  ENOENT: ['path_not_found', 'it vanished while it was walked'],
  ENOTDIR: ['path_changed', 'it was replaced while it was walked'],
  ELOOP: ['path_changed', 'it was replaced while it was walked'],
  ENAMETOOLONG: ['path_too_long', 'its path is longer than the system allows'],
};

function unreadable(absolute: string, error: unknown): Skip {
  const errno = (error as NodeJS.ErrnoException).code ?? '';
  const [code, detail] = ERRORS[errno] ?? ['io_error', `the system reported ${errno}`];
  return skip(absolute, code, detail, { errno });
}

/** A name for reading, whose bytes can be told from it. */
function escaped(name: Buffer): string {
  return [...name]
    .map((byte) => (byte >= 0x20 && byte < 0x7f && byte !== 0x5c ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`))
    .join('');
}
