import { readHead } from '../../db/calls/read-head.ts';
import { readTarget } from '../../db/calls/read-target.ts';
import type { TargetHead } from '../../db/calls/target-state.ts';
import { CachedContent } from './content-cache.ts';
import type { Context } from './context.ts';
import { sha256 } from './sha256.ts';
import type { CallOptions } from './types.ts';

/** One committed row as a read answers it. */
export interface Held {
  head: TargetHead;
  content: CachedContent;
  /** False when the stored text does not hash to the stored hash: reads show it and say so, nothing else uses it. */
  sound: boolean;
}

/**
 * The target's content as of one committed row, without a lock; null when there is no such target. One narrow statement while
 * the cache holds that version, one more that fetches the text otherwise.
 */
export async function heldContent(context: Context, targetFileId: string, options: CallOptions): Promise<Held | null> {
  const cached = context.cache.get(targetFileId);
  if (cached !== null) {
    const head = await readHead(context.database, targetFileId, options);
    if (head === null) return null;
    if (head.version === cached.version && head.current_hash === cached.hash) return { head, content: cached, sound: true };
  }
  const row = await readTarget(context.database, targetFileId, options);
  if (row === null) return null;
  const { current_content: text, ...head } = row;
  const content = new CachedContent(row.version, sha256(text), text);
  const sound = content.hash === row.current_hash;
  if (sound) context.cache.put(targetFileId, content);
  return { head, content, sound };
}

/** What every read of one row answers first. */
export function headFields(
  targetFileId: string,
  held: Held,
): { status: 'ok'; target_file_id: string; version: number; current_hash: string } {
  return { status: 'ok', target_file_id: targetFileId, version: held.head.version, current_hash: held.head.current_hash };
}

/** A damaged row is shown, never passed off as sound. */
export function soundness(held: Held): { warnings?: { code: string; detail: string }[] } {
  if (held.sound) return {};
  return {
    warnings: [
      {
        code: 'content_diverged',
        detail:
          'The stored text does not match its recorded hash; submissions will be refused. Tell an operator: `patchdiff verify` names the row.',
      },
    ],
  };
}
