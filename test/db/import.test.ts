import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.ts';
import { sha256 } from './support/attacks.ts';
import { importAttempt, refusalOf } from './support/imports.ts';
import { importOldHistory, KEYS } from './support/old-history.ts';
import type { OldHistory } from './support/old-history.ts';

const database = useDatabase();
let admin: pg.Client;
let owner: pg.Client;
let old: OldHistory;

beforeAll(async () => {
  [admin, owner] = await Promise.all([database.client('admin'), database.client('owner')]);
  old = await importOldHistory(owner);
});

const findings = async (client: pg.Client = admin): Promise<string[]> => {
  const { rows } = await client.query<{ found: string }>(
    `select concat_ws(' | ', f.table_name, f.row_key, f.column_name) as found from patchdiff_audit.verify_target($1) as f`,
    [old.target],
  );
  return rows.map(({ found }) => found);
};

describe('a history of every profile, brought in', () => {
  test('is the stored content, and every version of it is rebuilt', async () => {
    const { rows } = await admin.query<Record<string, unknown>>(
      `select t.version::integer, t.current_hash, t.content_bytes, t.content_chars, h.accepted_version::integer, h.accepted_hash
       from patchdiff_store.cloud_target_files as t join patchdiff_store.target_heads as h using (target_file_id) where target_file_id = $1`,
      [old.target],
    );
    const last = old.versions.at(-1) ?? '';
    expect(rows[0]).toEqual({
      version: old.versions.length - 1,
      current_hash: sha256(last),
      content_bytes: Buffer.byteLength(last),
      content_chars: [...last].length,
      accepted_version: old.versions.length - 1,
      accepted_hash: sha256(last),
    });
    for (const [version, content] of old.versions.entries()) {
      const rebuilt = await admin.query<{ text: string }>('select patchdiff_audit.reconstruct($1, $2) as text', [old.target, version]);
      expect(rebuilt.rows[0]?.text === content).toBe(true);
    }
  });

  test('verifies', async () => {
    expect(await findings()).toEqual([]);
  });

  test('keeps what was recorded, byte for byte', async () => {
    const { rows } = await admin.query<Record<string, unknown>>(
      `select l.pdcp_log_id, l.pdcp_content, l.created_at = ($2::timestamptz[])[l.log_sequence] as at_its_time, l.client_request_id,
         l.protocol_version, l.runtime_version, l.status, l.decided_by
       from patchdiff_store.append_only_pdcp_logs as l where l.target_file_id = $1 order by l.log_sequence`,
      [old.target, old.calls.map((call) => call['created_at'])],
    );
    expect(rows).toHaveLength(old.calls.length);
    for (const [place, call] of old.calls.entries()) {
      const { pdcp_content: payload, ...row } = rows[place] as { pdcp_content: string };
      expect(payload === call['payload']).toBe(true);
      expect(row).toEqual({
        pdcp_log_id: call['pdcp_log_id'],
        at_its_time: true,
        client_request_id: call['client_request_id'] ?? null,
        protocol_version: call['protocol_version'],
        runtime_version: call['runtime_version'],
        status: call['status'],
        decided_by: call['decided_by'] ?? 'runtime',
      });
    }
  });

  test('shows in the audit views, with who brought it in', async () => {
    const { rows } = await admin.query(
      `select a.log_sequence::integer, a.submission_source, a.regeneration_source, a.regeneration_attempt, a.actor_agent, a.diagnostic,
         a.warnings::text, a.imported_at > now() - interval '1 hour' as was_just_imported, a.db_session_user = $2 as by_the_importer
       from patchdiff_audit.attempts as a where a.target_file_id = $1 and a.log_sequence in (1, 3) order by a.log_sequence`,
      [old.target, (await owner.query<{ name: string }>('select session_user as name')).rows[0]?.name],
    );
    const marks = { was_just_imported: true, by_the_importer: true, diagnostic: null };
    const none = { regeneration_source: null, regeneration_attempt: null, actor_agent: null, warnings: null };
    expect(rows).toEqual([
      { log_sequence: 1, submission_source: 'first host', ...none, ...marks },
      {
        log_sequence: 3,
        submission_source: 'old host',
        regeneration_source: 'first host',
        regeneration_attempt: 2,
        actor_agent: 'robot',
        warnings: '[]',
        ...marks,
      },
    ]);
    const changes = await admin.query(
      `select c.change_id, c.operation, c.span_start, c.span_end from patchdiff_audit.changes as c where c.target_file_id = $1 and c.ledger_sequence = 1`,
      [old.target],
    );
    expect(changes.rows).toEqual([{ change_id: ' any\r\n id', operation: 'match', span_start: 0, span_end: 2 }]);
    const retries = await admin.query('select depth, log_sequence::integer from patchdiff_audit.retry_tree($1)', [old.calls[0]?.['pdcp_log_id']]);
    expect(retries.rows).toEqual([
      { depth: 0, log_sequence: 1 },
      { depth: 1, log_sequence: 3 },
    ]);
  });

  test('registers every key, the unprinted one without a fingerprint', async () => {
    const { rows } = await admin.query<{ key: string; printed: boolean }>(
      `select k.client_request_id as key, k.request_fingerprint is not null as printed from patchdiff_store.request_keys as k
       where k.target_file_id = $1 order by k.log_sequence`,
      [old.target],
    );
    expect(rows).toEqual([
      { key: KEYS.rejected, printed: true },
      { key: KEYS.accepted, printed: true },
      { key: KEYS.long, printed: true },
      { key: KEYS.bare, printed: false },
    ]);
  });

  test.each<[edit: string, found: string]>([
    [`imported_at = imported_at - interval '1 microsecond' where log_sequence = 3`, 'log_sequence=3 | row_hash'],
    [`hash_version = 1, imported_at = null where log_sequence = 3`, 'log_sequence=3 | row_hash'],
    [`created_at = created_at + interval '1 microsecond' where log_sequence = 1`, 'log_sequence=1 | row_hash'],
    [`db_session_user = 'somebody' where log_sequence = 4`, 'log_sequence=4 | row_hash'],
    [`runtime_version = 'patchdiff-mvp-0.2.2' where log_sequence = 3`, 'log_sequence=3 | row_hash'],
    [`client_request_id = 'other' where log_sequence = 3`, 'log_sequence=3 | client_request_id'],
    [`request_fingerprint = null where log_sequence = 3`, 'log_sequence=3 | row_hash'],
    [`pdcp_content = replace(pdcp_content, 'aa', 'ab') where log_sequence = 3`, 'log_sequence=3 | pdcp_content_hash'],
    [`pdcp_content = pdcp_content || ' ' where log_sequence = 2`, 'log_sequence=2 | pdcp_content_hash'],
    [`after_hash = repeat('0', 64) where log_sequence = 5`, 'log_sequence=5 | after_hash'],
  ])('is found out when edited: %s', async (edit, found) => {
    await admin.query('begin');
    try {
      await admin.query(`select patchdiff_guard.guard_ddl(false)`);
      await admin.query('alter table patchdiff_store.append_only_pdcp_logs disable trigger all');
      await admin.query(`update patchdiff_store.append_only_pdcp_logs set ${edit}`);
      expect(await findings()).toContain(`append_only_pdcp_logs | ${found}`);
    } finally {
      await admin.query('rollback');
    }
  });

  test('a splice of it that is moved is found out against the content', async () => {
    await admin.query('begin');
    try {
      await admin.query(`select patchdiff_guard.guard_ddl(false)`);
      await admin.query('alter table patchdiff_store.append_only_manifest_ledger disable trigger all');
      await admin.query('update patchdiff_store.append_only_manifest_ledger set start_byte = 1 where ledger_sequence = 1');
      expect(await findings()).toContain('append_only_manifest_ledger | ledger_sequence=1 | derived_json');
    } finally {
      await admin.query('rollback');
    }
  });
});

