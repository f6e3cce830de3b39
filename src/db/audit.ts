import type { Database } from './port.ts';

/** Something that a verification found, and where. `row_key` names the row. */
export interface FindingRow {
  target_file_id?: string;
  table_name: string;
  row_key: string;
  column_name: string | null;
  problem: string;
}

/** A row of the view patchdiff_audit.changes, as far as people read it. Offsets and lengths are code points. */
export interface ChangeRow {
  ledger_sequence: number;
  created_at: string;
  after_version: number;
  change_id: string;
  operation: string;
  intent: string;
  span_start: number;
  span_end: number;
  matched_chars: number;
  replacement_chars: number;
  actor_host: string | null;
  actor_agent: string | null;
}

/** What the database saw of whoever submitted an attempt, beside what that one claimed. */
export interface WitnessRow {
  db_session_user: string;
  db_application_name: string;
  db_client_addr: string | null;
}

/** A line of a version and who last wrote it; no attempt: the initial upload. The claim is `actor…`, what the database saw is `db_…`. */
export interface BlameRow {
  line_number: number;
  line_text: string;
  written_version: number;
  written_at: string;
  pdcp_log_id: string | null;
  change_id: string | null;
  operation: string | null;
  intent: string | null;
  rationale: string | null;
  actor_host: string | null;
  actor_agent: string | null;
  actor_session: string | null;
  db_session_user: string;
  db_application_name: string;
  db_client_addr: string | null;
}

/** The end of a target's chain: what to note elsewhere. */
export interface ChainHeadRow {
  chain_sequence: number;
  chain_head: string;
}

/** Every fault of one target's history and stored state; empty when all is sound. A noted head makes truncation show. */
export function verifyTarget(
  database: Database,
  target: string,
  noted: { sequence: number; hash: string } | null = null,
): Promise<FindingRow[]> {
  return database.query<FindingRow>({
    name: 'verify_target',
    text: 'select * from patchdiff_audit.verify_target(p_target => $1, p_noted_sequence => $2, p_noted_hash => $3)',
    values: [target, noted?.sequence ?? null, noted?.hash ?? null],
  });
}

/** The same for every target. */
export function verifyAll(database: Database): Promise<FindingRow[]> {
  return database.query<FindingRow>({ name: 'verify_all', text: 'select * from patchdiff_audit.verify_all()', values: [] });
}

/** null for an unknown target. */
export async function chainHead(database: Database, target: string): Promise<ChainHeadRow | null> {
  const [row] = await database.query<ChainHeadRow>({
    name: 'chain_head',
    text: 'select * from patchdiff_audit.chain_head(p_target => $1)',
    values: [target],
  });
  return row ?? null;
}

/** null for an unknown attempt. */
export async function readWitness(database: Database, attempt: string): Promise<WitnessRow | null> {
  const [row] = await database.query<WitnessRow>({
    name: 'audit_witness',
    text: 'select db_session_user, db_application_name, db_client_addr from patchdiff_audit.attempts where pdcp_log_id = $1',
    values: [attempt],
  });
  return row ?? null;
}

const CHANGE_COLUMNS = `ledger_sequence, created_at, after_version, change_id, operation, intent, span_start, span_end,
    matched_chars, replacement_chars, actor_host, actor_agent`;

/** The history of a target as a DBA asks for it; `$1` is the target. */
export const CHANGES_SQL = `select ${CHANGE_COLUMNS}
  from patchdiff_audit.changes
  where target_file_id = $1`;

/** The accepted changes of a target, oldest first; of one attempt when `logSequence` is given. At most 200. */
export function readChanges(database: Database, target: string, logSequence: number | null = null): Promise<ChangeRow[]> {
  return database.query<ChangeRow>({
    name: 'audit_changes',
    text: `${CHANGES_SQL} and log_sequence = coalesce($2, log_sequence) order by ledger_sequence limit 200`,
    values: [target, logSequence],
  });
}

/** The unified diff between two versions that exist; empty when they are equal. */
export async function readDiff(database: Database, target: string, from: number, to: number): Promise<string> {
  const [row] = await database.query<{ diff: string }>({
    name: 'audit_diff',
    text: 'select patchdiff_audit.diff(p_target => $1, p_from => $2, p_to => $3) as diff',
    values: [target, from, to],
  });
  return row?.diff ?? '';
}

/** All accepted changes between two versions that exist, oldest first. */
export function readChangesBetween(database: Database, target: string, from: number, to: number): Promise<ChangeRow[]> {
  return database.query<ChangeRow>({
    name: 'audit_changes_between',
    text: `select ${CHANGE_COLUMNS} from patchdiff_audit.changes_between(p_target => $1, p_from => $2, p_to => $3)`,
    values: [target, from, to],
  });
}

/** Every line of a version that exists, with who last wrote it. */
export function readBlame(database: Database, target: string, version: number): Promise<BlameRow[]> {
  return database.query<BlameRow>({
    name: 'audit_blame',
    text: `select line_number, line_text, written_version, written_at, pdcp_log_id, change_id, operation, intent, rationale, actor_host,
        actor_agent, actor_session, db_session_user, db_application_name, db_client_addr
      from patchdiff_audit.blame(p_target => $1, p_version => $2) order by line_number`,
    values: [target, version],
  });
}
