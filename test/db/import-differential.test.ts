import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { applyTransaction, decodeRecord, PROFILES, profileFor, replay } from '../../src/transaction/index.ts';
import type { AcceptedAttempt, ChangeFact, JsonObject } from '../../src/transaction/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { Random } from '../helpers/random.ts';
import { sha256 } from './support/attacks.ts';
import { importAttempt, refusalOf } from './support/imports.ts';
import type { ImportCall } from './support/imports.ts';
import { LEGAL, randomPayload, randomText } from './support/recorded.ts';
import type { Pair } from './support/recorded.ts';

const database = useDatabase();
const ROUNDS = 250;
const SEEDS = Array.from({ length: 8 }, (_, turn) => 20_261_201 + turn);
let owner: pg.Pool;

beforeAll(() => {
  owner = database.pool('owner', { max: 4 });
});

interface Subject {
  target: string;
  pair: Pair;
  initial: string;
  content: string;
  version: number;
  attempts: AcceptedAttempt[];
}

async function subjectOf(pair: Pair, content: string): Promise<Subject> {
  const { rows } = await owner.query<{ id: string }>(`select target_file_id as id from patchdiff.create_target(null, 'doc', $1)`, [content]);
  return { target: rows[0]?.id ?? '', pair, initial: content, content, version: 0, attempts: [] };
}

/** What src/transaction makes of the payload: the new text with its facts, or the code of what stands against it. */
function read({ pair, target, content }: Subject, payload: string): { after: string; changes: ChangeFact[] } | { code: string } {
  const profile = profileFor(...pair);
  if (profile === null) return { code: 'protocol' };
  const decoded = decodeRecord(JSON.parse(payload) as JsonObject, target, profile, false);
  if (!decoded.ok) return { code: decoded.fault.code };
  const applied = applyTransaction(content, decoded.transaction, profile, sha256, { resultBytes: Infinity });
  return applied.ok ? { after: applied.content, changes: applied.changes } : { code: applied.fault.code };
}

function attemptOf(subject: Subject, payload: string, after: string): AcceptedAttempt {
  return {
    target_file_id: subject.target,
    pdcp_log_id: crypto.randomUUID(),
    log_sequence: subject.version + 1,
    before_version: subject.version,
    after_version: subject.version + 1,
    before_hash: sha256(subject.content),
    after_hash: sha256(after),
    pdcp_content: payload,
    pdcp_content_hash: sha256(payload),
    protocol_version: subject.pair[0],
    runtime_version: subject.pair[1],
  };
}

const callOf = (attempt: AcceptedAttempt): ImportCall => ({
  target: attempt.target_file_id,
  pdcp_log_id: attempt.pdcp_log_id,
  created_at: '2024-01-01T00:00:00Z',
  status: 'accepted',
  protocol_version: attempt.protocol_version,
  runtime_version: attempt.runtime_version,
  payload: attempt.pdcp_content,
  payload_hash: attempt.pdcp_content_hash,
  before_version: attempt.before_version,
  before_hash: attempt.before_hash,
  after_version: attempt.after_version,
  after_hash: attempt.after_hash,
});

async function factsOf(subject: Subject, sequence: string): Promise<unknown[]> {
  const { rows } = await owner.query<Record<string, unknown>>(
    `select g.ordinal, g.change_id, g.operation, g.derived_json
     from patchdiff_store.append_only_manifest_ledger as g
     where g.target_file_id = $1 and g.log_sequence = $2 order by g.ordinal`,
    [subject.target, sequence],
  );
  return rows.map(({ derived_json: derived, ...row }) => ({ ...row, ...(derived as object) }));
}

/** One attempt through both implementations; the name of what both said. */
async function judge(subject: Subject, payload: string): Promise<string> {
  const reading = read(subject, payload);
  const attempt = attemptOf(subject, payload, 'after' in reading ? reading.after : 'nothing');
  const start = { target_file_id: subject.target, content: subject.content, content_hash: sha256(subject.content) };
  // Replay starts at version 0: the one step is renumbered.
  const result = replay(start, [{ ...attempt, before_version: 0, after_version: 1 }], null, subject.target, sha256);
  const failure = result.first_failing_step;
  if (failure !== null) {
    const { code, detail } = await refusalOf(importAttempt(owner, callOf(attempt)));
    expect({ code, check: detail['check'] }).toEqual({ code: 'PD112', check: failure.check });
    const said = detail['failure_code'] ?? detail['check'];
    // Escapes of text that cannot be stored: jsonb does not even read the payload.
    if (!/\\u0000|\\ud800/.test(payload)) expect(said).toBe('code' in reading ? reading.code : 'after_hash');
    return String(said);
  }
  if (!('after' in reading)) throw new Error('replay accepts what does not read');
  const row = await importAttempt(owner, callOf(attempt));
  expect(await factsOf(subject, row.log_sequence)).toEqual(reading.changes);
  subject.content = reading.after;
  subject.version += 1;
  subject.attempts.push(attempt);
  return 'accepted';
}

