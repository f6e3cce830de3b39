import { readLedger } from '../../db/calls/read-ledger.ts';
import type { LedgerRow, ReadLedger } from '../../db/calls/read-ledger.ts';
import type { JsonObject } from '../../transaction/index.ts';
import { invalidArgument, notFound, withoutPage } from '../common/answers.ts';
import { ArgumentReader } from '../common/arguments.ts';
import type { Context } from '../common/context.ts';
import { pageAnswer, PAGE_DEFAULT, PAGE_MOST } from '../common/page.ts';
import type { CallOptions } from '../common/types.ts';
import { unlessUnknown } from '../common/unknown-target.ts';

function entryOf(row: LedgerRow): JsonObject {
  return {
    ledger_sequence: row.ledger_sequence,
    pdcp_log_id: row.pdcp_log_id,
    ordinal: row.ordinal,
    apply_ordinal: row.apply_ordinal,
    change_id: row.change_id,
    operation: row.operation,
    intent: row.intent,
    rationale: row.rationale,
    risk: row.risk,
    origin: row.origin,
    derived: row.derived,
    before_version: row.before_version,
    after_version: row.after_version,
    editing_cycle: row.editing_cycle,
    created_at: row.created_at,
    input_state: row.input_state,
    output_state: row.output_state,
    affected_region: row.affected_region,
    user_visible_change: row.user_visible_change,
  };
}

/** The newest eligible changes, shown oldest first; `before_sequence` is exclusive. */
export async function getManifestLedger(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const call: ReadLedger = {
    targetFileId: reader.uuid('target_file_id'),
    includePreviousCycles: reader.flag('include_previous_cycles', false),
    limit: reader.clamped('limit', PAGE_DEFAULT, PAGE_MOST),
    beforeSequence: reader.integer('before_sequence', null, 1),
  };
  reader.end();
  if (reader.fault !== null) return withoutPage(invalidArgument(reader.fault));
  const rows = await unlessUnknown(readLedger(context.database, call, options));
  if (rows === null) return withoutPage(notFound(call.targetFileId));
  const hasMore = rows.length > call.limit;
  const page = hasMore ? rows.slice(rows.length - call.limit) : rows;
  return pageAnswer(call.targetFileId, page.map(entryOf), hasMore ? (page[0]?.ledger_sequence ?? null) : null);
}
