import type pg from 'pg';
import type { ChangeFact } from '../../src/transaction/index.ts';

/** What the blind writers are given: everything computed beforehand, nothing checked. */
export interface Writes {
  targetFileId: string;
  content: string;
  contentChars: number;
  hash: string;
  beforeHash: string;
  version: number;
  sequence: number;
  ledgerSequence: number;
  payload: string;
  payloadHash: string;
  key: string;
  facts: readonly ChangeFact[];
  startBytes: readonly number[];
}

const ACTOR = '{"host":"bench","agent":"bench","session":"bench"}';
const DIGEST = Buffer.alloc(32, 7);

const UPDATE = `update patchdiff_store.cloud_target_files
  set current_content = $2, current_hash = $3, version = $4::bigint + 1, content_bytes = octet_length($2::text), content_chars = $5,
      updated_at = clock_timestamp()
  where target_file_id = $1`;
const HEAD = `update patchdiff_store.target_heads
  set log_sequence = $6, ledger_sequence = $7::bigint + $8::integer, chain_sequence = $6::bigint + 1, chain_head = $9,
      accepted_version = $4::bigint + 1, accepted_hash = $3
  where target_file_id = $1`;
const ATTEMPT = `insert into patchdiff_store.append_only_pdcp_logs (
    target_file_id, log_sequence, pdcp_log_id, created_at, chain_sequence, hash_version, before_version, after_version,
    expected_target_version, editing_cycle, change_count, status, decided_by, validation_stage, before_hash, after_hash,
    pdcp_content_hash, protocol_version, runtime_version, submission_source, client_request_id, request_fingerprint,
    db_session_user, db_application_name, db_client_addr, db_transaction_id, prev_hash, row_hash, actor, pdcp_content)
  values ($1, $6, gen_random_uuid(), clock_timestamp(), $6::bigint + 1, 1, $4, $4::bigint + 1, $4, 1, $8, 'accepted', 'runtime',
    'accepted', $10, $3, $11::text, 'patchdiff-tx/1', 'patchdiff-mvp-0.2.2', 'model_response', $12, $11::text, session_user, 'bench',
    '127.0.0.1', 1, $9, $9, $13, $14)`;
const KEY = `insert into patchdiff_store.request_keys
    (target_file_id, client_request_id, kind, request_fingerprint, log_sequence, created_at)
  values ($1, $12, 'submission', $11::text, $6, clock_timestamp())`;
const LEDGER = `insert into patchdiff_store.append_only_manifest_ledger (
    target_file_id, ledger_sequence, log_sequence, ordinal, apply_ordinal, editing_cycle, start_byte, deleted_bytes,
    inserted_bytes, change_id, operation, intent, derived_json)
  select $1, $7::bigint + c.ordinal, $6, c.ordinal, c.ordinal, 1, c.start_byte, c.deleted, c.inserted, c.change_id, 'match',
    'change marks', c.derived
  from unnest($15::text[], $16::integer[], $17::integer[], $18::integer[], $19::jsonb[])
    with ordinality as c(change_id, start_byte, deleted, inserted, derived, ordinal)`;

// Rows of other tables are written in the statement's order of dependency by its own snapshot; the foreign key of the
// ledger is checked at the end of the statement, when the attempt is there.
const STATEMENT = `with changed as (${UPDATE} returning 1), head as (${HEAD} returning 1), attempt as (${ATTEMPT} returning 1),
  remembered as (${KEY} returning 1)
${LEDGER}`;

function valuesOf(writes: Writes): unknown[] {
  const { facts } = writes;
  const derived = facts.map(({ span_start, span_end, matched_chars, replacement_chars, matched_sha256, replacement_sha256 }) =>
    JSON.stringify({ span_start, span_end, matched_chars, replacement_chars, matched_sha256, replacement_sha256 }),
  );
  return [
    writes.targetFileId,
    writes.content,
    writes.hash,
    writes.version,
    writes.contentChars,
    writes.sequence,
    writes.ledgerSequence,
    facts.length,
    DIGEST,
    writes.beforeHash,
    writes.payloadHash,
    writes.key,
    ACTOR,
    writes.payload,
    facts.map((fact) => fact.change_id),
    writes.startBytes,
    facts.map((fact) => fact.matched_chars),
    facts.map((fact) => fact.replacement_chars),
    derived,
  ];
}

/** The floor: one prepared statement that does the same writes on the same tables, the full content on the wire, no check at all. */
export async function writeBlindly(client: pg.Client, writes: Writes): Promise<void> {
  await client.query({ name: 'floor', text: STATEMENT, values: valuesOf(writes) });
}

/** What an ordinary service does: BEGIN, three statements, COMMIT; five round trips. */
export async function writeInTransaction(client: pg.Client, writes: Writes): Promise<void> {
  const values = valuesOf(writes);
  const pick = (...numbers: number[]): unknown[] => numbers.map((number) => values[number - 1]);
  await client.query('begin');
  await client.query({
    name: 'plain_update',
    text: `with changed as (${UPDATE} returning 1) ${HEAD}`,
    values: pick(1, 2, 3, 4, 5, 6, 7, 8, 9),
  });
  await client.query({
    name: 'plain_attempt',
    text: `with attempt as (${renumber(ATTEMPT, [1, 3, 4, 6, 8, 9, 10, 11, 12, 13, 14])} returning 1) ${renumber(KEY, [1, 3, 4, 6, 8, 9, 10, 11, 12, 13, 14])}`,
    values: pick(1, 3, 4, 6, 8, 9, 10, 11, 12, 13, 14),
  });
  await client.query({
    name: 'plain_ledger',
    text: renumber(LEDGER, [1, 6, 7, 15, 16, 17, 18, 19]),
    values: pick(1, 6, 7, 15, 16, 17, 18, 19),
  });
  await client.query('commit');
}

/** The same text with its parameters numbered by their place in `used`. */
function renumber(text: string, used: readonly number[]): string {
  return text.replaceAll(/\$(\d+)/g, (_, number: string) => `$${used.indexOf(Number(number)) + 1}`);
}
