import type { Database, QueryOptions } from '../port.ts';
import { onlyRow } from '../rows.ts';

export interface ObserveScopes {
  targetFileId: string;
  /** The text that was looked at. */
  expectedVersion: number;
  expectedHash: string;
  language: string | null;
  /** JSON text {"name", "version", "sha256"}. */
  grammar: string;
  hasErrors: boolean;
  /** JSON text of an array of {"kind", "name", "qualified_path", "start", "end"}, in code points. */
  scopes: string;
  /** JSON text. */
  actor: string | null;
}

/** A scope with the text that was observed. */
export interface ObservedText {
  scope_id: string;
  kind: string;
  name: string;
  qualified_path: string;
  start: number;
  end: number;
  first_line: number;
  last_line: number;
  sha256: string;
  text: string;
}

/** The row of patchdiff.observe_scopes; everything behind `current_hash` is null unless `observed`. */
export interface ObservationRow {
  outcome: 'observed' | 'stale' | 'diverged' | 'not_found';
  version: number | null;
  current_hash: string | null;
  bundle_id: string | null;
  editing_cycle: number | null;
  created_at: string | null;
  chain_sequence: number | null;
  scopes: ObservedText[] | null;
}

const TEXT = `select *
from patchdiff.observe_scopes(
  p_target => $1,
  p_expected_version => $2,
  p_expected_hash => $3,
  p_language => $4,
  p_grammar => $5,
  p_has_errors => $6,
  p_scopes => $7,
  p_actor => $8
)`;

/** Refused (DatabaseError of kind `refused`): bad_call. */
export async function observeScopes(database: Database, call: ObserveScopes, options?: QueryOptions): Promise<ObservationRow> {
  const { targetFileId, expectedVersion, expectedHash, language, grammar, hasErrors, scopes, actor } = call;
  const values = [targetFileId, expectedVersion, expectedHash, language, grammar, hasErrors, scopes, actor];
  return onlyRow(await database.query<ObservationRow>({ name: 'observe_scopes', text: TEXT, values }, options), 'observe_scopes');
}
