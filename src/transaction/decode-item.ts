import { codePointLength, isBlank, utf8Length } from '../text/index.ts';
import { sortedNames } from './encode.ts';
import { isAbsent, isInteger, isObject, member } from './json.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { LIMITS } from './limits.ts';
import { cutName } from './path.ts';
import type { Profile } from './profiles.ts';
import type { Change, Fault, Format, Risk } from './types.ts';
import { faultOf } from './words.ts';
import type { FaultCode, Words } from './words.ts';

const CHANGE_ID = /^[A-Za-z0-9_.:-]{1,64}$/;
const RISKS: readonly JsonValue[] = ['low', 'medium', 'high'];
const COMMON = ['replace', 'change_id', 'rationale', 'risk'];
const KNOWN = {
  match: ['match', 'occurrence_index', 'anchor_before', 'anchor_after', ...COMMON],
  span: ['op', 'start', 'end', 'expected_text', ...COMMON],
  replace_all: ['op', 'replace'],
};
const ADJACENCY = ['expected_before', 'expected_after'] as const;
const ANCHORS = ['anchor_before', 'anchor_after'] as const;

export interface ItemContext {
  container: string;
  /** 0-based. */
  position: number;
  /** Items of the container. */
  count: number;
  /** Items of the submission before this container. */
  before: number;
  format: Format;
  profile: Profile;
  /** Whether the admission limits apply. */
  fresh: boolean;
  /** Change ids of the items before. */
  used: ReadonlySet<string>;
}

export type DecodedItem = { ok: true; change: Change } | { ok: false; fault: Fault };
type Refuse = (code: FaultCode, field: string | null, words?: Words) => Fault;

/** I1 to I13 of docs/spec/decoding.md; the first fault wins. */
export function decodeItem(item: JsonValue, context: ItemContext): DecodedItem {
  const base = `${context.container}[${context.position}]`;
  const ordinal = context.before + context.position + 1;
  const fallback = `chg_${String(ordinal).padStart(3, '0')}`;
  const given = isObject(item) ? member(item, 'change_id') : undefined;
  const valid = isChangeId(given, context.profile);
  const changeId = valid ? given : isAbsent(given) ? fallback : null;
  const refuse: Refuse = (code, field, words) =>
    faultOf(code, {
      path: field === null ? base : `${base}.${field}`,
      ordinal,
      failedChangeId: changeId,
      ...(words === undefined ? {} : { words }),
    });

  if (!isObject(item)) return { ok: false, fault: { ...refuse('not_an_object', null), failedChangeId: null } };
  const operation = operationOf(item, context, refuse);
  if (typeof operation !== 'string') return { ok: false, fault: operation };
  const fault =
    requiredFault(item, operation, refuse) ??
    (operation === 'span' && context.profile.spanAdjacency ? adjacencyFault(item, refuse) : null) ??
    (operation === 'match' ? selectorFault(item, refuse) : null) ??
    unknownFault(item, operation, context, refuse) ??
    (changeId === null ? refuse('change_id_invalid', 'change_id') : null) ??
    (context.used.has(changeId ?? '') ? refuse('change_id_duplicate', 'change_id') : null) ??
    annotationFault(item, context, refuse) ??
    (context.fresh ? admissionFault(item, operation, refuse) : null);
  return fault === null
    ? { ok: true, change: changeOf(item, operation, { ordinal, path: base, changeId: changeId ?? fallback }) }
    : { ok: false, fault };
}

function isChangeId(value: JsonValue | undefined, profile: Profile): value is string {
  return typeof value === 'string' && (profile.changeIds === 'historical' || CHANGE_ID.test(value));
}

/** I2 and I3. */
function operationOf(item: JsonObject, { format, count, container }: ItemContext, refuse: Refuse): Change['operation'] | Fault {
  if (format === 'patchdiff-tx/1') return 'match';
  const op = member(item, 'op');
  if (isAbsent(op)) return refuse('field_missing', 'op');
  if (typeof op !== 'string') return refuse('field_type', 'op', { type: 'a string' });
  if (format === 'patchdiff-tx/3') {
    const rule = { rule: 'exactly one replace_all' };
    if (op !== 'replace_all') return refuse('op_unknown', 'op', rule);
    if (count > 1) return { ...refuse('op_unknown', null, { ...rule, path: `${container}[1]` }), path: `${container}[1]` };
    return op;
  }
  if (op === 'replace_all') return refuse('replace_all_refused', 'op');
  if (op !== 'match' && op !== 'span') return refuse('op_unknown', 'op', { rule: 'one of match, span' });
  return op;
}

/** I4. */
function requiredFault(item: JsonObject, operation: Change['operation'], refuse: Refuse): Fault | null {
  switch (operation) {
    case 'match':
      return (
        textFault(item, 'match', refuse) ??
        (member(item, 'match') === '' ? refuse('match_empty', 'match') : null) ??
        textFault(item, 'replace', refuse)
      );
    case 'span':
      return (
        offsetFault(item, 'start', refuse) ??
        offsetFault(item, 'end', refuse) ??
        textFault(item, 'expected_text', refuse) ??
        textFault(item, 'replace', refuse)
      );
    case 'replace_all':
      return textFault(item, 'replace', refuse);
  }
}

