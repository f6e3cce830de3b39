import { createHash, randomUUID } from 'node:crypto';
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
  evaluate,
  parsePayload,
  prepareSubmission,
  profileOf,
  replay,
  type AcceptedAttempt,
  type Format,
  type JsonObject,
} from '../../src/transaction/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { Random } from '../helpers/random.ts';

const SEED = 20_261_130;
const CALLS = 3_000;
const ALPHABET = ['a', 'b', 'ab', '\n', 'é', '漢', '𝒳', '"', '\\', '\t', ' '];
const REASONS = ['match_absent', 'match_ambiguous', 'sequential_match_invalid', 'span_out_of_bounds', 'manifest_invalid', 'context_missing', 'lie'];

interface Target {
  id: string;
  content: string;
  version: number;
  /** Attempts of this target that can be named as parents. */
  rejected: string[];
  accepted: string[];
}

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

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

function randomArguments(random: Random, target: Target): { format: Format; args: JsonObject } {
  const points = [...target.content];
  const piece = (): string => {
    const start = random.below(Math.max(1, points.length - 4));
    return points.slice(start, start + 1 + random.below(6)).join('') || 'a';
  };
  const args: JsonObject = { target_file_id: target.id, intent: 'change', expected_target_version: target.version };
  switch (random.below(3)) {
    case 0:
      args['edits'] = Array.from({ length: 1 + random.below(3) }, () => ({ match: piece(), replace: random.text(ALPHABET, random.below(5)) }));
      return { format: 'patchdiff-tx/1', args };
    case 1: {
      const start = random.below(points.length + 1);
      const end = Math.min(points.length, start + random.below(5));
      const text = points.slice(start, end).join('');
      args['operations'] = [{ op: 'span', start, end, expected_text: text, replace: random.text(ALPHABET, random.below(6)) }];
      return { format: 'patchdiff-tx/2', args };
    }
    default:
      args['replacement'] = random.text(ALPHABET, 20 + random.below(60));
      return { format: 'patchdiff-tx/3', args };
  }
}

/** A call that tells the truth about itself. */
function honestCall(random: Random, target: Target): CommitAttempt {
  const { format, args } = randomArguments(random, target);
  const submission = prepareSubmission(format, args);
  const claim = evaluate(submission, target.content, sha256);
  const accepted = claim.verdict === 'accepted';
  return {
    targetFileId: target.id,
    payload: submission.payload,
    clientRequestId: random.chance(0.5) ? `key-${random.below(1e9)}` : null,
    parent: null,
    attempt: null,
    source: null,
    actor: null,
    baseHash: sha256(target.content),
    verdict: claim.verdict,
    resolvedStarts: accepted ? claim.applied.resolvedStarts : null,
    afterHash: accepted ? claim.applied.afterHash : null,
    diagnostic: accepted ? null : JSON.stringify({ failure_reason: claim.fault.reason }),
    warnings: null,
    rawMetadata: null,
  };
}

type Attack = (call: CommitAttempt, random: Random, target: Target, others: readonly Target[]) => CommitAttempt;

const reencode = (change: (record: JsonObject, random: Random) => void): Attack => (call, random) => {
  const record = JSON.parse(call.payload) as JsonObject;
  change(record, random);
  return { ...call, payload: encodeCanonical(record) };
};
const rewrite = (change: (payload: string) => string): Attack => (call) => ({ ...call, payload: change(call.payload) });

