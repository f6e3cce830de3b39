import type { Format, JsonObject, JsonValue } from '../../../src/transaction/index.ts';
import { evaluate, prepareSubmission } from '../../../src/transaction/index.ts';
import type { Random } from '../../helpers/random.ts';
import { sha256 } from './attacks.ts';

/** Texts whose treatment differs between languages more often than that of others. */
const LETTERS = ['a', 'b', 'a', '\n', 'é', '漢', '𝒳', '"', '\\', '\t', 'x', '\u2028', '\u007f', 'ab', '\u0001', '\ufeff'];
const FIELDS = ['op', 'match', 'replace', 'start', 'end', 'expected_text', 'expected_before', 'expected_after', 'occurrence_index']
  .concat(['anchor_before', 'anchor_after', 'change_id', 'rationale', 'risk', 'zz', 'éé', '__proto__', 'y'.repeat(80)]);
const TOP_FIELDS = ['zz', 'format', 'operations', 'edits', 'region_hint', '\u{1f600}', '\ue000', 'n\0l'];
const BAD_KEYS: JsonValue[] = ['bad key', '', 'é', 'x'.repeat(129), 'k'.repeat(8192), 'k'.repeat(8193), 5, Infinity, '\ud800', ['\0'], { a: '\udc00' }];
const ODD: JsonValue[] = [null, true, false, 0, -1, 1.5, 5, 1e22, 1e300, 9007199254740992, 9007199254740991, 2147483648, '', ' ', '\u3000'].concat(-0);
const ODDER: JsonValue[] = ['x', '{path}', '\ud800', 'a\0b', [], {}, [1], { a: { b: [1, 'é'] } }, '\u0085', 'low', 'a'.repeat(70), 'chg_001'];
const LONG: JsonValue[] = ['𝒳'.repeat(256), '𝒳'.repeat(257), 'é'.repeat(4096), 'é'.repeat(4097), 'a'.repeat(8193)];

export interface Document {
  id: string;
  content: string;
  version: number;
  /** Ids of its rejected attempts. */
  rejected: string[];
}

export const odd = (random: Random): JsonValue => random.pick(random.chance(0.1) ? LONG : random.chance(0.5) ? ODD : ODDER);
/** Also what no record carries as a number: in these places only the kind of the value matters. */
const odder = (random: Random): JsonValue => (random.chance(0.1) ? random.pick([Infinity, -Infinity]) : odd(random));
const letters = (random: Random, count: number): string => random.text(LETTERS, count);

/** A document: few letters, many letters, or nearly one letter. */
export function randomContent(random: Random, kind: number): string {
  if (kind % 3 === 0) return random.text(['a', 'b', 'c', '\n'], 20 + random.below(500));
  if (kind % 3 === 1) return letters(random, 20 + random.below(500));
  return 'a'.repeat(random.below(1500)) + letters(random, random.below(9));
}

function piece(random: Random, text: string, most: number): string {
  const points = [...text];
  const length = 1 + random.below(random.chance(0.5) ? 3 : most);
  const start = random.below(Math.max(1, points.length - length));
  return points.slice(start, start + length).join('') || 'a';
}

function randomMatch(random: Random, buffer: string): JsonObject {
  const item: JsonObject = { match: random.chance(0.05) ? 'zzz' : piece(random, buffer, 20) };
  if (random.chance(0.05)) item['match'] = piece(random, buffer, 8).replaceAll('\n', () => '\r\n');
  if (random.chance(0.25)) item['occurrence_index'] = random.chance(0.1) ? random.pick([1e15, 9007199254740991, 300, null]) : 1 + random.below(9);
  if (random.chance(0.2)) item['anchor_before'] = piece(random, buffer, 8);
  if (random.chance(0.2)) item['anchor_after'] = random.chance(0.1) ? null : piece(random, buffer, 8);
  return item;
}

function randomSpan(random: Random, buffer: string): JsonObject {
  const points = [...buffer];
  const start = random.below(points.length + 1);
  const end = Math.min(points.length, start + random.below(6));
  const text = points.slice(start, end).join('');
  const item: JsonObject = { start, end, expected_text: random.chance(0.04) ? 'no' : text.replaceAll('\n', () => (random.chance(0.2) ? '\r' : '\n')) };
  if (random.chance(0.03)) item['end'] = points.length + 3;
  if (random.chance(0.02)) item['start'] = end + 1;
  if (random.chance(0.25)) item['expected_before'] = random.chance(0.2) ? 'qq' : points.slice(Math.max(0, start - 2), start).join('') || null;
  if (random.chance(0.25)) item['expected_after'] = random.chance(0.2) ? 'qq' : points.slice(end, end + 2).join('') || null;
  return item;
}

