import { createHash, randomUUID } from 'node:crypto';
import type { CommitAttempt } from '../../../src/db/calls/commit-attempt.ts';
import { encodeCanonical, evaluate, prepareSubmission, type Format, type JsonObject } from '../../../src/transaction/index.ts';
import type { Random } from '../../helpers/random.ts';

export const ALPHABET = ['a', 'b', 'ab', '\n', 'é', '漢', '𝒳', '"', '\\', '\t', ' '];
const REASONS = ['match_absent', 'match_ambiguous', 'sequential_match_invalid', 'span_out_of_bounds', 'manifest_invalid', 'context_missing', 'lie'];

export interface Target {
  id: string;
  content: string;
  version: number;
  /** Attempts of this target that can be named as parents. */
  rejected: string[];
  accepted: string[];
}

export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

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
export function honestCall(random: Random, target: Target): CommitAttempt {
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
export const ATTACKS: Record<string, Attack> = {
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
  'the first of two long ones as the only one': (call, random, target) => {
    const long = random.pick(['ab', 'é漢', 'x y ']).repeat(60);
    const operations = [
      { op: 'span', start: 0, end: 0, expected_text: '', replace: long + long },
      { op: 'match', match: long, replace: '<>' },
    ];
    const record = { target_file_id: target.id, intent: 'i', expected_target_version: target.version, operations };
    return {
      ...call,
      payload: prepareSubmission('patchdiff-tx/2', record).payload,
      verdict: 'accepted',
      resolvedStarts: [0, 0],
      afterHash: sha256(`<>${long}${target.content}`),
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
