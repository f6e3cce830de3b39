import { readAttempts } from '../db/calls/read-attempts.ts';
import type { AttemptRow } from '../db/calls/read-attempts.ts';
import type { JsonObject, JsonValue } from '../transaction/index.ts';
import { EMPTY_PAGE, invalidArgument, notFound } from './answers.ts';
import { ArgumentReader } from './arguments.ts';
import type { Context } from './context.ts';
import { pageAnswer, PAGE_DEFAULT, PAGE_MOST } from './page.ts';
import type { CallOptions } from './types.ts';

/** Request keys of older rules may be any text; longer ones than this were never stored. */
const MAX_KEY = 4096;

function entryOf(row: AttemptRow, withContent: boolean): JsonObject {
  const { pdcp_content: content, ...entry } = row;
  return { ...(entry as unknown as JsonObject), ...(withContent ? { pdcp_content: content as JsonValue } : {}) };
}

/** Attempts newest first; `before_sequence` is exclusive. */
export async function getPdcpLog(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const id = reader.uuid('target_file_id');
  const limit = reader.clamped('limit', PAGE_DEFAULT, PAGE_MOST);
  const beforeSequence = reader.integer('before_sequence', null, 1);
  const status = reader.has('status') ? reader.oneOf('status', ['accepted', 'rejected'], null) : null;
  const contentHash = reader.optionalHash('content_hash');
  const clientRequestId = reader.optionalText('client_request_id', MAX_KEY, true);
  const includeContent = reader.flag('include_content', false);
  reader.end();
  if (reader.fault !== null) return { ...invalidArgument(reader.fault), ...EMPTY_PAGE };
  const rows = await readAttempts(context.database, { targetFileId: id, limit, beforeSequence, status, contentHash, clientRequestId, includeContent }, options);
  if (rows === null) return { ...notFound(id), ...EMPTY_PAGE };
  return pageAnswer(id, rows.map((row) => entryOf(row, includeContent)), limit, 'log_sequence', 'newest first');
}
