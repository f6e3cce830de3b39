import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockHistory } from '../../src/db/calls/lock-history.ts';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/port.ts';
import { createService } from '../../src/service/index.ts';
import type { Service } from '../../src/service/index.ts';
import { replay } from '../../src/transaction/index.ts';
import type { AcceptedAttempt } from '../../src/transaction/index.ts';
import { sha256 } from '../db/support/attacks.ts';
import { useDatabase } from '../helpers/database.ts';
import { startCountingProxy } from './support/counting-proxy.ts';
import type { CountingProxy } from './support/counting-proxy.ts';

const server = useDatabase();
const ATTEMPTS = 10_000;
const TARGET = '0190a000-0000-7000-8000-0000000000cc';
const FILLER = 'déjà vu 漢字\n'.repeat(60);
let proxy: CountingProxy;
let database: Database;
let service: Service;

/** Turn by turn a tx/1, a tx/2 and a tx/3 of the recorded past, and between every ten of them a rejection. */
const HISTORY = `
  with attempts as (
    select
      v,
      v + (v - 1) / 10 as sequence,
      'v' || lpad((v - 1)::text, 6, '0') || e'\\n' || $2 as before,
      'v' || lpad(v::text, 6, '0') || e'\\n' || $2 as after,
      (array['patchdiff-tx/1', 'patchdiff-tx/2', 'patchdiff-tx/3'])[1 + v % 3] as format,
      (array['patchdiff-mvp-0.2.0', 'patchdiff-mvp-0.3.0', 'patchdiff-mvp-0.4.0'])[1 + v % 3] as runtime
    from generate_series(1, $3::integer) as v
  ),
  payloads as (
    select a.*, '{' || case v % 3
        when 0 then format('"edits":[{"match":"v%s","replace":"v%s"}],', lpad((v - 1)::text, 6, '0'), lpad(v::text, 6, '0'))
        else '' end
      || format('"expected_current_hash":null,"expected_target_version":%s,"format":"%s","intent":"i",', v - 1, a.format)
      || case v % 3
        when 1 then format('"operations":[{"end":7,"expected_text":"v%s","op":"span","replace":"v%s","start":0}],', lpad((v - 1)::text, 6, '0'), lpad(v::text, 6, '0'))
        when 2 then '"operations":[{"op":"replace_all","replace":' || to_json(a.after) || '}],'
        else '' end
      || format('"target_file_id":"%s"}', $1::uuid) as payload
    from attempts as a
  ),
  appended as (
    insert into patchdiff_store.append_only_pdcp_logs (
      target_file_id, log_sequence, pdcp_log_id, created_at, chain_sequence, hash_version, before_version, after_version, editing_cycle,
      change_count, status, decided_by, failure_reason, validation_stage, before_hash, after_hash, pdcp_content_hash, protocol_version,
      runtime_version, db_session_user, db_application_name, db_transaction_id, prev_hash, row_hash, pdcp_content
    )
    select
      $1::uuid, r.sequence, gen_random_uuid(), now(), 1 + r.sequence, 1, r.version, r.version + (r.reason is null)::integer, 1, 0,
      case when r.reason is null then 'accepted' else 'rejected' end, 'runtime', r.reason, r.stage, r.before_hash, r.after_hash,
      encode(sha256(convert_to(r.payload, 'UTF8')), 'hex'), r.format, r.runtime, 'x', 'x', 1, '', '', r.payload
    from (
      select p.sequence, p.v - 1 as version, null as reason, 'accepted' as stage, p.format, p.runtime, p.payload,
        encode(sha256(convert_to(p.before, 'UTF8')), 'hex') as before_hash, encode(sha256(convert_to(p.after, 'UTF8')), 'hex') as after_hash
      from payloads as p
      union all
      select p.sequence + 1, p.v, 'match_absent', 'transaction_applicability', p.format, p.runtime, p.payload,
        encode(sha256(convert_to(p.after, 'UTF8')), 'hex'), encode(sha256(convert_to(p.after, 'UTF8')), 'hex')
      from payloads as p where p.v % 10 = 0
    ) as r
  )
  update patchdiff_store.cloud_target_files as t
  set version = a.v, current_content = a.after, current_hash = encode(sha256(convert_to(a.after, 'UTF8')), 'hex')
  from attempts as a
  where t.target_file_id = $1::uuid and a.v = $3::integer`;

