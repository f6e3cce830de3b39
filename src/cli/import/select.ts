import { lstat, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import picomatch from 'picomatch';
import { walk, type Found, type Pattern, type Skip } from './walk.ts';

export interface Selection {
  cwd: string;
  /** Real absolute path of the workspace that was named; null: none. */
  workspace: string | null;
  ignoreFiles: boolean;
  hidden: boolean;
}

/** One thing to import, or not to: where it is, how the person who asked calls it, and whether it was named itself. */
export interface Item {
  found: Found | Missing;
  /** Real absolute path of the workspace root that it belongs to. */
  root: string;
  shown: string;
  named: boolean;
}

/** An argument that leads to nothing. */
interface Missing extends Omit<Skip, 'kind'> {
  kind: 'missing';
}

type Argument =
  | { kind: 'file'; text: string; absolute: string; root: string }
  | { kind: 'walk'; text: string; start: string; root: string; pattern: Pattern | null }
  | { kind: 'missing'; text: string; absolute: string; root: string; code: string; detail: string };

/** A dot that begins a name in a pattern: what is hidden is asked for. */
const NAMES_HIDDEN = /(^|[/{,(|!])\.[^/.]/;

/** Whether any of the arguments is walked, so that its end deserves a count. */
export function isWalk({ kind }: Argument): boolean {
  return kind === 'walk';
}

/** What each argument is: a directory, a file (also one that is not there: the import says so), or a pattern. A name that exists is no pattern. */
export async function readArguments(texts: readonly string[], selection: Selection): Promise<Argument[]> {
  const read: Argument[] = [];
  for (const text of texts) read.push(await readArgument(text, selection));
  return read;
}

async function readArgument(text: string, selection: Selection): Promise<Argument> {
  const absolute = below(selection.cwd, text);
  // An unset variable of a shell, and no wish to import everything.
  if (text === '') return missing({ text, absolute, root: selection.cwd }, 'path_empty', 'the path is empty.');
  const status = await stat(absolute).catch(() => null);
  if (status?.isDirectory() === true) return directoryWalk(text, absolute, selection, null);
  const there = status !== null || (await lstat(absolute).catch(() => null)) !== null;
  const scanned = picomatch.scan(text);
  if (!there && scanned.isGlob) {
    const matches = picomatch(scanned.glob, { dot: selection.hidden });
    return directoryWalk(text, below(selection.cwd, scanned.base), selection, { matches, namesHidden: NAMES_HIDDEN.test(scanned.glob) });
  }
  const folder = await realpath(path.dirname(absolute)).catch(() => null);
  const real = folder === null ? absolute : path.join(folder, path.basename(absolute));
  const root = await rootFor(path.dirname(real), selection);
  const place = { text, absolute: real, root };
  if (/\/\.?$/.test(text)) return missing(place, 'path_trailing_slash', 'it names a directory, and there is none.');
  const climbs = text.split('/').includes('..');
  if (folder === null && (climbs || selection.workspace === null)) {
    return missing(place, 'path_not_found', 'its directory does not exist.');
  }
  if (!climbs && !holds(root, real)) return missing(place, 'path_leaves_root', 'it is not inside the workspace.');
  return { kind: 'file', ...place };
}

async function directoryWalk(text: string, directory: string, selection: Selection, pattern: Pattern | null): Promise<Argument> {
  const start = await realpath(directory).catch(() => null);
  const root = await rootFor(start ?? directory, selection);
  const place = { text, absolute: start ?? directory, root };
  if (start === null || !(await stat(start)).isDirectory()) {
    return missing(place, 'path_not_found', 'there is no directory that it could match in.');
  }
  if (!holds(root, start)) return missing(place, 'path_leaves_root', 'it is not inside the workspace.');
  // A directory elsewhere is a root of its own; a root that was named, or gone to, was chosen on purpose.
  const elsewhere = selection.workspace === null && start === root && start !== (await realpath(selection.cwd));
  if ((elsewhere ? start : path.relative(root, start)).split(path.sep).includes('.git'))
    return missing(place, 'git_directory', "it is git's own directory, which no walk enters; name one file in it.");
  return { kind: 'walk', text, start, root, pattern };
}

function missing(place: { text: string; absolute: string; root: string }, code: string, why: string): Argument {
  return { kind: 'missing', ...place, code, detail: `"${place.text}": ${why}` };
}

/** Left to the kernel to resolve: after a symbolic link ".." is not what the text looks like. */
function below(cwd: string, text: string): string {
  return path.isAbsolute(text) ? text : `${cwd}/${text}`;
}

/** The workspace that was named; else the current directory for what it holds, and each thing's own directory for the rest. */
async function rootFor(directory: string, { workspace, cwd }: Selection): Promise<string> {
  if (workspace !== null) return workspace;
  const here = await realpath(cwd);
  return holds(here, directory) ? here : directory;
}

function holds(root: string, absolute: string): boolean {
  return absolute === root || absolute.startsWith(root === '/' ? root : `${root}/`);
}

/**
 * Everything that the arguments come to, in their order, each file once: as one that was named wherever it was. A pattern that
 * matches nothing is an item of its own.
 */
export async function* itemsOf(args: readonly Argument[], selection: Selection): AsyncGenerator<Item> {
  const named = new Set(args.flatMap((argument) => (argument.kind === 'file' ? [argument.absolute] : [])));
  const walks = args.filter(isWalk).length;
  const seen = new Set<string>();
  for (const argument of args) {
    const { root, text } = argument;
    if (argument.kind === 'missing') {
      const { absolute, code, detail } = argument;
      yield { found: { kind: 'missing', absolute, code, detail, facts: { path: text } }, root, shown: text, named: true };
    } else if (argument.kind === 'file') {
      if (seen.has(argument.absolute)) continue;
      seen.add(argument.absolute);
      yield { found: { kind: 'file', absolute: argument.absolute }, root, shown: text, named: true };
    } else {
      const { pattern } = argument;
      let matched = false;
      const noting: Pattern | null = pattern && {
        ...pattern,
        matches: (relative) => {
          const matches = pattern.matches(relative);
          matched ||= matches;
          return matches;
        },
      };
      const { ignoreFiles, hidden } = selection;
      for await (const found of walk(argument.start, { root, ignoreFiles, hidden, pattern: noting })) {
        if (named.has(found.absolute) || seen.has(found.absolute)) continue;
        // One walk meets each name once; only where there are more of them is it remembered.
        if (walks > 1) seen.add(found.absolute);
        yield { found, root, shown: shownBelow(argument, selection.cwd, found.absolute), named: false };
      }
      if (pattern !== null && !matched) {
        const detail = `"${text}": no file matches it.`;
        yield {
          found: { kind: 'missing', absolute: argument.start, code: 'path_not_found', detail, facts: { path: text } },
          root,
          shown: text,
          named: true,
        };
      }
    }
  }
}

/** As the argument was typed, going on from there. */
function shownBelow({ text, start, pattern }: Argument & { kind: 'walk' }, cwd: string, absolute: string): string {
  const from = pattern === null ? text : picomatch.scan(text).base;
  const relative = path.relative(start, absolute);
  if (/[^./][^/]*\/\.\.(\/|$)/.test(from)) return `${from.replace(/\/+$/, '')}/${relative}`;
  return path.isAbsolute(from) || path.resolve(cwd, from) !== cwd ? path.join(from, relative) || from : relative || '.';
}
