import type { JsonValue } from '../../transaction/index.ts';
import type { Database, QueryOptions } from '../port.ts';

export interface ReadLedger {
  targetFileId: string;
  includePreviousCycles: boolean;
  limit: number;
  /** Exclusive. */
  beforeSequence: number | null;
}

/** The row of patchdiff.ledger_entry. */
export interface LedgerRow {
  ledger_sequence: number;
  pdcp_log_id: string;
  log_sequence: number;
  ordinal: number;
  apply_ordinal: number;
  change_id: string;
  operation: 'match' | 'span' | 'replace_all';
  intent: string;
  rationale: string | null;
  risk: string | null;
  origin: string;
  derived: JsonValue;
  before_version: number;
  after_version: number;
  editing_cycle: number;
  created_at: string;
  input_state: string | null;
  output_state: string | null;
  affected_region: string | null;
  user_visible_change: string | null;
}

const TEXT = `select *
from patchdiff.read_ledger(
  p_target => $1,
  p_include_previous_cycles => $2,
  p_limit => $3,
  p_before_sequence => $4
)`;

/** The newest eligible entries, oldest first; one row more than the limit, the first one, when there are more. Refused: target_not_found. */
export function readLedger(database: Database, call: ReadLedger, options?: QueryOptions): Promise<LedgerRow[]> {
  const values = [call.targetFileId, call.includePreviousCycles, call.limit, call.beforeSequence];
  return database.query<LedgerRow>({ name: 'read_ledger', text: TEXT, values }, options);
}