async function expectSound({ target, initial, content, version, attempts }: Subject): Promise<void> {
  const stored = await owner.query('select current_content, version::integer from patchdiff_store.cloud_target_files where target_file_id = $1', [target]);
  expect(stored.rows).toEqual([{ current_content: content, version }]);
  expect((await owner.query('select * from patchdiff_audit.verify_target($1)', [target])).rows).toEqual([]);
  const start = { target_file_id: target, content: initial, content_hash: sha256(initial) };
  const state = { content, hash: sha256(content), version };
  expect(replay(start, attempts, state, target, sha256)).toMatchObject({ status: 'success', materialized_state_matches: true, steps: version });
}

test('the pairs are those of the profiles, but for the format that does not exist yet', () => {
  const pairs = PROFILES.flatMap(({ name, protocols }) => protocols.map((protocol) => `${protocol} ${name}`));
  expect(LEGAL.map((pair) => pair.join(' ')).sort()).toEqual(pairs.filter((pair) => !pair.includes('observed-batch')).sort());
});

test('the database and src/transaction have one table of profiles', async () => {
  for (const { name, protocols, overlappingMatches, selectorsOnSingleMatch, changeIds, spanAdjacency } of PROFILES) {
    for (const protocol of ['patchdiff-tx/1', 'patchdiff-tx/2', 'patchdiff-tx/3', 'patchdiff-observed-batch/1', 'unknown']) {
      const { rows } = await owner.query<Record<string, unknown>>('select * from patchdiff_store.import_profile($1, $2)', [protocol, name]);
      const isLegal = protocols.includes(protocol) && protocol !== 'patchdiff-observed-batch/1';
      expect(rows).toEqual([
        {
          overlapping_matches: isLegal ? overlappingMatches : null,
          selectors_on_single_match: isLegal ? selectorsOnSingleMatch : null,
          historical_change_ids: isLegal ? changeIds === 'historical' : null,
          span_adjacency: isLegal ? spanAdjacency : null,
        },
      ]);
    }
  }
});

test('no other pair is replayed, here or there', async () => {
  const runtimes = [...PROFILES.map(({ name }) => name), 'patchdiff-mvp-0.6.0', ''];
  const protocols = ['patchdiff-tx/1', 'patchdiff-tx/2', 'patchdiff-tx/3', 'patchdiff-observed-batch/1', 'unknown', ''];
  const all = protocols.flatMap((protocol) => runtimes.map((runtime): Pair => [protocol, runtime]));
  const illegal = all.filter((pair) => !LEGAL.some((legal) => legal.join() === pair.join()));
  expect(illegal).toHaveLength(all.length - LEGAL.length);
  for (const pair of illegal) {
    const subject = await subjectOf(pair, 'text');
    const attempt = attemptOf(subject, '{}', 'text');
    const start = { target_file_id: subject.target, content: 'text', content_hash: sha256('text') };
    const failure = replay(start, [attempt], null, subject.target, sha256).first_failing_step;
    expect(failure?.reason).toBe('replay_protocol_invalid');
    expect(await refusalOf(importAttempt(owner, callOf(attempt)))).toMatchObject({ code: 'PD112', detail: { check: 'protocol' } });
  }
});

test.concurrent.each(SEEDS)('import and src/transaction say the same of every recorded attempt (seed %i)', { timeout: 600_000 }, async (seed) => {
  const random = new Random(seed);
  const subjects = await Promise.all(LEGAL.map((pair) => subjectOf(pair, randomText(random, 60))));
  const all = [...subjects];
  const seen = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const place = random.below(subjects.length);
    const grown = subjects[place] as Subject;
    const isUseful = grown.content.length >= 8 && grown.content.length < 600;
    const subject = isUseful ? grown : await subjectOf(grown.pair, randomText(random, 60));
    if (!isUseful) all.push((subjects[place] = subject));
    let payload = '';
    for (let tries = 0; tries < 6; tries += 1) {
      payload = randomPayload(random, subject.pair, { ...subject, hash: sha256(subject.content) });
      // Most of them apply, so that histories grow.
      if ('after' in read(subject, payload) || random.chance(0.25)) break;
    }
    const said = await judge(subject, payload).catch((error: unknown) => {
      throw new Error(`round ${String(round)} of seed ${String(seed)}: ${JSON.stringify({ ...subject, attempts: [], payload })}`, { cause: error });
    });
    const name = said === 'accepted' ? subject.pair.join(' ') : said;
    seen.set(name, (seen.get(name) ?? 0) + 1);
  }
  for (const subject of all) await expectSound(subject);
  // The generator must keep reaching every profile and most of what can stand against one.
  for (const pair of LEGAL) expect(seen.get(pair.join(' ')) ?? 0).toBeGreaterThan(1);
  expect(seen.size).toBeGreaterThan(16);
});