describe('the call', () => {
  const next = (): Parameters<typeof importAttempt>[1] => {
    const content = old.versions.at(-1) ?? '';
    return { ...(old.calls[0] as { target: string }), ...at(content), pdcp_log_id: crypto.randomUUID(), created_at: '2023-02-01', client_request_id: null };
  };
  const at = (content: string) => ({ before_version: old.versions.length - 1, before_hash: sha256(content) });

  test('waits for whoever holds the target, and then judges what is there', async () => {
    const [holder, waiter] = await Promise.all([database.client('owner'), database.client('owner')]);
    const { rows } = await waiter.query<{ pid: number }>('select pg_backend_pid() as pid');
    await holder.query('begin');
    await importAttempt(holder, { ...next(), created_at: '2023-02-03' });
    const waiting = refusalOf(importAttempt(waiter, { ...next(), created_at: '2023-02-02' }));
    const isWaiting = async (): Promise<boolean> =>
      (
        await admin.query<{ event: string | null }>(`select wait_event_type as event from pg_stat_activity where pid = $1 and state = 'active'`, [
          rows[0]?.pid,
        ])
      ).rows[0]?.event === 'Lock';
    while (!(await isWaiting())) await sleep(5);
    await holder.query('commit');
    expect(await waiting).toMatchObject({ code: 'PD111', detail: { rule: 'the attempt before it is later' } });
  });

  test('leaves nothing behind when it refuses', async () => {
    const count = async (): Promise<unknown[]> => (await admin.query<Record<string, unknown>>('select * from patchdiff_audit.chain_head($1)', [old.target])).rows;
    const before = await count();
    await refusalOf(importAttempt(owner, { ...next(), created_at: '2023-02-04', before_hash: sha256('?') }));
    expect(await count()).toEqual(before);
    expect(await findings()).toEqual([]);
  });

  test('refuses a target whose content is not what its history says', async () => {
    const { target } = (await importOldHistory(owner)) as { target: string };
    await admin.query(`update patchdiff_store.cloud_target_files set current_content = current_content || 'x' where target_file_id = $1`, [target]);
    const content = old.versions.at(-1) ?? '';
    const payload = `{"expected_current_hash":null,"expected_target_version":${String(old.versions.length - 1)},"format":"patchdiff-tx/3","intent":"i","operations":[{"op":"replace_all","replace":"y"}],"target_file_id":"${target}"}`;
    const call = {
      ...{ target, pdcp_log_id: crypto.randomUUID(), created_at: '2024-01-01', status: 'accepted' },
      ...{ protocol_version: 'patchdiff-tx/3', runtime_version: 'patchdiff-mvp-0.4.0', payload, payload_hash: sha256(payload), ...at(content) },
      ...{ after_version: old.versions.length, after_hash: sha256('y') },
    };
    expect(await refusalOf(importAttempt(owner, call))).toMatchObject({ code: 'PD106', detail: { target_file_id: target } });
  });
});
