import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitAttempt, type CommitAttempt, type CommitReceiptRow } from '../../src/db/calls/commit-attempt.ts';
import { observeScopes, type ObserveScopes } from '../../src/db/calls/observe-scopes.ts';
import { readObservation } from '../../src/db/calls/read-observation.ts';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/port.ts';
import { DatabaseError } from '../../src/db/sqlstate.ts';
import { scopeIdOf, type Grammar } from '../../src/transaction/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { Random } from '../helpers/random.ts';
import { ALPHABET, sha256 } from './support/attacks.ts';
import { findingsOf } from './support/attempts.ts';
import { ALL_BUNDLE_ATTACKS, honestBundleCall, type ObservedTarget } from './support/bundle-attacks.ts';
import { observationOf } from './support/bundle-calls.ts';
import { appliedAlone } from './support/bundle-oracle.ts';
import { randomRanges } from './support/bundles.ts';
import { OBSERVATION_ATTACKS } from './support/observation-attacks.ts';

const SEED = 20_261_202;
const ROUNDS = 2;
/** Calls between two proofs: what one of them broke stays broken. */
const STRIDE = 10;

const UNCLAIMED = { verdict: 'none', resolvedStarts: null, afterHash: null, diagnostic: null, warnings: null } as const;

const own = useDatabase();
let writer: Database;
let admin: pg.Client;
/** Text of every scope that was observed, by bundle and scope. */
const texts = new Map<string, string>();

beforeAll(async () => {
  writer = openDatabase({ connectionString: own.url('writer'), max: 1 });
  admin = await own.client('admin');
});
afterAll(() => writer.close());

async function newTarget(random: Random): Promise<ObservedTarget> {
  const content = `${random.text(ALPHABET, 60)}ab`;
  const { rows } = await admin.query<{ id: string }>(`select target_file_id as id from patchdiff.create_target(null, 'attacked', $1)`, [content]);
  return { id: rows[0]?.id ?? '', content, version: 0, rejected: [], accepted: [], observations: [] };
}

/** The refusal's code, or what the call answers. */
async function answered<T>(call: unknown, make: () => Promise<T>): Promise<T | string> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    // PostgreSQL's own refusal of JSON that is nested beyond its stack, mostly before any routine is called.
    if (error.sqlstate === '54001') return error.sqlstate;
    expect(['PD100', 'PD101', 'PD102'], `${error.message} for ${JSON.stringify(call).slice(0, 500)}`).toContain(error.sqlstate);
    return error.code;
  }
}

/** Makes the call and holds every scope that it answers against the target's text; gives the outcome a name. */
async function observe(call: ObserveScopes, targets: readonly ObservedTarget[]): Promise<string> {
  const row = await answered(call, () => observeScopes(writer, call));
  if (typeof row === 'string') return row;
  const target = targets.find(({ id }) => id === call.targetFileId);
  const label = JSON.stringify({ call: { ...call, scopes: call.scopes.slice(0, 600) }, row: { ...row, scopes: row.scopes?.slice(0, 3) } });
  if (target === undefined) expect(row.outcome, label).toBe('not_found');
  if (row.outcome !== 'observed' || target === undefined) return row.outcome;
  const { id, content, version } = target;
  expect({ version: call.expectedVersion, hash: call.expectedHash }, label).toEqual({ version, hash: sha256(content) });
  const points = [...content];
  const grammar = JSON.parse(call.grammar) as Grammar;
  for (const scope of row.scopes ?? []) {
    expect(scope.end, label).toBeLessThanOrEqual(points.length);
    expect(scope.text, label).toBe(points.slice(scope.start, scope.end).join(''));
    expect(scope.sha256, label).toBe(sha256(scope.text));
    expect(scope.scope_id, label).toBe(scopeIdOf({ targetFileId: id, contentHash: sha256(content), grammar }, scope, sha256));
    texts.set(`${row.bundle_id ?? ''} ${scope.scope_id}`, scope.text);
  }
  const kept = await readObservation(writer, id, row.bundle_id ?? '');
  if (kept === null) throw new Error(`an observation vanished: ${label}`);
  target.observations.push(kept);
  return row.outcome;
}

