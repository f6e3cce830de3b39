import { encodeCanonical } from '../../../src/transaction/index.ts';
import type { JsonObject, JsonValue } from '../../../src/transaction/index.ts';
import type { Random } from '../../helpers/random.ts';

/** Every pair that a recorded attempt may have, and some that none may. */
export const LEGAL = [
  ['patchdiff-tx/1', 'patchdiff-mvp-0.1.0'],
  ['patchdiff-tx/1', 'patchdiff-mvp-0.2.0'],
  ['patchdiff-tx/1', 'patchdiff-mvp-0.2.1'],
  ['patchdiff-tx/1', 'patchdiff-mvp-0.2.2'],
  ['patchdiff-tx/2', 'patchdiff-mvp-0.3.0'],
  ['patchdiff-tx/2', 'patchdiff-mvp-0.4.0'],
  ['patchdiff-tx/2', 'patchdiff-mvp-0.5.0'],
  ['patchdiff-tx/3', 'patchdiff-mvp-0.4.0'],
] as const;
export type Pair = readonly [protocol: string, runtime: string];

/** Few letters, so that texts overlap themselves and each other. */
const LETTERS = ['a', 'a', 'a', 'b', 'ab', '\n', 'é', '𝒳'];
const ODD_IDS: JsonValue[] = ['', ' old id\r\n', 'ü 漢', 'x'.repeat(65), 'ok_1', 'chg_002', 5, null, 'tail\n'];
const ODD: JsonValue[] = [null, '', ' ', 0, -1, 1.5, 2 ** 53, 'x', true, [], {}, { a: [1] }, '\u3000', '\0', '\ud800'];
const FIELDS = ['op', 'match', 'replace', 'start', 'end', 'expected_text', 'expected_before', 'expected_after', 'occurrence_index'].concat([
  'anchor_before', 'anchor_after', 'change_id', 'rationale', 'risk', 'zz', '__proto__',
]);

export const randomText = (random: Random, most: number): string => random.text(LETTERS, 1 + random.below(most));

function piece(random: Random, points: readonly string[], most: number): string {
  const start = random.below(Math.max(1, points.length));
  return points.slice(start, start + 1 + random.below(most)).join('') || 'a';
}

function randomMatch(random: Random, points: readonly string[]): JsonObject {
  const item: JsonObject = { match: random.chance(0.1) ? 'zz' : piece(random, points, random.chance(0.5) ? 3 : 12) };
  if (random.chance(0.1)) item['match'] = piece(random, points, 6).replaceAll('\n', () => '\r\n');
  if (random.chance(0.6)) item['occurrence_index'] = random.chance(0.1) ? null : 1 + random.below(5);
  if (random.chance(0.2)) item['anchor_before'] = random.chance(0.1) ? 'zz' : piece(random, points, 3);
  if (random.chance(0.2)) item['anchor_after'] = random.chance(0.1) ? null : piece(random, points, 3);
  return item;
}

function randomSpan(random: Random, points: readonly string[], adjacency: boolean): JsonObject {
  const start = random.below(points.length + 1);
  const end = Math.min(points.length, start + random.below(5));
  const item: JsonObject = { op: 'span', start, end, expected_text: points.slice(start, end).join('') };
  if (random.chance(0.05)) item['end'] = points.length + 2;
  if (random.chance(0.05)) item['start'] = end + 1;
  if (random.chance(0.05)) item['expected_text'] = 'no';
  if (random.chance(adjacency ? 0.5 : 0.04)) item['expected_before'] = random.chance(0.1) ? 'q' : points.slice(Math.max(0, start - 2), start).join('') || null;
  if (random.chance(adjacency ? 0.5 : 0.04)) item['expected_after'] = random.chance(0.1) ? 'q' : points.slice(end, end + 2).join('') || null;
  return item;
}

function randomItem(random: Random, [protocol, runtime]: Pair, content: string): JsonObject {
  const points = [...content];
  const isMatch = protocol === 'patchdiff-tx/1' || random.chance(0.4);
  const item = isMatch ? randomMatch(random, points) : randomSpan(random, points, runtime.endsWith('0.5.0'));
  if (isMatch && protocol !== 'patchdiff-tx/1') item['op'] = 'match';
  item['replace'] = random.chance(0.2) ? '' : `${randomText(random, 4)}${random.chance(0.1) ? '\r\nq\r' : ''}`;
  if (random.chance(0.3)) item['change_id'] = random.pick(ODD_IDS);
  if (random.chance(0.1)) item['rationale'] = random.pick<JsonValue>(['why', null, ' ', 'é'.repeat(5000)]);
  if (random.chance(0.2)) item['risk'] = random.pick<JsonValue>(['low', 'high', null, 'huge']);
  return item;
}

/** The payload of a recorded attempt of this pair on this text: mostly one that applies, sometimes spoilt in any way. */
export function randomPayload(random: Random, pair: Pair, at: { target: string; content: string; version: number; hash: string }): string {
  const [protocol] = pair;
  const container = protocol === 'patchdiff-tx/1' ? 'edits' : 'operations';
  const items: JsonValue[] =
    protocol === 'patchdiff-tx/3'
      ? [{ op: 'replace_all', replace: randomText(random, 80) }]
      : Array.from({ length: 1 + random.below(random.chance(0.3) ? 4 : 2) }, () => randomItem(random, pair, at.content));
  const record: JsonObject = {
    format: protocol,
    target_file_id: random.chance(0.1) ? at.target.toUpperCase() : at.target,
    intent: random.chance(0.03) ? 'i'.repeat(5000) : 'recorded',
    expected_target_version: random.chance(0.7) ? at.version : null,
    expected_current_hash: random.chance(0.5) ? at.hash : null,
    [container]: items,
  };
  if (random.chance(0.12)) {
    const spoilt = random.chance(0.7) ? (random.pick(items) as JsonObject) : record;
    const name = random.chance(0.8) ? random.pick(FIELDS) : random.pick(Object.keys(spoilt));
    Object.defineProperty(spoilt, name, { value: random.pick(ODD), enumerable: true, configurable: true, writable: true });
    if (random.chance(0.3)) Reflect.deleteProperty(spoilt, name);
  }
  if (random.chance(0.03)) items[random.below(items.length)] = random.pick(ODD);
  if (random.chance(0.01)) items.push({ op: 'replace_all', replace: '' });
  const payload = encodeCanonical(record);
  // Escapes are how text that cannot be stored gets into a payload that can.
  return payload.replaceAll('\0', () => '\\u0000').replaceAll('\ud800', () => '\\ud800');
}
