import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/port.ts';
import { createService, type Service } from '../../src/service/index.ts';
import { identityOf, prepareSubmission } from '../../src/transaction/index.ts';
import { createDatabase, useDatabase, type TestDatabase } from '../helpers/database.ts';
import { Random } from '../helpers/random.ts';
import { sha256 } from './support/attacks.ts';
import { findingsOf, logOf, type LogRow } from './support/attempts.ts';
import { callDirect, directOf, type Receipt } from './support/direct.ts';
import { randomContent, randomSubmission, type Document } from './support/submissions.ts';

/** The same targets under the same ids: one database for direct calls, the other for the service. */
const direct = useDatabase();
let served: TestDatabase;
let database: Database;
let service: Service;
let writer: pg.Client;
const admins = {} as Record<'direct' | 'served', pg.Client>;
const ROUNDS = 600;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

beforeAll(async () => {
  served = await createDatabase();
  database = openDatabase({ connectionString: served.url('writer') });
  service = createService({ database, actor: { host: 'test' } });
  writer = await direct.client('writer');
  admins.direct = await direct.client('admin');
  admins.served = await served.client('admin');
});
afterAll(async () => {
  await database.close();
  await served.drop();
});

/** Ids, times and what the two sessions are, each attempt's id as its place in the log. */
function comparable(row: LogRow, log: readonly LogRow[]): Record<string, unknown> {
  const { warnings, regeneration_attempt, change_count, ...rest } = row;
  const kept = Object.fromEntries(
    Object.entries(rest).filter(
      ([column]) => !/^(pdcp_log_id|created_at|db_.*|prev_hash|row_hash|actor|decided_by|diagnostic_json|request_fingerprint)$/.test(column),
    ),
  );
  const advice = (warnings as { code: string }[] | null)?.filter(({ code }) => code !== 'grapheme_boundary_split') ?? [];
  let text = JSON.stringify({ ...kept, advice, regeneration_attempt, change_count }).replace(/\\"decided_by\\":\\"\w+\\"/, '');
  for (const { pdcp_log_id, log_sequence } of log) text = text.replaceAll(pdcp_log_id as string, () => `attempt ${log_sequence}`);
  return JSON.parse(text) as Record<string, unknown>;
}

async function factsOf(client: pg.Client, id: string): Promise<unknown[]> {
  const { rows } = await client.query<Record<string, unknown>>(
    `select g.ledger_sequence, g.log_sequence, g.ordinal, g.start_byte, g.deleted_bytes, g.inserted_bytes, g.change_id, g.operation, g.risk,
       g.rationale, g.intent, g.derived_json::text as derived
     from patchdiff_store.append_only_manifest_ledger as g where g.target_file_id = $1 order by g.ledger_sequence`,
    [id],
  );
  return rows;
}

test.each([1, 2, 3])('a direct call leaves the row that the service leaves for the same arguments (seed %i)', { timeout: 120_000 }, async (seed) => {
  const random = new Random(seed);
  const seen = new Set<string>();
  const subjects: (Document & { twins: Map<string, string> })[] = [];
  for (let kind = 0; kind < 6; kind += 1) {
    const [id, content] = [randomUUID(), randomContent(random, kind)];
    for (const admin of Object.values(admins)) await admin.query(`select patchdiff.create_target($1, 'doc', $2)`, [id, content]);
    subjects.push({ id, content, version: 0, rejected: [], keys: new Map(), twins: new Map() } as never);
  }
  for (let round = 0; round < ROUNDS / 3; round += 1) {
    const subject = random.pick(subjects);
    const { format, args } = randomSubmission(random, subject, round);
    const same = directOf(random, format, args);
    if (same === null) continue;
    const receipt: Receipt = await callDirect(writer, same.call);
    const parent = same.args['parent_pdcp_log_id'] as string | undefined;
    const answer = await service.submit(format, {
      ...same.args,
      ...(parent === undefined ? {} : { parent_pdcp_log_id: parent.replace(UUID, (id) => subject.twins.get(id.toLowerCase()) ?? id) }),
    });
    seen.add(String(receipt['failure_code'] ?? receipt['outcome']));
    const where = `round ${String(round)} of seed ${String(seed)}: ${JSON.stringify(same)}`;
    expect([receipt['outcome'], receipt['deduplicated']], where).toEqual([answer['status'], answer['deduplicated'] ?? false]);
    if (receipt['outcome'] === 'rejected') {
      subject.rejected.push(receipt['pdcp_log_id'] as string);
      subject.twins.set(receipt['pdcp_log_id'] as string, answer['pdcp_log_id'] as string);
    }
    const { rows } = await admins.direct.query<{ content: string; version: string }>(
      'select current_content as content, version from patchdiff_store.cloud_target_files where target_file_id = $1',
      [subject.id],
    );
    subject.content = rows[0]!.content;
    subject.version = Number(rows[0]!.version);
    const submission = prepareSubmission(format, same.args);
    const resolved = subject.twins.has(submission.parent?.toLowerCase() ?? '') ? submission.parent!.toLowerCase() : submission.parent;
    const identity = identityOf(submission, subject.id, resolved, sha256);
    expect(receipt['request_fingerprint'], where).toBe(identity.fingerprint);
  }
  for (const { id } of subjects) {
    const logs = { direct: await logOf(admins.direct, id), served: await logOf(admins.served, id) };
    expect(logs.direct.map((row) => comparable(row, logs.direct))).toEqual(logs.served.map((row) => comparable(row, logs.served)));
    expect(await factsOf(admins.direct, id)).toEqual(await factsOf(admins.served, id));
    expect(logs.direct.every((row) => row['decided_by'] === 'database')).toBe(true);
    for (const admin of Object.values(admins)) expect(await findingsOf(admin, id)).toEqual([]);
  }
  const replayed = createService({ database: openDatabase({ connectionString: direct.url('writer'), max: 1 }), actor: { host: 'test' } });
  for (const { id } of subjects) expect(await replayed.replayTarget({ target_file_id: id })).toMatchObject({ status: 'success', materialized_state_matches: true });
  expect(seen.size).toBeGreaterThan(15);
  expect(seen).toContain('accepted');
});
