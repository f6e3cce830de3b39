import type { Client } from 'pg';

import { commitAttempt } from '../../src/db/calls/commit-attempt.ts';
import type { CommitAttempt, CommitReceiptRow } from '../../src/db/calls/commit-attempt.ts';
import type { Database } from '../../src/db/port.ts';
import { encodeCanonical, prepareSubmission } from '../../src/transaction/index.ts';
import type { Format, JsonObject } from '../../src/transaction/index.ts';
import { sha256 } from '../db/support/attacks.ts';

/** `beta` occurs once, `alpha` twice. */
export const CONTENT = 'alpha beta alpha\n';
export const TAKEN_KEY = 'taken';

/** A target in the state that a case needs. */
export interface Subject {
  id: string;
  content: string;
  version: number;
  hash: string;
}

/** What is sent: a tool's arguments, or a record that no tool can produce and only a direct call can bring. */
export type Sent = { args: JsonObject } | { record: JsonObject };

export async function makeSubject(admin: Client, content: string = CONTENT): Promise<Subject> {
  const { rows } = await admin.query<{ id: string }>(`select target_file_id as id from patchdiff.create_target(null, 'doc', $1)`, [
    content,
  ]);
  return { id: rows[0]?.id ?? '', content, version: 0, hash: sha256(content) };
}

/** Puts another text behind the recorded hash, size and length. */
export async function damage(admin: Client, { id }: Subject, text = 'damaged'): Promise<void> {
  await admin.query('update patchdiff_store.cloud_target_files set current_content = $2 where target_file_id = $1', [id, text]);
}

/** Stores TAKEN_KEY with a rejected attempt; its id. */
export async function takeKey(database: Database, subject: Subject): Promise<string> {
  const args = { target_file_id: subject.id, intent: 'take', expected_target_version: subject.version, client_request_id: TAKEN_KEY };
  const receipt = await commitAttempt(database, callOf({ args: { ...args, edits: [] } }, 'patchdiff-tx/1', subject, { verdict: 'none' }));
  return receipt.pdcp_log_id ?? '';
}

/** A call of the procedure with this claim; by default what was evaluated is the subject's content. */
export function callOf(
  sent: Sent,
  format: Format,
  subject: Subject,
  claim: Pick<CommitAttempt, 'verdict'> & Partial<CommitAttempt>,
): CommitAttempt {
  const call: CommitAttempt = {
    targetFileId: subject.id,
    payload: '',
    clientRequestId: null,
    parent: null,
    attempt: null,
    source: null,
    actor: null,
    baseHash: claim.verdict === 'none' ? null : subject.hash,
    resolvedStarts: null,
    afterHash: null,
    diagnostic: null,
    warnings: null,
    rawMetadata: null,
    ...claim,
  };
  if ('record' in sent) return { ...call, payload: encodeCanonical(sent.record) };
  const { payload, clientRequestId, parent, attempt, source, rawMetadata } = prepareSubmission(format, sent.args);
  return {
    ...call,
    payload,
    clientRequestId,
    parent,
    attempt,
    source,
    rawMetadata: rawMetadata === null ? null : JSON.stringify(rawMetadata),
  };
}

/** Claims a rejection for this reason. */
export const claiming = (reason: string): Pick<CommitAttempt, 'verdict' | 'diagnostic'> => ({
  verdict: 'rejected',
  diagnostic: JSON.stringify({ failure_reason: reason }),
});

export interface StoredAttempt {
  status: string;
  decided_by: string;
  failure_reason: string | null;
  failure_code: string | null;
  failure_detail: string | null;
  failed_change_id: string | null;
  validation_stage: string;
  protocol_version: string;
  before_version: number;
  after_version: number;
  before_hash: string;
  after_hash: string;
  client_request_id: string | null;
  diagnostic: JsonObject | null;
}

export async function storedAttempt(admin: Client, id: unknown): Promise<StoredAttempt | undefined> {
  const { rows } = await admin.query<StoredAttempt>(
    `select a.status, a.decided_by, a.failure_reason, a.failure_code, a.failure_detail, a.failed_change_id, a.validation_stage,
       a.protocol_version, a.before_version::integer, a.after_version::integer, a.before_hash, a.after_hash, a.client_request_id,
       a.diagnostic_json as diagnostic
     from patchdiff_store.append_only_pdcp_logs as a where a.pdcp_log_id = $1`,
    [id],
  );
  return rows[0];
}

/** The target as it lies in the table: what a rejection must leave as it was. */
export async function storedTarget(admin: Client, { id }: Subject): Promise<unknown> {
  const { rows } = await admin.query(
    `select t.version::integer, t.current_hash, md5(t.current_content) as digest, t.content_bytes::integer, t.content_chars::integer
     from patchdiff_store.cloud_target_files as t where t.target_file_id = $1`,
    [id],
  );
  return rows[0];
}

export type { CommitReceiptRow };
