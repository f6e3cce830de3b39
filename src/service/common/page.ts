import type { JsonObject } from '../../transaction/index.ts';

/** Entries of a history page when the caller names no limit, and at most. */
export const PAGE_DEFAULT = 50;
export const PAGE_MOST = 200;

/** A page as the tools answer it. `nextSequence` is the smallest sequence returned, to be sent back as `before_sequence`; null on the last page. */
export function pageAnswer(targetFileId: string, entries: JsonObject[], nextSequence: number | null): JsonObject {
  return { status: 'ok', target_file_id: targetFileId, entries, has_more: nextSequence !== null, next_sequence: nextSequence };
}
