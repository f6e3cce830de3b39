import type { Database, QueryOptions } from '../port.ts';
import type { AttemptRow } from './attempt-entry.ts';

const TEXT = `select *
from patchdiff.read_attempt(p_pdcp_log_id => $1)`;

/** One attempt of any target with its payload; null: no such attempt. */
export async function readAttempt(database: Database, pdcpLogId: string, options?: QueryOptions): Promise<AttemptRow | null> {
  const [row] = await database.query<AttemptRow>({ name: 'read_attempt', text: TEXT, values: [pdcpLogId] }, options);
  return row ?? null;
}
