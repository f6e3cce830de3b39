import type { AttemptRow } from '../../db/calls/attempt-entry.ts';
import { readAttempts } from '../../db/calls/read-attempts.ts';
import type { ReadAttempts } from '../../db/calls/read-attempts.ts';
import { utf8Length } from '../../text/index.ts';
import type { JsonObject } from '../../transaction/index.ts';
import { invalidArgument, notFound, withoutPage } from '../common/answers.ts';
import { ArgumentReader } from '../common/arguments.ts';
import type { Context } from '../common/context.ts';
import { pageAnswer, PAGE_DEFAULT, PAGE_MOST } from '../common/page.ts';
import type { CallOptions } from '../common/types.ts';
import { unlessUnknown } from '../common/unknown-target.ts';

/** Request keys of older rules may be any text of at most this many bytes of UTF-8, so no more units either. */
const MAX_KEY = 8192;
/** Bytes of payloads after which a page with contents ends early. */
const CONTENT_BUDGET = 1024 * 1024;
/** Rows a statement while payloads (up to 4 MiB each) are read. */
const CONTENT_ROWS = 10;

function entryOf(row: AttemptRow, withContent: boolean): JsonObject {
  return {
    pdcp_log_id: row.pdcp_log_id,
    log_sequence: row.log_sequence,
    status: row.status,
    decided_by: row.decided_by,
    validation_stage: row.validation_stage,
    failure_reason: row.failure_reason,
    failure_code: row.failure_code,
    failure_detail: row.failure_detail,
    failed_change_id: row.failed_change_id,
    before_hash: row.before_hash,
    after_hash: row.after_hash,
    before_version: row.before_version,
    after_version: row.after_version,
    pdcp_content_hash: row.pdcp_content_hash,
    protocol_version: row.protocol_version,
    runtime_version: row.runtime_version,
    submission_source: row.submission_source,
    parent_pdcp_log_id: row.parent_pdcp_log_id,
    regeneration_attempt: row.regeneration_attempt,
    regeneration_source: row.regeneration_source,
    client_request_id: row.client_request_id,
    request_fingerprint: row.request_fingerprint,
    editing_cycle: row.editing_cycle,
    actor: row.actor,
    diagnostic: row.diagnostic,
    warnings: row.warnings,
    created_at: row.created_at,
    ...(withContent ? { pdcp_content: row.pdcp_content } : {}),
  };
}

/** The page's rows, and whether more exist. With payloads it is read in pieces and ends once the budget is used up, never empty. */
async function pageOf(context: Context, call: ReadAttempts, options: CallOptions): Promise<{ rows: AttemptRow[]; hasMore: boolean }> {
  const rows: AttemptRow[] = [];
  let bytes = 0;
  let beforeSequence = call.beforeSequence;
  for (;;) {
    const limit = call.includeContent ? Math.min(CONTENT_ROWS, call.limit - rows.length) : call.limit;
    const piece = await readAttempts(context.database, { ...call, limit, beforeSequence }, options);
    for (const row of piece.slice(0, limit)) {
      const size = row.pdcp_content === null ? 0 : utf8Length(row.pdcp_content);
      if (rows.length > 0 && bytes + size > CONTENT_BUDGET) return { rows, hasMore: true };
      rows.push(row);
      bytes += size;
    }
    const more = piece.length > limit;
    if (!more || rows.length >= call.limit) return { rows, hasMore: more };
    beforeSequence = rows.at(-1)?.log_sequence ?? null;
  }
}

/** Attempts newest first; `before_sequence` is exclusive. */
export async function getPdcpLog(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const call: ReadAttempts = {
    targetFileId: reader.uuid('target_file_id'),
    limit: reader.clamped('limit', PAGE_DEFAULT, PAGE_MOST),
    beforeSequence: reader.integer('before_sequence', null, 1),
    status: reader.has('status') ? reader.oneOf('status', ['accepted', 'rejected'] as const, null) : null,
    contentHash: reader.optionalHash('content_hash'),
    clientRequestId: reader.optionalText('client_request_id', MAX_KEY, true),
    includeContent: reader.flag('include_content', false),
  };
  reader.end();
  if (reader.fault !== null) return withoutPage(invalidArgument(reader.fault));
  const page = await unlessUnknown(pageOf(context, call, options));
  if (page === null) return withoutPage(notFound(call.targetFileId));
  const entries = page.rows.map((row) => entryOf(row, call.includeContent));
  return pageAnswer(call.targetFileId, entries, page.hasMore ? (page.rows.at(-1)?.log_sequence ?? null) : null);
}
