import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { EXIT, ExitError } from '../exit.ts';

/** More than this is no list of names. */
const MAX_BYTES = 1024 * 1024;
/** More than this is no path. */
const MAX_LINK_BYTES = 8192;
/** Files of rules, the one that decides first: a `.ignore` overrides every `.gitignore`. */
const NAMES = ['.ignore', '.gitignore'] as const;

type Name = (typeof NAMES)[number];

/** The rules of one file, for what lies below `base`. */
interface Level {
  base: string;
  name: Name;
  rules: Ignore;
}

/** The rules in force in one directory. Values: entering a directory makes new ones. */
export class IgnoreRules {
  readonly #levels: readonly Level[];

  private constructor(levels: readonly Level[]) {
    this.#levels = levels;
  }

  static readonly none = new IgnoreRules([]);

  /**
   * The rules in force in `directory` (absolute, real): those of every directory from the top of the git working tree that
   * holds it, or else from `root`, down to itself, and the `.git/info/exclude` of every working tree among them.
   */
  static async at(directory: string, root: string): Promise<IgnoreRules> {
    const top = (await workingTree(directory)) ?? root;
    let base = top;
    let rules = await IgnoreRules.none.enter(base);
    for (const part of path.relative(top, directory).split(path.sep)) {
      if (part === '') continue;
      base = path.join(base, part);
      rules = await rules.enter(base);
    }
    return rules;
  }

  /** With the files of this directory, which lies below the one that these rules hold for. */
  async enter(directory: string): Promise<IgnoreRules> {
    const more: Level[] = [];
    const excluded = await readRules(await excludeOf(directory));
    // Before the others: every file of rules within the working tree overrides it.
    if (excluded !== null) more.push({ base: directory, name: '.gitignore', rules: excluded });
    for (const name of NAMES) {
      const rules = await readRules(path.join(directory, name));
      if (rules !== null) more.push({ base: directory, name, rules });
    }
    return more.length === 0 ? this : new IgnoreRules([...this.#levels, ...more]);
  }

  /** Whether an entry is left out: the last rule that names it decides, deeper files before those above them. Its directory is not. */
  excludes(absolute: string, isDirectory: boolean): boolean {
    for (const name of NAMES) {
      for (const level of this.#levels.toReversed()) {
        if (level.name !== name) continue;
        const { ignored, unignored } = level.rules.test(path.relative(level.base, absolute) + (isDirectory ? '/' : ''));
        if (ignored || unignored) return ignored;
      }
    }
    return false;
  }
}

/** The nearest directory, from this one upwards, that has a `.git`; null: none. */
async function workingTree(directory: string): Promise<string | null> {
  for (let at = directory; ; at = path.dirname(at)) {
    if (await exists(path.join(at, '.git'))) return at;
    if (path.dirname(at) === at) return null;
  }
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

/**
 * Where the working tree at a directory keeps the rules that are not in it: below its `.git`, or where that file leads in a linked
 * working tree or a submodule.
 */
async function excludeOf(directory: string): Promise<string> {
  const git = path.join(directory, '.git');
  const linked = /^gitdir: ([^\n]+)/.exec((await readRegular(git, MAX_LINK_BYTES)) ?? '')?.[1];
  if (linked === undefined) return path.join(git, 'info', 'exclude');
  const own = path.resolve(directory, linked.trimEnd());
  const common = await readRegular(path.join(own, 'commondir'), MAX_LINK_BYTES);
  return path.join(path.resolve(own, common?.trimEnd() ?? '.'), 'info', 'exclude');
}

/** The rules of a file; null when there is none, or something there that is no regular file, which git does not follow either. */
async function readRules(file: string): Promise<Ignore | null> {
  const text = await readRegular(file, MAX_BYTES);
  return text === null ? null : ignore({ ignorecase: false, allowRelativePaths: true }).add(text.replace(/^\uFEFF/, ''));
}

/**
 * The text of a regular file; null when there is none. What cannot be read stops the import: what its rules would have left out must
 * not go into a history that forgets nothing.
 */
async function readRegular(file: string, maxBytes: number): Promise<string | null> {
  try {
    if (!(await lstat(file)).isFile()) return null;
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await handle.stat();
      if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new ExitError(EXIT.workspace, `${file} cannot be honoured: ${message}; --no-ignore imports without it`);
  }
}
