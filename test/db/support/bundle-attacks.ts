import type { CommitAttempt } from '../../../src/db/calls/commit-attempt.ts';
import { encodeCanonical, prepareBundle, type JsonObject, type JsonValue, type Observation } from '../../../src/transaction/index.ts';
import type { Random } from '../../helpers/random.ts';
import { ALPHABET, ATTACKS, sha256, type Target } from './attacks.ts';
import { honestBundle } from './bundle-calls.ts';

/** A target with what was observed of it, oldest first. */
export interface ObservedTarget extends Target {
  observations: Observation[];
}

type Group = JsonObject & { scope_id: string; operations: JsonObject[] };

const slice = (content: string, start: number, end: number): string => [...content].slice(start, end).join('');

function operationOn(random: Random, text: string): JsonObject {
  const points = [...text];
  const start = random.below(points.length);
  const end = Math.min(points.length, start + 1 + random.below(4));
  const piece = points.slice(start, end).join('');
  const replace = random.text(ALPHABET, random.below(6));
  return random.chance(0.5) ? { op: 'match', match: piece, replace } : { op: 'span', start, end, expected_text: piece, replace };
}

/** Disjoint scopes of one observation, mostly the newest one, each with an operation that mostly applies to what was observed. */
function argumentsFor(random: Random, target: ObservedTarget): { args: JsonObject; observation: Observation } {
  const observation = random.chance(0.85) ? target.observations.at(-1) : random.pick(target.observations);
  if (observation === undefined) throw new Error('nothing was observed');
  const chosen: Observation['scopes'][number][] = [];
  for (const scope of observation.scopes.toSorted(() => random.below(3) - 1)) {
    if (chosen.length < 3 && chosen.every(({ start, end }) => scope.end <= start || end <= scope.start)) chosen.push(scope);
  }
  const groups = chosen.map((scope): Group => {
    const text = slice(target.content, scope.start, scope.end) || 'a';
    return { scope_id: scope.scope_id, operations: [operationOn(random, text)] };
  });
  const args = { target_file_id: target.id, bundle_id: observation.bundle_id, intent: 'change', expected_target_version: target.version, groups };
  return { args, observation };
}

/** A bundle that tells the truth about itself. */
export function honestBundleCall(random: Random, target: ObservedTarget): CommitAttempt {
  const { args, observation } = argumentsFor(random, target);
  return { ...honestBundle(args, observation, target.id, target.content), clientRequestId: random.chance(0.5) ? `key-${random.below(1e9)}` : null };
}

type Attack = (call: CommitAttempt, random: Random, target: ObservedTarget, others: readonly ObservedTarget[]) => CommitAttempt;
type Change = (record: JsonObject & { groups: Group[] }, random: Random, target: ObservedTarget, others: readonly ObservedTarget[]) => void;

/** Another record, of which the same is claimed. */
const record = (change: Change): Attack => (call, random, target, others) => {
  const changed = JSON.parse(call.payload) as JsonObject & { groups: Group[] };
  change(changed, random, target, others);
  return { ...call, payload: encodeCanonical(changed) };
};
/** The text with what `from` finds first in it given way to `to`, where `$1` and `$2` stand for its groups. */
export const rewritten = (text: string, from: string | RegExp, to: string): string =>
  text.replace(from, (...found: string[]) => to.replace(/\$([12])/g, (_whole, group: string) => found[Number(group)] ?? ''));
const text = (from: string | RegExp, to: string): Attack => (call) => ({ ...call, payload: rewritten(call.payload, from, to) });
const aGroup = (change: (group: Group, random: Random) => void): Attack => record(({ groups }, random) => change(random.pick(groups), random));

const ODD_IDS: JsonValue[] = [null, 5, true, [], {}, '', ' ', 'F'.repeat(32), '0'.repeat(31), '0'.repeat(33), '\ud800', '\0', `${'0'.repeat(32)}\n`];
const ODD_ITEMS: JsonValue[] = [null, 5, 'x', [], {}, [[]], { op: 'match' }, { op: 'replace_all', replace: '' }, { op: 'span', start: 0, end: 9e15 }];

