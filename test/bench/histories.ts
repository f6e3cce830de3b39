import type pg from 'pg';

export interface History {
  target: string;
  format: 'patchdiff-tx/1' | 'patchdiff-tx/3';
  /** Accepted attempts of one change each. */
  attempts: number;
  /** Of each payload. */
  characters: number;
}

// Rows as the procedures leave them, in the real tables with all their indexes, written at once: a million commits one by one
// would take an hour. Hashes are of the right length and of nothing, since a page recomputes none.
const ATTEMPTS = `insert into patchdiff_store.append_only_pdcp_logs (
    target_file_id, log_sequence, pdcp_log_id, created_at, chain_sequence, hash_version, before_version, after_version,
    expected_target_version, editing_cycle, change_count, status, decided_by, validation_stage, before_hash, after_hash,
    pdcp_content_hash, protocol_version, runtime_version, submission_source, client_request_id, request_fingerprint,
    db_session_user, db_application_name, db_client_addr, db_transaction_id, prev_hash, row_hash, actor, pdcp_content)
  select $1::uuid, n, gen_random_uuid(), clock_timestamp(), n + 1, 1, n - 1, n, n - 1, 1, 1, 'accepted', 'runtime', 'accepted', d.digest,
    d.digest, d.digest, $3, 'patchdiff-mvp-0.2.2', 'model_response', 'turn-' || n, d.digest, session_user, 'bench', '127.0.0.1', 1,
    decode(d.digest, 'hex'), decode(d.digest, 'hex'), '{"host":"bench","agent":"bench","session":"bench"}',
    left(repeat(d.digest, $4::integer / 64 + 1), $4::integer)
  from generate_series(1, $2::bigint) as n, lateral (select encode(sha256(n::text::bytea), 'hex') as digest) as d`;
const LEDGER = `insert into patchdiff_store.append_only_manifest_ledger (
    target_file_id, ledger_sequence, log_sequence, ordinal, apply_ordinal, editing_cycle, start_byte, deleted_bytes, inserted_bytes,
    change_id, operation, intent, derived_json)
  select l.target_file_id, l.log_sequence, l.log_sequence, 1, 1, 1, 0, 1, 1, 'chg_001',
    case when l.protocol_version = 'patchdiff-tx/3' then 'replace_all' else 'match' end, 'change marks',
    jsonb_build_object('span_start', 0, 'span_end', 1, 'matched_chars', 1, 'replacement_chars', 1,
      'matched_sha256', l.before_hash, 'replacement_sha256', l.after_hash)
  from patchdiff_store.append_only_pdcp_logs as l where l.target_file_id = $1`;

/** Gives a fresh target a history; the tables are analysed after it. */
export async function fillHistory(admin: pg.Client, { target, format, attempts, characters }: History): Promise<void> {
  await admin.query(ATTEMPTS, [target, attempts, format, characters]);
  await admin.query(LEDGER, [target]);
  await admin.query('update patchdiff_store.target_heads set log_sequence = $2, ledger_sequence = $2 where target_file_id = $1', [
    target,
    attempts,
  ]);
  await admin.query('vacuum analyze patchdiff_store.append_only_pdcp_logs, patchdiff_store.append_only_manifest_ledger');
}

/** Tables in a schema `narrow` with the columns of the pages of one target, payloads left out, each under the index that its page needs. */
export async function makeNarrowTables(admin: pg.Client, target: string): Promise<void> {
  const all = `'${target}', 200`;
  const tables = {
    read_attempts: { source: `select * from patchdiff.read_attempts(${all})`, sequence: 'log_sequence' },
    read_ledger: {
      source: `select '${target}'::uuid as target_file_id, r.* from patchdiff.read_ledger('${target}', true, 200) as r`,
      sequence: 'ledger_sequence',
    },
    attempts: { source: `select * from patchdiff_audit.attempts where target_file_id = '${target}'`, sequence: 'log_sequence' },
    changes: { source: `select * from patchdiff_audit.changes where target_file_id = '${target}'`, sequence: 'ledger_sequence' },
  };
  await admin.query('drop schema if exists narrow cascade');
  await admin.query('create schema narrow');
  for (const [name, { source, sequence }] of Object.entries(tables)) {
    await admin.query(`create table narrow.${name} as ${source}`);
    await admin.query(`create unique index on narrow.${name} (target_file_id, ${sequence})`);
    await admin.query(`vacuum analyze narrow.${name}`);
  }
}
