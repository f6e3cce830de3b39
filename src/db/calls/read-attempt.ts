import type { Database } from '../port.ts';
import type { AttemptRow } from './attempt-entry.ts';

const TEXT = `select *
from patchdiff.read_attempt(p_pdcp_log_id => $1)`;

/** An attempt with its payload. */
type AttemptDetailRow = AttemptRow & { pdcp_content: string };

/** One attempt of any target with its payload; null: no such attempt. */
export async function readAttempt(database: Database, pdcpLogId: string): Promise<AttemptDetailRow | null> {
  const [row] = await database.query<AttemptDetailRow>({ name: 'read_attempt', text: TEXT, values: [pdcpLogId] });
  return row ?? null;
}
