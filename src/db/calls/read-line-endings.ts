import type { EndingRun } from '../../text/index.ts';
import type { Database, QueryOptions } from '../port.ts';

export interface LineEndingsRow {
  /** Null: nothing is recorded line by line. */
  eol_runs: EndingRun[] | null;
  /** The version whose lines they are. */
  eol_version: number | null;
  /** The content of that version when it is older than the one asked about. */
  content: string | null;
}

const TEXT = `select *
from patchdiff.read_line_endings(
  p_target => $1,
  p_version => $2
)`;

/** The recorded endings of each line; null: no such target. Refused: history_diverged. */
export async function readLineEndings(
  database: Database,
  targetFileId: string,
  version: number,
  options?: QueryOptions,
): Promise<LineEndingsRow | null> {
  const [row] = await database.query<LineEndingsRow>({ name: 'read_line_endings', text: TEXT, values: [targetFileId, version] }, options);
  return row ?? null;
}
