import type { JsonObject } from '../transaction/index.ts';

/** Entries of a history page when the caller names no limit, and at most. */
export const PAGE_DEFAULT = 50;
export const PAGE_MOST = 200;

/**
 * One page of a history: `entries` hold at most `limit` + 1 rows, the one too many telling that more exist. `next_sequence` is the
 * smallest sequence returned, to be sent back as `before_sequence`; null on the last page.
 */
export function pageAnswer(targetFileId: string, rows: JsonObject[], limit: number, sequence: string, order: 'newest first' | 'oldest first'): JsonObject {
  const newestFirst = [...rows].sort((a, b) => Number(b[sequence]) - Number(a[sequence]));
  const hasMore = newestFirst.length > limit;
  const page = newestFirst.slice(0, limit);
  const smallest = page.at(-1)?.[sequence] ?? null;
  return {
    status: 'ok',
    target_file_id: targetFileId,
    entries: order === 'newest first' ? page : page.toReversed(),
    has_more: hasMore,
    next_sequence: hasMore ? smallest : null,
  };
}
