import { randomUUID } from 'node:crypto';

import type { Format, JsonObject, JsonValue } from '../../src/transaction/index.ts';
import { TX1, TX2, TX3 } from './contract.ts';
import { TAKEN_KEY } from './subject.ts';

/** A submission under construction: its arguments, and in tx/1 and tx/2 its items. */
export interface Draft {
  args: JsonObject;
  items: JsonValue[];
}

/** One fault that can be put into a sound submission. Two faults that take the same place cannot stand together. */
export interface Fault {
  code: string;
  /** As the evidence names it; undefined when it names none. */
  path?: string | null;
  /** What it occupies: an argument, a field of the first item (`item.match`), or `items`, the item as a whole. */
  place: string;
  formats: readonly Format[];
  /** Which item it needs: one that names a text or one that names a place; absent when any will do. */
  item?: 'match' | 'span';
  put: (draft: Draft, format: Format) => void;
}

const ALL: readonly Format[] = [TX1, TX2, TX3];
const BOTH: readonly Format[] = [TX1, TX2];

const argument = (code: string, name: string, value: JsonValue | undefined, path?: string | null, place = name): Fault => ({
  code,
  ...(path === undefined ? {} : { path }),
  place,
  formats: ALL,
  put: ({ args }) => {
    args[name] = value;
  },
});

const first = ({ items }: Draft): JsonObject => items[0] as JsonObject;

const field = (code: string, name: string, value: JsonValue | undefined, formats: readonly Format[], item?: 'match' | 'span'): Fault => ({
  code,
  path: `[0].${name}`,
  place: `item.${name}`,
  formats,
  ...(item === undefined ? {} : { item }),
  put: (draft) => {
    first(draft)[name] = value;
  },
});

/** A fault in the text; of those only a mismatch has a path. */
const walk = (code: string, name: string, value: JsonValue, item: 'match' | 'span', place = `item.${name}`): Fault => ({
  code,
  place,
  formats: item === 'span' ? [TX2] : BOTH,
  item,
  put: (draft) => {
    first(draft)[name] = value;
  },
});

const deep = (levels: number): JsonValue => {
  let value: JsonValue = 1;
  for (let level = 0; level < levels; level += 1) value = { q: value };
  return value;
};

/**
 * The faults of a submission in the one order in which they are judged, as docs/spec/decoding.md states it. The target's own damage
 * comes between protocol and applicability: what no text can change is judged without looking at the text.
 */
