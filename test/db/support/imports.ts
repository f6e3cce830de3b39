import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { encodeCanonical } from '../../../src/transaction/index.ts';
import type { JsonObject } from '../../../src/transaction/index.ts';
import { sha256 } from './attacks.ts';

/** The arguments of patchdiff_store.import_attempt, by name without `p_`; what is absent takes the routine's default. */
export type ImportCall = Record<string, unknown> & { target: string };

/** The row that import_attempt answers, as far as tests look at it. */
export interface ImportedRow {
  pdcp_log_id: string;
  log_sequence: string;
  status: string;
  request_fingerprint: string | null;
  parent_pdcp_log_id: string | null;
  regeneration_source: string | null;
  expected_target_version: string | null;
  created_at: Date;
}

/** A refusal of the database: SQLSTATE, and the DETAIL object of ours. */
export interface Refusal {
  code: string;
  detail: Record<string, unknown>;
  hint: string;
}

/** Calls import_attempt by name. Throws what the driver throws. */
export async function importAttempt(client: pg.Client | pg.Pool, call: ImportCall): Promise<ImportedRow> {
  const names = Object.keys(call);
  const { rows } = await client.query<ImportedRow>(
    `select * from patchdiff_store.import_attempt(${names.map((name, at) => `p_${name} => $${String(at + 1)}`).join(', ')})`,
    Object.values(call),
  );
  return rows[0] as ImportedRow;
}

/** The refusal that the call must meet. */
export async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  try {
    await work;
  } catch (error) {
    const { code, detail, hint } = error as { code?: string; detail?: string; hint?: string };
    if (code?.startsWith('PD') !== true) throw error;
    return { code, detail: JSON.parse(detail ?? '{}') as Record<string, unknown>, hint: hint ?? '' };
  }
  throw new Error('the call was not refused');
}

/** An accepted attempt on a text: everything that import_attempt demands, consistent. */
export function acceptedCall(
  at: { target: string; content: string; version: number },
  [protocol, runtime]: readonly [string, string],
  record: JsonObject,
  after: string,
  more: Record<string, unknown> = {},
): ImportCall {
  const payload = encodeCanonical(record);
  return {
    target: at.target,
    pdcp_log_id: randomUUID(),
    created_at: '2024-03-01T10:00:00Z',
    status: 'accepted',
    protocol_version: protocol,
    runtime_version: runtime,
    payload,
    payload_hash: sha256(payload),
    before_version: at.version,
    before_hash: sha256(at.content),
    after_version: at.version + 1,
    after_hash: sha256(after),
    ...more,
  };
}

/** A rejected attempt on a text. */
export function rejectedCall(
  at: { target: string; content: string; version: number },
  [protocol, runtime]: readonly [string, string],
  payload: string,
  [stage, reason, code]: readonly [string, string, string | null],
  more: Record<string, unknown> = {},
): ImportCall {
  return {
    target: at.target,
    pdcp_log_id: randomUUID(),
    created_at: '2024-03-01T10:00:00Z',
    status: 'rejected',
    protocol_version: protocol,
    runtime_version: runtime,
    payload,
    payload_hash: sha256(payload),
    before_version: at.version,
    before_hash: sha256(at.content),
    validation_stage: stage,
    failure_reason: reason,
    failure_code: code,
    ...more,
  };
}
