import type pg from 'pg';
import type { CommitAttempt } from '../../../src/db/calls/commit-attempt.ts';
import type { BundleFormat, Format, Submission } from '../../../src/transaction/index.ts';

/** A submission as a caller without a runtime sends it: nothing evaluated, nothing claimed. */
export function bareCall(submission: Submission<BundleFormat | Format>, targetFileId: string, changes: Partial<CommitAttempt> = {}): CommitAttempt {
  return {
    targetFileId,
    payload: submission.payload,
    clientRequestId: submission.clientRequestId,
    parent: submission.parent,
    attempt: submission.attempt,
    source: submission.source,
    actor: null,
    baseHash: null,
    verdict: 'none',
    resolvedStarts: null,
    afterHash: null,
    diagnostic: null,
    warnings: null,
    rawMetadata: submission.rawMetadata === null ? null : JSON.stringify(submission.rawMetadata),
    ...changes,
  };
}

/** A row of the log, JSON as the text that is stored. */
export interface LogRow {
  log_sequence: number;
  status: string;
  failure_code: string | null;
  client_request_id: string | null;
  request_fingerprint: string | null;
  pdcp_content: string;
  diagnostic: string | null;
  [column: string]: unknown;
}

/** Every row of a target's log, oldest first. */
export async function logOf(admin: pg.Client | pg.Pool, id: string): Promise<LogRow[]> {
  const { rows } = await admin.query<LogRow>(
    `select l.*, l.log_sequence::integer as log_sequence, l.diagnostic_json::text as diagnostic
     from patchdiff_store.append_only_pdcp_logs as l where l.target_file_id = $1 order by l.log_sequence`,
    [id],
  );
  return rows;
}

/** What verify_target has to say; empty when nothing. */
export async function findingsOf(admin: pg.Client | pg.Pool, id: string): Promise<unknown[]> {
  return (await admin.query<Record<string, unknown>>('select * from patchdiff_audit.verify_target($1)', [id])).rows;
}