function randomItem(random: Random, format: Format, buffer: string, position: number): JsonObject {
  const isMatch = format === 'patchdiff-tx/1' || random.chance(0.5);
  const item = isMatch ? randomMatch(random, buffer) : randomSpan(random, buffer);
  if (format === 'patchdiff-tx/2') item['op'] = isMatch ? 'match' : 'span';
  item['replace'] = random.chance(0.15) ? '' : `${letters(random, 1 + random.below(5))}${random.chance(0.15) ? '\r\nq\r' : ''}`;
  if (random.chance(0.3)) item['rationale'] = random.chance(0.2) ? null : 'why "é"';
  if (random.chance(0.3)) item['risk'] = random.pick(['low', 'medium', 'high', null]);
  if (random.chance(0.3)) item['change_id'] = random.chance(0.1) ? null : `id.${position}`;
  return item;
}

/** Items that mostly apply one after the other, so that most submissions get as far as the walk. */
export function randomItems(random: Random, format: Format, document: Document): JsonValue[] {
  const items: JsonValue[] = [];
  let buffer = document.content;
  const count = 1 + random.below(random.chance(0.1) ? 12 : 4);
  const container = format === 'patchdiff-tx/1' ? 'edits' : 'operations';
  while (items.length < count) {
    let item: JsonObject = {};
    for (let tries = 0; tries < 15; tries += 1) {
      item = randomItem(random, format, buffer, items.length);
      const alone = { target_file_id: document.id, intent: 'i', expected_target_version: document.version, [container]: [item] };
      const outcome = evaluate(prepareSubmission(format, alone), buffer, sha256);
      if (outcome.verdict === 'accepted') buffer = outcome.applied.content;
      if (outcome.verdict === 'accepted' || random.chance(0.15)) break;
    }
    items.push(item);
  }
  if (random.chance(0.15)) {
    const spoilt = random.pick(items) as JsonObject;
    const name = random.pick(FIELDS);
    // defineProperty: __proto__ must become a member.
    Object.defineProperty(spoilt, name, { value: odd(random), enumerable: true, configurable: true, writable: true });
    if (random.chance(0.2)) Reflect.deleteProperty(spoilt, name);
  }
  if (random.chance(0.03)) items[random.below(items.length)] = odd(random);
  if (random.chance(0.01)) items.length = 0;
  if (random.chance(0.005)) items.push(...Array.from({ length: 2001 }, () => ({})));
  return items;
}

function nested(levels: number): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? { q: value } : [value];
  return value;
}

export function invocation(random: Random, document: Document, number: number): JsonObject {
  const args: JsonObject = {};
  if (random.chance(0.4)) args['client_request_id'] = `k${number}`;
  else if (random.chance(0.15)) args['client_request_id'] = random.pick([...BAD_KEYS, `k${random.below(number + 1)}`]);
  if (random.chance(0.2) && document.rejected.length > 0) {
    const parent = random.pick(document.rejected);
    args['parent_pdcp_log_id'] = random.pick([parent, parent, parent.toUpperCase(), `{${parent}}`]);
  }
  if (random.chance(0.06)) args['parent_pdcp_log_id'] = odder(random);
  if (random.chance(0.1)) args['attempt'] = random.chance(0.5) ? odder(random) : 1 + random.below(5);
  if (random.chance(0.06)) args['source'] = odder(random);
  if (random.chance(0.05)) args['correlation_id'] = odder(random);
  return args;
}

/** The arguments of a submission tool, sound and unsound in every way the contract names. `number` makes request keys unique. */
export function randomSubmission(random: Random, document: Document, number: number): { format: Format; args: JsonObject } {
  const format = random.pick<Format>(['patchdiff-tx/1', 'patchdiff-tx/1', 'patchdiff-tx/2', 'patchdiff-tx/2', 'patchdiff-tx/2', 'patchdiff-tx/3']);
  const args: JsonObject = {
    target_file_id: random.chance(0.1) ? document.id.toUpperCase() : document.id,
    intent: random.chance(0.05) ? random.pick<JsonValue>(['', ' ', '\ufeff', '\u2003', 5, null]) : 'i ü',
    expected_target_version: random.chance(0.95) ? document.version : random.pick<JsonValue>([null, document.version + 1, odder(random)]),
    ...invocation(random, document, number),
  };
  if (random.chance(0.3) || args['expected_target_version'] === null) {
    const hash = sha256(document.content);
    args['expected_current_hash'] = random.chance(0.9) ? hash : random.pick<JsonValue>([sha256('x'), odder(random), hash.toUpperCase()]);
  }
  if (format === 'patchdiff-tx/3') args['replacement'] = random.chance(0.05) ? odd(random) : letters(random, random.below(300));
  else args[format === 'patchdiff-tx/1' ? 'edits' : 'operations'] = randomItems(random, format, document);
  if (random.chance(0.04)) args[random.pick(TOP_FIELDS)] = odd(random);
  if (random.chance(0.03)) args['deep'] = nested(random.pick([55, 60, 62, 63, 64, 70, 100]));
  return { format, args };
}
