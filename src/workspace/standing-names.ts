import { errnoOf } from './refusal.ts';
import type { Workspace } from './workspace.ts';

/**
 * The names of an existing path as they stand in their directories. A file system that ignores case, or the Unicode form, leads many
 * spellings to one file and gives back the one it was asked for; one file must have one key. Where case counts this costs one look
 * a name, since the other case leads elsewhere or nowhere. Throws the errno of a system call other than that look.
 */
export async function standingNames(
  ws: Workspace,
  parts: readonly string[],
  absolute: (parts: readonly string[]) => string,
): Promise<string[]> {
  const standing: string[] = [];
  for (const name of parts) standing.push(await standingName(ws, name, (other) => absolute([...standing, other]), absolute(standing)));
  return standing;
}

async function standingName(ws: Workspace, name: string, at: (name: string) => string, directory: string): Promise<string> {
  const swapped = otherCase(name);
  if (swapped === name || !(await sameEntry(ws, at(name), at(swapped)))) return name;
  const names = await ws.fs.names(directory);
  if (names.includes(name)) return name;
  for (const candidate of names) {
    if (folded(candidate) === folded(name) && (await sameEntry(ws, at(name), at(candidate)))) return candidate;
  }
  return name;
}

async function sameEntry(ws: Workspace, one: string, other: string): Promise<boolean> {
  try {
    const [left, right] = [await ws.fs.status(one), await ws.fs.status(other)];
    return left.device === right.device && left.inode === right.inode;
  } catch (error) {
    errnoOf(error);
    return false;
  }
}

function otherCase(name: string): string {
  const upper = name.toUpperCase();
  return upper === name ? name.toLowerCase() : upper;
}

function folded(name: string): string {
  return name.normalize('NFC').toLowerCase().toUpperCase();
}