export const ORDER: readonly Fault[] = [
  argument('request_key_conflict', 'client_request_id', TAKEN_KEY),
  argument('invalid_client_request_id', 'client_request_id', 'a b'),
  argument('text_not_encodable', 'unencodable', '\ud800'),
  argument('parent_invalid', 'parent_pdcp_log_id', randomUUID()),
  argument('target_version_mismatch', 'expected_target_version', 9, undefined, 'version'),
  argument('target_hash_mismatch', 'expected_current_hash', 'a'.repeat(64), undefined, 'hash'),
  argument('payload_too_large', 'bulk', 'x'.repeat(4_194_304), null),
  argument('payload_too_deep', 'deep', deep(64), null),
  {
    code: 'too_many_operations',
    path: null,
    place: 'count',
    formats: BOTH,
    put: ({ items }) => items.push(...Array.from({ length: 2000 }, () => 0)),
  },
  {
    code: 'guard_missing',
    path: null,
    place: 'version hash',
    formats: ALL,
    put: ({ args }) => {
      args['expected_target_version'] = null;
    },
  },
  argument('guard_malformed', 'expected_target_version', '0', 'expected_target_version', 'version'),
  argument('guard_malformed', 'expected_current_hash', 'A'.repeat(64), 'expected_current_hash', 'hash'),
  argument('attempt_malformed', 'attempt', true, 'attempt'),
  argument('parent_malformed', 'parent_pdcp_log_id', '\u3000', 'parent_pdcp_log_id'),
  argument('source_malformed', 'source', '', 'source'),
  {
    code: 'manifest_missing',
    place: 'items item count',
    formats: BOTH,
    put: ({ items }) => {
      items.length = 0;
    },
  },
  { ...argument('manifest_missing', 'replacement', null, 'replacement', 'items item'), formats: [TX3] },
  argument('unknown_field', 'region_hint', 1, 'region_hint'),
  argument('intent_invalid', 'intent', ' ', 'intent'),
  argument('intent_too_long', 'intent', 'i'.repeat(4097), 'intent'),
  {
    code: 'not_an_object',
    path: '[0]',
    place: 'items item',
    formats: BOTH,
    put: ({ items }) => {
      items[0] = 'text';
    },
  },
  field('field_missing', 'op', undefined, [TX2]),
  field('field_type', 'op', 5, [TX2]),
  field('replace_all_refused', 'op', 'replace_all', [TX2]),
  field('op_unknown', 'op', 'delete', [TX2]),
  field('field_missing', 'match', null, BOTH, 'match'),
  field('field_type', 'match', [], BOTH, 'match'),
  field('match_empty', 'match', '', BOTH, 'match'),
  field('field_missing', 'start', undefined, [TX2], 'span'),
  field('integer_invalid', 'start', -1, [TX2], 'span'),
  field('field_type', 'end', '3', [TX2], 'span'),
  field('integer_invalid', 'end', 1.5, [TX2], 'span'),
  field('field_missing', 'expected_text', undefined, [TX2], 'span'),
  field('field_missing', 'replace', null, BOTH),
  field('field_type', 'replace', 0, BOTH),
  field('field_type', 'expected_before', 1, [TX2], 'span'),
  field('expected_context_empty', 'expected_after', '', [TX2], 'span'),
  field('selector_malformed', 'occurrence_index', 0, BOTH, 'match'),
  field('selector_malformed', 'anchor_before', '', BOTH, 'match'),
  field('selector_malformed', 'anchor_after', 5, BOTH, 'match'),
  field('unknown_field', 'hint', 1, BOTH),
  field('change_id_invalid', 'change_id', 'a b', BOTH),
  field('rationale_invalid', 'rationale', '', BOTH),
  field('rationale_too_long', 'rationale', 'r'.repeat(4097), BOTH),
  field('risk_invalid', 'risk', 'none', BOTH),
  field('match_too_long', 'match', 'm'.repeat(65_537), BOTH, 'match'),
  {
    code: 'change_id_duplicate',
    path: '[1].change_id',
    place: 'count',
    formats: BOTH,
    put: (draft, format) => {
      draft.items.push({ ...(format === TX2 ? { op: 'match' } : {}), match: 'beta', replace: 'y', change_id: 'chg_001' });
    },
  },
  { ...argument('replacement_too_large', 'replacement', 'r'.repeat(1_000_001), 'replacement', 'items item'), formats: [TX3] },
  walk('match_absent', 'match', 'gamma', 'match'),
  // Selectors are applied before candidates are counted: these two exclude each other.
  walk('match_ambiguous', 'match', 'alpha', 'match', 'item.match selected'),
  walk('selector_excludes_all', 'occurrence_index', 2, 'match', 'item.occurrence_index selected'),
  walk('span_out_of_bounds', 'end', 99, 'span'),
  field('span_expected_text_mismatch', 'expected_text', 'zeta', [TX2], 'span'),
  field('span_expected_text_mismatch', 'expected_before', 'q', [TX2], 'span'),
  field('span_expected_text_mismatch', 'expected_after', 'q', [TX2], 'span'),
];

/** Codes whose fault lies in the text of the target; a damaged target is reported before any of them. */
export const IN_THE_TEXT: readonly string[] = [
  'match_absent',
  'match_ambiguous',
  'selector_excludes_all',
  'span_out_of_bounds',
  'span_expected_text_mismatch',
];

/** Whether both can be put into one submission of this format. */
export function canStandTogether(one: Fault, other: Fault, format: Format): boolean {
  if (!one.formats.includes(format) || !other.formats.includes(format)) return false;
  if (one.item !== undefined && other.item !== undefined && one.item !== other.item) return false;
  const taken = new Set(one.place.split(' '));
  return other.place.split(' ').every((place) => {
    const whole = place.split('.')[0] ?? place;
    return !taken.has(place) && !taken.has(whole) && !(place === 'item' && [...taken].some((name) => name.startsWith('item.')));
  });
}