beforeAll(async () => {
  const admin = await server.client('admin');
  await admin.query(`select patchdiff.create_target($1, 'long', e'v000000\\n' || $2)`, [TARGET, FILLER]);
  await admin.query(HISTORY, [TARGET, FILLER, ATTEMPTS]);
  proxy = await startCountingProxy(server.url());
  database = openDatabase({ connectionString: proxy.url, max: 1 });
  service = createService({ database, actor: null });
}, 120_000);
afterAll(async () => {
  await database.close();
  await proxy.close();
});

/** Statements and bytes of one replay up to a version. */
async function cost(version: number): Promise<{ statements: number; bytes: number }> {
  await service.listTargets({});
  proxy.takeStatements();
  proxy.takeBytes();
  expect(await service.replayTarget({ target_file_id: TARGET, up_to_version: version })).toMatchObject({
    status: 'success',
    steps: version,
    reconstructed_version: version,
    first_failing_step: null,
  });
  return { statements: proxy.takeStatements(), bytes: proxy.takeBytes().received };
}

describe(`a history of ${ATTEMPTS.toLocaleString('en')} attempts`, () => {
  test('is read page by page, each row once: statements and bytes grow with the attempts, not faster', { timeout: 120_000 }, async () => {
    const first = await cost(ATTEMPTS / 4);
    const whole = await cost(ATTEMPTS);
    // Begin, read_target and commit beside a page of 50 each.
    expect(first.statements).toBe(3 + ATTEMPTS / 4 / 50);
    expect(whole.statements).toBe(3 + ATTEMPTS / 50);
    expect(whole.bytes / first.bytes).toBeGreaterThan(3.7);
    expect(whole.bytes / first.bytes).toBeLessThan(4.05);
    expect(await service.replayTarget({ target_file_id: TARGET })).toMatchObject({ materialized_state_matches: true, steps: ATTEMPTS });
  });

  test('hashes each text once: payload, changes and the document after each attempt', { timeout: 120_000 }, async () => {
    const rows = await database.transaction(async (bound) => {
      const all = await lockHistory(bound, TARGET, 0, 200);
      while (all.length < 2001) all.push(...(await lockHistory(bound, TARGET, all.at(-1)?.log_sequence ?? 0, 200)).slice(0, 200));
      return all;
    });
    const [initial, ...attempts] = rows;
    if (initial === undefined) throw new Error('no history');
    let hashed = 0;
    const counting = (text: string): string => {
      hashed += text.length;
      return sha256(text);
    };
    const hashedBy = (count: number): number => {
      hashed = 0;
      const start = { target_file_id: TARGET, content: initial.content, content_hash: initial.content_hash };
      const steps = attempts.slice(0, count).map((row) => ({ ...row, pdcp_content: row.content, pdcp_content_hash: row.content_hash }));
      expect(replay(start, steps as unknown as AcceptedAttempt[], null, TARGET, counting)).toMatchObject({
        status: 'success',
        steps: count,
      });
      return hashed;
    };
    const document = initial.content.length;
    const perAttempt = (count: number): number => (hashedBy(count) - document) / count;
    const payload = attempts.slice(0, 1500).reduce((sum, row) => sum + row.content.length, 0) / 1500;
    // A whole-document replacement hashes what it replaces and what it brings, beside the result.
    const changes = (2 * document + 4 * 'v000000'.length) / 3;
    expect(perAttempt(1500)).toBeCloseTo(payload + document + changes, -1);
    expect(perAttempt(300)).toBeCloseTo(perAttempt(1500), -1);
  });
});