const BUNDLE_ATTACKS: Record<string, Attack> = {
  "another target's scope": record(({ groups }, random, _target, others) => {
    random.pick(groups).scope_id = random.pick(random.pick(others).observations.at(-1)?.scopes ?? []).scope_id;
  }),
  "another target's bundle": record((all, random, _target, others) => (all['bundle_id'] = random.pick(random.pick(others).observations).bundle_id)),
  'a scope of another observation': record(({ groups }, random, target) => {
    random.pick(groups).scope_id = random.pick(random.pick(target.observations).scopes).scope_id;
  }),
  'another observation of the target': record((all, random, target) => (all['bundle_id'] = random.pick(target.observations).bundle_id)),
  'a bundle that is no id': record((all, random, target) => {
    all['bundle_id'] = random.pick<JsonValue>([...ODD_IDS, `{${random.pick(target.observations).bundle_id}}`, `${random.pick(target.observations).bundle_id}\n`]);
  }),
  'a scope that is no id': aGroup((group, random) => Object.assign(group, { scope_id: random.pick(ODD_IDS) })),
  'a scope id in capitals': aGroup((group) => (group.scope_id = group.scope_id.toUpperCase())),
  'a group twice': record(({ groups }, random) => groups.push(random.pick(groups))),
  'an overlapping scope': record(({ groups }, random, target) => {
    for (const { scope_id, start, end } of target.observations.at(-1)?.scopes ?? []) {
      groups.push({ scope_id, operations: [operationOn(random, slice(target.content, start, end) || 'a')] });
    }
  }),
  'groups that are none': record((all, random) => Object.assign(all, { groups: random.pick<JsonValue>([null, {}, [], 'x', 5, [null], [5], [[]], { 0: {} }]) })),
  'no groups': record((all) => Reflect.deleteProperty(all, 'groups')),
  'a range of its own in a group': aGroup((group) => Object.assign(group, { start: 0, end: 1, text: 'a', sha256: sha256('a') })),
  'operations that are none': aGroup((group, random) => Object.assign(group, { operations: random.pick<JsonValue>([null, {}, [], 'x', 5]) })),
  'an operation that is none': aGroup(({ operations }, random) => operations.push(random.pick(ODD_ITEMS) as JsonObject)),
  'an observation of its own': record((all, random, target) => {
    const forged = { bundle_id: all['bundle_id'], content_hash: sha256(target.content), editing_cycle: 1, language: null, version: target.version };
    const grammar = { name: 'g', sha256: null, version: '1' };
    all['observation'] = random.pick<JsonValue>([null, {}, { scopes: [] }, { ...forged, grammar, scopes: [{ start: 0, end: 1, scope_id: '0'.repeat(32) }] }] as JsonValue[]);
  }),
  'an observation of its own, the true one': record((all, _random, target) => {
    const seen = target.observations.find(({ bundle_id }) => bundle_id === all['bundle_id']);
    all['observation'] = JSON.parse(JSON.stringify({ ...seen })) as JsonObject;
  }),
  'places of the document': (call, random, target) => {
    const { groups } = JSON.parse(call.payload) as { groups: Group[] };
    const scopes = target.observations.flatMap((seen) => seen.scopes);
    const starts = groups.map(({ scope_id }) => scopes.find((scope) => scope.scope_id === scope_id)?.start ?? random.below(9));
    return { ...call, verdict: 'accepted', resolvedStarts: (call.resolvedStarts ?? [0]).map((at, index) => at + (starts[index] ?? 0)) };
  },
  'places in the order of application': (call) => ({ ...call, resolvedStarts: call.resolvedStarts?.toReversed() ?? null }),
  'more places than an array should hold': (call) => ({ ...call, verdict: 'accepted', resolvedStarts: Array<number>(5_000).fill(0), afterHash: sha256('x') }),
  'the groups in another order under the same claim': record((all) => all.groups.reverse()),
  'a moved scope as if it were the one observed': (_call, random, target) => {
    const { args, observation } = argumentsFor(random, target);
    // What the ranges hold now, said to be what was observed.
    const now = observation.scopes.map((scope) => ({ ...scope, sha256: sha256(slice(target.content, scope.start, scope.end)) }));
    return honestBundle(args, { ...observation, scopes: now }, target.id, target.content);
  },
  'a scope stretched': (_call, random, target) => {
    const { args, observation } = argumentsFor(random, target);
    const wider = observation.scopes.map((scope) => ({ ...scope, start: Math.max(0, scope.start - 1), sha256: sha256(slice(target.content, Math.max(0, scope.start - 1), scope.end)) }));
    return honestBundle(args, { ...observation, scopes: wider }, target.id, target.content);
  },
  '2001 groups': record(({ groups }) => groups.push(...Array.from({ length: 2_001 }, () => groups[0] as Group))),
  '2001 operations': aGroup(({ operations }) => operations.push(...Array.from({ length: 2_001 }, () => operations[0] as JsonObject))),
  'nesting in a group': text('"operations":[', `"operations":[${'['.repeat(70)}${']'.repeat(70)},`),
  'nesting beyond the stack in a group': text('"operations":[', `"operations":[${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)},`),
  'a scope named twice': text(/"scope_id":"(\w+)"/, '"scope_id":"0","scope_id":"$1"'),
  'operations twice': text('"operations":', '"operations":[],"operations":'),
  'a bundle named twice': text('"bundle_id":', '"bundle_id":null,"bundle_id":'),
  'a blank in a group': text('"operations":', '"operations": '),
  'members of a group in another order': text(/\{"operations":(\[\{[^[\]]*\}\]),"scope_id":"(\w+)"\}/, '{"scope_id":"$2","operations":$1}'),
  'an escaped letter in a group': text('"op":"', '"op":"\\u006d'),
  'an escape that canonical JSON has not': text('"intent":"c', '"intent":"\\u0063'),
  'half a character in an operation': text(/"replace":"/, '"replace":"\\ud83d'),
  'a NUL in an operation': text(/"replace":"/, '"replace":"\\u0000'),
  'a fraction of nothing in a span': text(/"start":(\d+)/, '"start":$1.0'),
  'a place that no type holds': text(/"start":\d+/, '"start":1e400000'),
  'another format with groups': record((all, random) => (all['format'] = random.pick(['patchdiff-tx/2', 'patchdiff-observed-batch/2', 'patchdiff-observed-batch/1 ']))),
  'a scalar record as a bundle': (call, random, target) => {
    const args = { target_file_id: target.id, intent: 'i', expected_target_version: target.version, bundle_id: target.observations[0]?.bundle_id ?? null };
    return { ...call, payload: prepareBundle({ ...args, operations: [operationOn(random, target.content)] }).payload };
  },
};

/** Attacks that make a scalar submission of whatever they are given: they are made against those. */
const SCALAR = ['another payload under the same claim', 'the first of several as the only one', 'the first of two long ones as the only one'];

export const ALL_BUNDLE_ATTACKS: Record<string, Attack> = {
  ...(Object.fromEntries(Object.entries(ATTACKS).filter(([name]) => !SCALAR.includes(name))) as Record<string, Attack>),
  ...BUNDLE_ATTACKS,
};