function textFault(item: JsonObject, name: string, refuse: Refuse): Fault | null {
  const value = member(item, name);
  if (isAbsent(value)) return refuse('field_missing', name);
  return typeof value === 'string' ? null : refuse('field_type', name, { type: 'a string' });
}

function offsetFault(item: JsonObject, name: string, refuse: Refuse): Fault | null {
  const value = member(item, name);
  if (isAbsent(value)) return refuse('field_missing', name);
  // One that is not finite is a string in the record, and so to the database.
  if (typeof value !== 'number' || !Number.isFinite(value)) return refuse('field_type', name, { type: 'an integer' });
  return isInteger(value, 0) ? null : refuse('integer_invalid', name);
}

/** I5. */
function adjacencyFault(item: JsonObject, refuse: Refuse): Fault | null {
  for (const name of ADJACENCY) {
    const value = member(item, name);
    if (isAbsent(value)) continue;
    if (typeof value !== 'string') return refuse('field_type', name, { type: 'a string' });
    if (value === '') return refuse('expected_context_empty', name);
  }
  return null;
}

/** I6. */
function selectorFault(item: JsonObject, refuse: Refuse): Fault | null {
  const index = member(item, 'occurrence_index');
  if (!isAbsent(index) && !isInteger(index, 1))
    return refuse('selector_malformed', 'occurrence_index', { rule: 'an integer from 1 to 9007199254740991' });
  for (const name of ANCHORS) {
    const value = member(item, name);
    if (!isAbsent(value) && (typeof value !== 'string' || value === '')) {
      return refuse('selector_malformed', name, { rule: 'a non-empty string' });
    }
  }
  return null;
}

/** I7. */
function unknownFault(item: JsonObject, operation: Change['operation'], { format, profile }: ItemContext, refuse: Refuse): Fault | null {
  const known = new Set<string>(KNOWN[operation]);
  if (format !== 'patchdiff-tx/1') known.add('op');
  // An explicit null means absent, so it does not ask for the profile with adjacency and is no unknown field without it.
  if (operation === 'span') for (const name of ADJACENCY) if (profile.spanAdjacency || item[name] === null) known.add(name);
  const unknown = sortedNames(item).find((name) => !known.has(name));
  return unknown === undefined ? null : refuse('unknown_field', cutName(unknown));
}

/** I10 and I11, with the limit of a rationale. */
function annotationFault(item: JsonObject, { fresh }: ItemContext, refuse: Refuse): Fault | null {
  const rationale = member(item, 'rationale');
  if (!isAbsent(rationale) && (typeof rationale !== 'string' || isBlank(rationale))) return refuse('rationale_invalid', 'rationale');
  if (fresh && typeof rationale === 'string' && codePointLength(rationale) > LIMITS.reasonChars)
    return refuse('rationale_too_long', 'rationale');
  const risk = member(item, 'risk');
  return isAbsent(risk) || RISKS.includes(risk) ? null : refuse('risk_invalid', 'risk');
}

/** I12 and I13. */
function admissionFault(item: JsonObject, operation: Change['operation'], refuse: Refuse): Fault | null {
  if (operation === 'match' && codePointLength(textOf(item, 'match')) > LIMITS.matchChars) return refuse('match_too_long', 'match');
  if (operation !== 'replace_all') return null;
  const replace = textOf(item, 'replace');
  return codePointLength(replace) > LIMITS.replacementChars || utf8Length(replace) > LIMITS.replacementBytes
    ? { ...refuse('replacement_too_large', null), path: 'replacement' }
    : null;
}

function changeOf(item: JsonObject, operation: Change['operation'], place: { ordinal: number; path: string; changeId: string }): Change {
  const common = {
    ...place,
    rationale: (member(item, 'rationale') ?? null) as string | null,
    risk: (member(item, 'risk') ?? null) as Risk | null,
    replace: textOf(item, 'replace'),
  };
  switch (operation) {
    case 'match':
      return {
        ...common,
        operation,
        match: textOf(item, 'match'),
        occurrenceIndex: (member(item, 'occurrence_index') ?? null) as number | null,
        anchorBefore: (member(item, 'anchor_before') ?? null) as string | null,
        anchorAfter: (member(item, 'anchor_after') ?? null) as string | null,
      };
    case 'span':
      return {
        ...common,
        operation,
        start: member(item, 'start') as number,
        end: member(item, 'end') as number,
        expectedText: textOf(item, 'expected_text'),
        expectedBefore: (member(item, 'expected_before') ?? null) as string | null,
        expectedAfter: (member(item, 'expected_after') ?? null) as string | null,
      };
    case 'replace_all':
      return { ...common, operation, risk: 'low' };
  }
}

function textOf(item: JsonObject, name: string): string {
  return member(item, name) as string;
}
