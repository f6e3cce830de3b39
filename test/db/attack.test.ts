import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitAttempt, type CommitAttempt, type CommitReceiptRow } from '../../src/db/calls/commit-attempt.ts';
import { createTarget } from '../../src/db/calls/create-target.ts';
import { lockHistory } from '../../src/db/calls/lock-history.ts';
import { readTarget } from '../../src/db/calls/read-target.ts';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/port.ts';
import { DatabaseError, REFUSALS } from '../../src/db/sqlstate.ts';
import {
  applyTransaction,
  decodeRecord,
  encodeCanonical,
  parsePayload,
  profileOf,
  replay,
  type AcceptedAttempt,
} from '../../src/transaction/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { Random } from '../helpers/random.ts';
import { ALPHABET, ATTACKS, honestCall, sha256, type Target } from './support/attacks.ts';

const SEED = 20_261_130;
const CALLS = 3_000;

/** What the payload, read by itself, does to the content: the oracle every outcome is held against. */
type Truth = { verdict: 'accepted'; content: string } | { verdict: 'rejected'; reason: string } | { verdict: 'unreadable' };

function truthOf(payload: string, target: Target): Truth {
  const record = parsePayload(payload);
  if (record === null || Object.hasOwn(record, 'evidence_format')) return { verdict: 'unreadable' };
  const decoded = decodeRecord(record, target.id, profileOf(record));
  if (!decoded.ok) return { verdict: 'rejected', reason: decoded.fault.reason };
  const applied = applyTransaction(target.content, decoded.transaction, profileOf(record), sha256);
  if (!applied.ok) return { verdict: 'rejected', reason: applied.fault.reason };
  return encodeCanonical(record) === payload ? { verdict: 'accepted', content: applied.content } : { verdict: 'unreadable' };
}

describe('a caller with only EXECUTE', () => {
  const own = useDatabase();
  let database: Database;
  beforeAll(() => {
    database = openDatabase({ connectionString: own.url('writer') });
  });
  afterAll(() => database.close());

  it('cannot make a target whose history does not replay, whatever it claims', { timeout: 300_000 }, async () => {
    const random = new Random(SEED);
    const targets = await Promise.all(Array.from({ length: 5 }, () => newTarget(database, random.text(ALPHABET, 60))));
    const names = Object.keys(ATTACKS);
    const seen: Record<string, Set<string>> = {};
    for (let turn = 0; turn < CALLS; turn += 1) {
      const target = random.pick(targets);
      const others = targets.filter((other) => other !== target);
      const name = turn < names.length * 8 ? names[turn % names.length] : random.chance(0.2) ? undefined : random.pick(names);
      const honest = honestCall(random, target);
      const attack = name === undefined ? undefined : ATTACKS[name];
      const call = attack === undefined ? honest : attack(honest, random, target, others);
      const struck = targets.find(({ id }) => id === call.targetFileId);
      const outcome = await attempt(database, call, struck);
      (seen[name ?? 'none'] ??= new Set()).add(outcome);
    }
    for (const target of targets) await proveHistory(database, target);
    // Every attack reached the procedure, and honest calls kept being accepted between them.
    expect(Object.keys(seen).sort()).toEqual([...names, 'none'].sort());
    expect(seen['none']).toContain('accepted');
  });
});

/** Makes the call and holds what it did against the truth; gives the outcome a name. */
async function attempt(database: Database, call: CommitAttempt, target: Target | undefined): Promise<string> {
  let receipt: CommitReceiptRow;
  try {
    receipt = await commitAttempt(database, call);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    expect(Object.keys(REFUSALS), `${error.message} for ${JSON.stringify(call).slice(0, 500)}`).toContain(error.sqlstate);
    return error.code;
  }
  const label = JSON.stringify({ call: { ...call, payload: call.payload.slice(0, 600) }, receipt }, null, 1);
  if (target === undefined) {
    expect(receipt.outcome, label).toBe('not_found');
    return 'not_found';
  }
  const truth = truthOf(call.payload, target);
  switch (receipt.outcome) {
    case 'accepted':
      if (truth.verdict !== 'accepted') throw new Error(`accepted what is not acceptable: ${label}`);
      expect(receipt.after_hash, label).toBe(sha256(truth.content));
      expect(call.afterHash, `accepted under another claim: ${label}`).toBe(receipt.after_hash);
      target.content = truth.content;
      target.version += 1;
      target.accepted.push(receipt.pdcp_log_id ?? '');
      break;
    case 'rejected':
      expect(receipt, label).toMatchObject({ current_version: target.version, current_hash: sha256(target.content) });
      target.rejected.push(receipt.pdcp_log_id ?? '');
      await expectTruthfulRejection(database, receipt, truth, label);
      break;
    case 'stale_base':
      expect(receipt.current_content, label).toBe(target.content);
      break;
    case 'not_found':
      throw new Error(`a known target was not found: ${label}`);
  }
  return receipt.failure_code ?? receipt.outcome;
}

/** A reason that a reading of the payload can give is the reason that our own reading gives; a contradicted claim burns no key. */
async function expectTruthfulRejection(database: Database, receipt: CommitReceiptRow, truth: Truth, label: string): Promise<void> {
  if (receipt.failure_code === 'claim_mismatch') {
    const rows = await database.query<{ client_request_id: string | null }>({
      name: 'attack_key',
      text: 'select client_request_id from patchdiff.read_attempt($1)',
      values: [receipt.pdcp_log_id],
    });
    expect(rows[0]?.client_request_id, label).toBeNull();
    return;
  }
  const fromContent = ['transaction_applicability'].includes(receipt.validation_stage ?? '');
  if (fromContent) expect(truth, label).toMatchObject({ verdict: 'rejected', reason: receipt.failure_reason });
  else expect(receipt.failure_reason, label).toMatch(/^(context_|target_|manifest_|block_|disambiguation_)/);
}

async function newTarget(database: Database, content: string): Promise<Target> {
  const created = await createTarget(database, { targetFileId: null, displayName: 'attacked', content, source: null, workspace: null, actor: null });
  return { id: created.target_file_id, content, version: 0, rejected: [], accepted: [] };
}

async function proveHistory(database: Database, target: Target): Promise<void> {
  const held = await readTarget(database, target.id);
  expect(held).toMatchObject({ current_content: target.content, version: target.version });
  const findings = await database.query({
    name: 'attack_verify',
    text: 'select * from patchdiff_audit.verify_target($1)',
    values: [target.id],
  });
  expect(findings).toEqual([]);
  const history = await lockHistory(database, target.id, 0, 100_000);
  const [initial, ...steps] = history;
  if (initial === undefined) throw new Error('no history');
  const attempts = steps.map(({ content, content_hash, ...row }) => ({ ...row, pdcp_content: content, pdcp_content_hash: content_hash }));
  const result = replay(
    { target_file_id: initial.target_file_id, content: initial.content, content_hash: initial.content_hash },
    attempts as AcceptedAttempt[],
    { content: target.content, hash: sha256(target.content), version: target.version },
    target.id,
    sha256,
  );
  expect(result).toMatchObject({ status: 'success', reconstructed_content: target.content, materialized_state_matches: true });
}
