import { listTargets as listTargetRows } from '../../db/calls/list-targets.ts';
import type { TargetHead } from '../../db/calls/target-state.ts';
import type { JsonObject } from '../../transaction/index.ts';
import { invalidArgument } from '../common/answers.ts';
import { ArgumentReader } from '../common/arguments.ts';
import type { Context } from '../common/context.ts';
import { PAGE_DEFAULT, PAGE_MOST } from '../common/page.ts';
import type { CallOptions } from '../common/types.ts';

const MAX_FILTER = 1000;
const MAX_CURSOR = 200;
const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

interface Cursor {
  createdAt: string;
  targetFileId: string;
}

/** Opaque to callers: base64url of the last row's order key. */
function encodeCursor(row: TargetHead): string {
  return Buffer.from(`${row.created_at} ${row.target_file_id}`, 'utf8').toString('base64url');
}

function decodeCursor(text: string): Cursor | null {
  const match = CURSOR.exec(Buffer.from(text, 'base64url').toString('utf8'));
  return match === null ? null : { createdAt: match[1] ?? '', targetFileId: match[2] ?? '' };
}

function entryOf(row: TargetHead): JsonObject {
  return {
    target_file_id: row.target_file_id,
    display_name: row.display_name,
    version: row.version,
    current_hash: row.current_hash,
    total_chars: row.content_chars,
    content_bytes: row.content_bytes,
    workspace_path: row.workspace_path,
    last_synced_version: row.last_synced_version,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** Targets, newest first, whose name or workspace path holds `filter`; pages by keyset, so that new targets never enter a running traversal. */
export async function listTargets(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const filter = reader.optionalText('filter', MAX_FILTER);
  const limit = reader.clamped('limit', PAGE_DEFAULT, PAGE_MOST);
  const cursorText = reader.optionalText('cursor', MAX_CURSOR);
  const cursor = cursorText === null ? null : decodeCursor(cursorText);
  if (cursorText !== null && cursor === null) reader.refuse('cursor', 'next_cursor of the page before, unchanged');
  reader.end();
  if (reader.fault !== null) return { ...invalidArgument(reader.fault), targets: [], has_more: false, next_cursor: null };
  const rows = await listTargetRows(context.database, { filter, limit, after: cursor }, options);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit;
  return {
    status: 'ok',
    targets: page.map(entryOf),
    has_more: hasMore,
    next_cursor: hasMore && last !== undefined ? encodeCursor(last) : null,
  };
}