/** Each turns an honest call into a lie or into misuse. */
const ATTACKS: Record<string, Attack> = {
  'another payload under the same claim': (call, random, target) => ({ ...call, payload: honestCall(random, target).payload }),
  'another result': (call) => ({ ...call, verdict: 'accepted', afterHash: sha256(`${call.payload}?`) }),
  'the unchanged content as the result': (call, _random, target) => ({ ...call, verdict: 'accepted', afterHash: sha256(target.content) }),
  'wrong starts': (call, random) => ({
    ...call,
    verdict: 'accepted',
    resolvedStarts: (call.resolvedStarts ?? [0]).map((start) => start + random.pick([-1, 1, 3, 2_000_000_000, -2_000_000_000])),
  }),
  'too few starts': (call) => ({ ...call, verdict: 'accepted', resolvedStarts: (call.resolvedStarts ?? [0]).slice(1) }),
  'no starts': (call) => ({ ...call, verdict: 'accepted', resolvedStarts: null, afterHash: call.afterHash ?? sha256('') }),
  'a rejected submission as accepted': (call, random) => ({
    ...call,
    verdict: 'accepted',
    resolvedStarts: [random.below(40)],
    afterHash: call.afterHash ?? sha256('x'),
  }),
  'the first of several as the only one': (call, random, target) => {
    const match = random.pick([...target.content, 'a']);
    const at = target.content.indexOf(match);
    if (at < 0) return call;
    const record = { target_file_id: target.id, intent: 'i', expected_target_version: target.version, edits: [{ match, replace: '<>' }] };
    const forged = `${target.content.slice(0, at)}<>${target.content.slice(at + match.length)}`;
    return {
      ...call,
      payload: prepareSubmission('patchdiff-tx/1', record).payload,
      verdict: 'accepted',
      resolvedStarts: [Buffer.byteLength(target.content.slice(0, at))],
      afterHash: sha256(forged),
    };
  },
  'a false rejection': (call, random) => ({ ...call, verdict: 'rejected', diagnostic: JSON.stringify({ failure_reason: random.pick(REASONS) }) }),
  'a rejection without a reason': (call) => ({ ...call, verdict: 'rejected', diagnostic: null }),
  'a wrong base': (call) => ({ ...call, baseHash: sha256('another base') }),
  'a base that is no hash': (call) => ({ ...call, baseHash: 'x' }),
  'no base': (call) => ({ ...call, baseHash: null }),
  'an unknown verdict': (call) => ({ ...call, verdict: 'maybe' as CommitAttempt['verdict'] }),
  'spaces in the payload': rewrite((payload) => payload.replace('{', '{ ')),
  'a space at the end': rewrite((payload) => `${payload}\n`),
  'a duplicate key': rewrite((payload) => `${payload.slice(0, -1)},"intent":"other"}`),
  'an escaped letter': rewrite((payload) => payload.replace('"change"', '"\\u0063hange"')),
  'an escaped NUL': rewrite((payload) => payload.replace('"change"', '"cha\\u0000nge"')),
  'a lone surrogate': rewrite((payload) => payload.replace('"change"', '"cha\\ud83dnge"')),
  'a number with a point': rewrite((payload) => payload.replace(/"expected_target_version":(\d+)/, '"expected_target_version":$1.0')),
  'a number with an exponent': rewrite((payload) => payload.replace(/"expected_target_version":(\d+)/, '"expected_target_version":$1e0')),
  'a number that no type holds': rewrite((payload) => payload.replace(/"expected_target_version":\d+/, '"expected_target_version":1e400000')),
  'minus zero': rewrite((payload) => payload.replace(/"expected_target_version":0/, '"expected_target_version":-0')),
  'keys out of order': rewrite((payload) => JSON.stringify({ z: 1, ...(JSON.parse(payload) as JsonObject) })),
  'no JSON': rewrite((payload) => payload.slice(1)),
  'an array': rewrite((payload) => `[${payload}]`),
  'a scalar': rewrite(() => '5'),
  'nothing': rewrite(() => ''),
  'nesting beyond the stack': rewrite((payload) => `${payload.slice(0, -1)},"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`),
  'nesting beyond the limit': rewrite((payload) => `${payload.slice(0, -1)},"x":${'['.repeat(70)}${']'.repeat(70)}}`),
  'an unknown format': reencode((record, random) => (record['format'] = random.pick(['patchdiff-tx/9', 'patchdiff-tx/1\n', '', 5, null]))),
  'another format': reencode((record, random) => (record['format'] = random.pick(['patchdiff-tx/1', 'patchdiff-tx/2', 'patchdiff-tx/3']))),
  'an internal format': reencode((record) => (record['format'] = 'patchdiff-observed-batch/1')),
  'an evidence envelope': (call) => ({
    ...call,
    payload: encodeCanonical({ evidence_format: 'patchdiff-invalid-input/1', inputs: call.payload, protocol_version: 'patchdiff-tx/1', runtime_version: 'x' }),
  }),
  'an evidence marker beside a good record': reencode((record) => (record['evidence_format'] = 'patchdiff-oversized-input/1')),
  'an unknown field': reencode((record) => (record['region_hint'] = 'x')),
  'no guard': reencode((record) => (record['expected_target_version'] = null)),
  'a guard of another type': reencode((record, random) => (record['expected_target_version'] = random.pick([true, '0', -1, 0.5, 9007199254740991, []]))),
  'a stale guard': reencode((record) => (record['expected_target_version'] = 77_777)),
  'a wrong hash guard': reencode((record) => (record['expected_current_hash'] = sha256('no'))),
  'another target in the payload': (call, random, _target, others) =>
    reencode((record) => (record['target_file_id'] = random.pick(others).id))(call, random, _target, others),
  'another target of the call': (call, random, _target, others) => ({ ...call, targetFileId: random.pick(others).id }),
  'an unknown target': (call) => ({ ...call, targetFileId: randomUUID() }),
  'a parent of another target': (call, random, _target, others) => ({ ...call, parent: random.pick(random.pick(others).rejected.concat(randomUUID())) }),
  'an accepted parent': (call, random, target) => ({ ...call, parent: random.pick(target.accepted.concat(randomUUID())) }),
  'a parent that is no id': (call, random) => ({ ...call, parent: random.pick(['', ' ', 'x', `{${randomUUID()}}`, "'; drop table x; --"]) }),
  'a bad attempt': (call, random) => ({ ...call, attempt: random.pick([0, -1, -2147483648]) }),
  'a bad source': (call, random) => ({ ...call, source: random.pick(['', '\u3000', 'x'.repeat(100_000)]) }),
  'a bad key': (call, random) => ({ ...call, clientRequestId: random.pick(['', ' ', 'é', 'x'.repeat(129), 'a\nb']) }),
  'raw values that would fit': (call, random) => ({ ...call, rawMetadata: random.pick(['{"source":"\\"fine\\""}', '{"attempt":"3"}', '{"x":"1"}', '[]', '{"source":5}']) }),
  'raw values that do not parse': (call, random) => ({ ...call, rawMetadata: random.pick(['{"source":"{"}', '{"client_request_id":""}', 'null', '5']) }),
  'warnings of no change': (call, random) => ({
    ...call,
    warnings: random.pick(['[{"code":"grapheme_boundary_split","change_id":"nobody"}]', '[{"code":"lie","change_id":"chg_001"}]', '{}', '5', '[null]', '[{"code":"no_op_transaction","change_id":null}]']),
  }),
  'an actor beyond bounds': (call) => ({ ...call, actor: JSON.stringify({ host: 'x'.repeat(100_000) }) }),
  'SQL in the strings': (call) => ({ ...call, clientRequestId: "x');drop", source: "'; delete from patchdiff_store.request_keys; --", actor: '"\\u0027"' }),
};

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
