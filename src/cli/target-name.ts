import type { JsonObject, Service } from '../service/common/types.ts';
import { EXIT, ExitError } from './exit.ts';
import { plain, printable } from './output.ts';
import { isUuid } from './values.ts';

/**
 * The document that is meant: by its id, or by its workspace path as `patchdiff list` shows it. Throws when several files of that
 * path, of different workspaces, are under authority, unless `isMeant` tells one of them, and when none is.
 */
export async function targetNamed(service: Service, name: string, isMeant?: (id: string) => Promise<boolean>): Promise<string> {
  if (isUuid(name)) return name;
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const page: JsonObject = await service.listTargets({ filter: name, limit: 200, ...(cursor === null ? {} : { cursor }) });
    if (page['status'] !== 'ok') throw new ExitError(EXIT.usage, `${printable(name)} is neither an id nor a workspace path`);
    const targets = page['targets'] as JsonObject[];
    found.push(...targets.filter((target) => target['workspace_path'] === name).map((target) => plain(target['target_file_id'])));
    cursor = page['next_cursor'] as string | null;
  } while (cursor !== null);
  const [id] = found;
  if (id === undefined) {
    throw new ExitError(
      EXIT.notFound,
      `there is no document with the id or the workspace path ${printable(name)}; patchdiff list shows those there are`,
    );
  }
  if (found.length > 1 && isMeant !== undefined) {
    for (const one of found) if (await isMeant(one)) return one;
  }
  if (found.length > 1)
    throw new ExitError(
      EXIT.usage,
      `several documents have the workspace path ${printable(name)}; name one by its id: ${found.join(', ')}`,
    );
  return id;
}