/** Makes the call and holds what it did against an application of our own; gives the outcome a name. */
async function commit(call: CommitAttempt, targets: readonly ObservedTarget[]): Promise<string> {
  const receipt = await answered<CommitReceiptRow>(call, () => commitAttempt(writer, call));
  if (typeof receipt === 'string') return receipt;
  const target = targets.find(({ id }) => id === call.targetFileId);
  const label = JSON.stringify({ call: { ...call, payload: call.payload.slice(0, 900) }, receipt }).slice(0, 4_000);
  if (target === undefined) {
    expect(receipt.outcome, label).toBe('not_found');
    return receipt.outcome;
  }
  if (receipt.outcome === 'accepted') {
    const content = appliedAlone(call.payload, texts, target);
    expect(content, `accepted what is not acceptable: ${label}`).not.toBeNull();
    target.content = content ?? '';
    target.version += 1;
    target.accepted.push(receipt.pdcp_log_id ?? '');
    expect(receipt, label).toMatchObject({ after_hash: sha256(target.content), after_version: target.version });
    expect(call.afterHash, `accepted under another claim: ${label}`).toBe(receipt.after_hash);
  }
  if (receipt.outcome === 'rejected') target.rejected.push(receipt.pdcp_log_id ?? '');
  if (receipt.failure_code === 'claim_mismatch') {
    const { rows } = await admin.query('select client_request_id as key from patchdiff_store.append_only_pdcp_logs where pdcp_log_id = $1', [receipt.pdcp_log_id]);
    expect(rows, label).toEqual([{ key: null }]);
  }
  expect(receipt, label).toMatchObject({ current_version: target.version, current_hash: sha256(target.content) });
  return receipt.failure_code ?? receipt.outcome;
}

async function proven(target: ObservedTarget): Promise<void> {
  const { rows } = await admin.query<{ content: string; version: number; rebuilt: string; observations: number }>(
    `select t.current_content as content, t.version::integer, patchdiff_audit.reconstruct(t.target_file_id, t.version) as rebuilt,
       (select count(*)::integer from patchdiff_store.scope_observations as o where o.target_file_id = t.target_file_id) as observations
     from patchdiff_store.cloud_target_files as t where t.target_file_id = $1`,
    [target.id],
  );
  const { content, version, observations } = target;
  expect(rows).toEqual([{ content, version, rebuilt: content, observations: observations.length }]);
  expect(await findingsOf(admin, target.id)).toEqual([]);
}

/** Honest observations between the attacks, so that there is something to lie about. */
function look(random: Random, target: ObservedTarget): ObserveScopes {
  if (target.content === '') throw new Error('an attack emptied its target');
  return observationOf(target.id, target.content, target.version, randomRanges(random, target));
}

test('a caller with only EXECUTE cannot make a bundle more than it is, whatever it claims', { timeout: 120_000 }, async () => {
  const random = new Random(SEED);
  const seen = new Map<string, Set<string>>();
  const names = Object.keys(ALL_BUNDLE_ATTACKS);
  for (let round = 0; round < ROUNDS; round += 1) {
    // Fresh ones for each round: what is proven after each call stays short.
    const targets = [await newTarget(random), await newTarget(random), await newTarget(random)];
    for (const target of targets) await observe(look(random, target), targets);
    for (const [turn, name] of names.flatMap((attack) => [attack, 'none']).entries()) {
      const target = random.pick(targets);
      const honest = honestBundleCall(random, target);
      const lie = ALL_BUNDLE_ATTACKS[name]?.(honest, random, target, targets.filter((other) => other !== target));
      // Where nothing is claimed, what is wrong with the payload itself is the outcome.
      const call = lie === undefined ? honest : round % 2 === 0 ? lie : { ...lie, ...UNCLAIMED };
      const outcome = await commit(call, targets);
      seen.set(name, (seen.get(name) ?? new Set()).add(outcome));
      if (turn % STRIDE === 0) await proven(target);
      if (outcome === 'accepted') await observe(look(random, target), targets);
    }
    for (const target of targets) await proven(target);
  }
  expect(seen.get('none')).toContain('accepted');
  expect(seen.get('none')).toContain('scope_hash_mismatch');
  const codes = new Set([...seen.values()].flatMap((outcomes) => [...outcomes]));
  for (const code of ['claim_mismatch', 'bundle_invalid', 'scope_not_observed', 'scopes_overlap', 'unknown_field', 'too_many_operations', 'text_not_encodable']) {
    expect(codes).toContain(code);
  }
});

test('a caller with only EXECUTE cannot have seen what was not there, whatever it says', { timeout: 120_000 }, async () => {
  const random = new Random(SEED + 1);
  const seen = new Map<string, Set<string>>();
  const targets = [await newTarget(random), await newTarget(random)];
  const names = Object.keys(OBSERVATION_ATTACKS).flatMap((attack) => Array<string>(5).fill(attack));
  for (const [turn, name] of names.entries()) {
    const target = random.pick(targets);
    const call = OBSERVATION_ATTACKS[name]?.(look(random, target), random);
    if (call === undefined) throw new Error('unreachable');
    seen.set(name, (seen.get(name) ?? new Set()).add(await observe(call, targets)));
    if (turn % STRIDE === 0) await proven(target);
    if (random.chance(0.2) && target.observations.length > 0) await commit(honestBundleCall(random, target), targets);
  }
  for (const target of targets) await proven(target);
  const outcomes = new Set([...seen.values()].flatMap((some) => [...some]));
  expect([...outcomes].sort()).toEqual(['54001', 'bad_call', 'not_found', 'observed', 'stale']);
});
