import { createHash } from 'node:crypto';
import type { Format, JsonObject, JsonValue } from '../../../src/transaction/index.ts';
import type { Random } from '../../helpers/random.ts';

/** Text that PostgreSQL cannot hold: half of a pair (either, alone or the wrong way round), NUL, and both. */
export const INVALID = ['\ud800', '\udbff', '\udc00', '\udfff', '\udc00\ud83d', '\ud83d\ud83d\ude00', '\0', '\0\0', '\ud800\0', 'a\0b'];
/** Text that looks like trouble and is none. */
const SOUND = ['a', '"', '\\', '\\u0000', '\\ud800', '\\\\', '\n', '\u0001', '\u007f', 'é', '漢', '\u2028', '\ue000', '\ue000u0000', '\ue000e', '😀', '\uffff'];

const INVOCATION = ['client_request_id', 'parent_pdcp_log_id', 'attempt', 'source', 'correlation_id'];

export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
export const sound = (random: Random, most = 6): string => random.text(SOUND, random.below(most + 1));
export const invalid = (random: Random): string => sound(random) + random.pick(INVALID) + sound(random);
const isInvalid = (text: string): boolean => [...text].some((point) => point === '\0' || /^[\ud800-\udfff]$/u.test(point));

/** Whether a string or a key of the value is invalid. Two halves that meet are a whole, so spoiling twice may mend. */
export function holdsInvalid(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return isInvalid(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, item]) => isInvalid(name) || holdsInvalid(item));
}

/** Canonical JSON, written a second time for the tests: sorted by code point, no spaces; with `ascii`, all else escaped. */
export function canonicalJson(value: JsonValue, ascii = false): string {
  const quote = (text: string): string =>
    ascii
      ? JSON.stringify(text).replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      : JSON.stringify(text);
  if (typeof value === 'string') return quote(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, ascii)).join(',')}]`;
  const points = (name: string): number[] => [...name].map((point) => point.codePointAt(0)!);
  const names = Object.keys(value).sort((left, right) => {
    const [one, two] = [points(left), points(right)];
    const at = one.findIndex((point, position) => point !== two[position]);
    return at < 0 ? one.length - two.length : one[at]! - (two[at] ?? -1);
  });
  return `{${names.map((name) => `${quote(name)}:${canonicalJson(value[name] ?? null, ascii)}`).join(',')}}`;
}

/** The record that arguments come to, read literally from the contract (no argument here takes a reserved name). */
export function recordOf(format: Format, args: JsonObject): JsonObject {
  const record: JsonObject = { format, expected_target_version: null, expected_current_hash: null };
  for (const [name, value] of Object.entries(args)) {
    if (INVOCATION.includes(name)) continue;
    if (name === 'replacement' && typeof value === 'string') record['operations'] = [{ op: 'replace_all', replace: value }];
    else record[name] = value;
  }
  return record;
}

/** What a request key stands for when the record is stored as it is; a malformed guard is null in it. */
export function ordinaryFingerprint(format: Format, target: string, args: JsonObject, parent: string | null = null): string {
  const { expected_target_version: version, expected_current_hash: hash } = args;
  return sha256(
    canonicalJson({
      protocol_version: format,
      target_file_id: target,
      pdcp_content_hash: sha256(canonicalJson(recordOf(format, args))),
      expected_target_version: Number.isSafeInteger(version) ? (version) : null,
      expected_current_hash: typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash) ? hash : null,
      parent_pdcp_log_id: parent,
    }),
  );
}

/** The original texts, from the payload column alone. */
export function originalsOf(payload: string): { parent: JsonValue; record: JsonObject; inputs: string } {
  const { inputs } = JSON.parse(payload) as { inputs: string };
  const { parent_pdcp_log_id: parent, record } = JSON.parse(inputs) as { parent_pdcp_log_id: JsonValue; record: JsonObject };
  return { parent, record, inputs };
}

/** Arguments of any format with every kind of field in them, sound throughout, that would apply to a text holding `alpha`. */
export function fullArguments(random: Random, target: string, version: number): { format: Format; args: JsonObject } {
  const common: JsonObject = { target_file_id: target, intent: `i${sound(random)}`, expected_target_version: version };
  const change = { change_id: 'c.1', rationale: `r${sound(random)}`, risk: 'low' };
  const match = { match: 'alpha', replace: sound(random), occurrence_index: 1, anchor_before: null, ...change };
  const span = { op: 'span', start: 0, end: 5, expected_text: 'alpha', replace: sound(random), expected_before: null, ...change };
  switch (random.below(3)) {
    case 0:
      return { format: 'patchdiff-tx/1', args: { ...common, edits: [match] } };
    case 1:
      return { format: 'patchdiff-tx/2', args: { ...common, operations: [random.chance(0.5) ? span : { op: 'match', ...match }] } };
    default:
      return { format: 'patchdiff-tx/3', args: { ...common, replacement: sound(random) } };
  }
}

/** Puts invalid text into one place of a value, any string or key, or into a new unknown field, however deep. */
export function spoil(random: Random, value: JsonValue): JsonValue {
  if (typeof value === 'string') return random.chance(0.5) ? invalid(random) : value + random.pick(INVALID);
  if (Array.isArray(value) && value.length > 0) {
    const at = random.below(value.length);
    return value.map((item, position) => (position === at ? spoil(random, item) : item));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return random.chance(0.5) ? invalid(random) : { [invalid(random)]: value };
  const names = Object.keys(value).filter((name) => name !== 'target_file_id');
  if (random.chance(0.15)) return { ...value, [invalid(random)]: sound(random) };
  if (random.chance(0.15)) return { ...value, [`x${sound(random)}`]: [{ deep: [sound(random), { [random.chance(0.5) ? invalid(random) : 'y']: invalid(random) }] }] };
  const name = random.pick(names);
  return { ...value, [name]: spoil(random, value[name] ?? null) };
}
