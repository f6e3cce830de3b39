import type { JsonObject, JsonValue, Observation } from '../../../src/transaction/index.ts';
import type { Random } from '../../helpers/random.ts';
import { sha256 } from './attacks.ts';
import { invocation, odd, randomItems } from './submissions.ts';
import type { Document } from './submissions.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const KINDS = ['function', 'class', 'é "kind"'];
const GROUP_FIELDS = ['scope_id', 'operations', 'zz', 'éé', '__proto__'];

/** Ranges to observe: disjoint ones, ones inside others, equal ones of another kind. */
export function randomRanges(random: Random, document: Document): JsonObject[] {
  const points = [...document.content].length;
  const seen = new Set<string>();
  const ranges: JsonObject[] = [];
  for (let count = 1 + random.below(6); count > 0; count -= 1) {
    const start = random.below(points);
    const end = Math.min(points, start + 1 + random.below(random.chance(0.7) ? 40 : 400));
    const kind = random.pick(KINDS);
    const key = JSON.stringify([kind, start, end]);
    if (seen.has(key)) continue;
    seen.add(key);
    ranges.push({ kind, name: random.pick(['f', '(anonymous)', 'a "b" \\ é 𝒳']), qualified_path: `class "X" > ${String(start)}`, start, end });
  }
  return ranges;
}

function sliceOf(document: Document, start: number, end: number): string {
  return [...document.content].slice(start, end).join('');
}

/** The arguments of the bundle tool, sound and unsound in every way the contract names. */
export function randomBundle(random: Random, document: Document, observation: Observation, number: number): JsonObject {
  const chosen = observation.scopes.filter(() => random.chance(0.6));
  const disjoint = chosen.filter((scope, at) => !chosen.slice(0, at).some((other) => other.start < scope.end && scope.start < other.end));
  const scopes = random.chance(0.9) && disjoint.length > 0 ? disjoint : chosen;
  const groups: JsonValue[] = scopes.map((scope): JsonObject => {
    // What the scope holds now, so that most bundles of a text that moved on would apply but for the scope's hash.
    const slice = { ...document, content: sliceOf(document, scope.start, scope.end) };
    const group: JsonObject = { scope_id: scope.scope_id, operations: randomItems(random, 'patchdiff-tx/2', slice) };
    if (random.chance(0.04)) group[random.pick(GROUP_FIELDS)] = odd(random);
    if (random.chance(0.01)) Reflect.deleteProperty(group, random.pick(['scope_id', 'operations']));
    return group;
  });
  if (random.chance(0.02)) groups.splice(random.below(groups.length + 1), 0, odd(random));
  if (random.chance(0.02)) groups.push({ scope_id: '0'.repeat(32), operations: [{ op: 'match', match: 'a', replace: 'b' }] });
  // More groups than there are scopes: of the last ones the record keeps no evidence.
  if (random.chance(0.03)) groups.push(...groups, ...groups, odd(random));
  const id = observation.bundle_id;
  const args: JsonObject = {
    target_file_id: random.chance(0.1) ? document.id.toUpperCase() : document.id,
    bundle_id: random.chance(0.95) ? random.pick([id, id, id.toUpperCase()]) : random.pick<JsonValue>([UNKNOWN, null, 'no id', odd(random)]),
    intent: random.chance(0.05) ? random.pick<JsonValue>(['', '\ufeff', 5, null]) : 'i ü',
    groups: random.chance(0.02) ? odd(random) : groups,
    ...invocation(random, document, number),
  };
  if (random.chance(0.95)) args['expected_target_version'] = random.chance(0.95) ? document.version : odd(random);
  else args['expected_current_hash'] = random.chance(0.8) ? sha256(document.content) : odd(random);
  if (random.chance(0.02)) args[random.pick(['zz', 'format', 'operations', 'observation', '\u{1f600}', '\ue000', 'n\0l'])] = odd(random);
  return args;
}
