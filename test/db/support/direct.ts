import type pg from 'pg';
import { isEncodable } from '../../../src/text/index.ts';
import { member, type Format, type JsonObject, type JsonValue } from '../../../src/transaction/index.ts';
import { isObject } from '../../../src/transaction/json.ts';
import type { Random } from '../../helpers/random.ts';

/** A direct call: the routine of schema patchdiff and its arguments by name, JSON as text. */
export interface DirectCall {
  routine: 'commit_match' | 'commit_spans' | 'commit_replacement';
  values: Record<string, unknown>;
}

/** The receipt's columns as the driver reads them. */
export type Receipt = Record<string, unknown>;

/** Makes the call by name in the client's session. Throws what the driver throws. */
export async function callDirect(client: pg.Client | pg.Pool, { routine, values }: DirectCall): Promise<Receipt> {
  const names = Object.keys(values);
  const { rows } = await client.query<Receipt>(
    `select * from patchdiff.${routine}(${names.map((name, at) => `${name} => $${String(at + 1)}`).join(', ')})`,
    Object.values(values),
  );
  return rows[0] as Receipt;
}

const ROUTINES: Record<Format, DirectCall['routine']> = {
  'patchdiff-tx/1': 'commit_match',
  'patchdiff-tx/2': 'commit_spans',
  'patchdiff-tx/3': 'commit_replacement',
};
const TEXTS = ['match', 'replace', 'change_id', 'rationale', 'risk', 'anchor_before', 'anchor_after'];
const INVOCATION = ['client_request_id', 'parent_pdcp_log_id', 'source'];

const textOf = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' && isEncodable(value) ? value : undefined);
/** What PostgreSQL's bigint and the tool's JSON number both hold exactly, or as the same double. */
const bigintOf = (value: JsonValue | undefined): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? value : undefined;

/** A JSON text of the value: in other spacing, escapes and spellings of numbers, which all mean the same. */
export function spelt(random: Random, value: JsonValue): string {
  const plain = JSON.stringify(value, null, random.pick([0, 1, '\t']));
  const escaped = random.chance(0.3)
    ? plain.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`)
    : plain;
  // A number after a name, never inside a string: there every quote is escaped.
  return escaped.replace(/((?<!\\)":\s*)(-?[1-9]\d*)(?=[,\n}])/g, (_whole, before: string, digits: string) =>
    random.chance(0.8) ? `${before}${digits}` : `${before}${random.pick([`${digits}.0`, `${digits}e0`, `${digits}0E-1`])}`,
  );
}

/**
 * A tool's arguments as the direct call that means the same, with the arguments as far as its types can say them; null when they cannot be
 * said at all. SQL's null is absence.
 */
export function directOf(random: Random, format: Format, args: JsonObject): { call: DirectCall; args: JsonObject } | null {
  const said: JsonObject = { target_file_id: (args['target_file_id'] as string).toLowerCase() };
  const values: Record<string, unknown> = { p_target_file_id: said['target_file_id'] };
  const say = (into: JsonObject, name: string, value: JsonValue | undefined): void => {
    if (value === undefined) {
      if (random.chance(0.3)) values[`p_${name}`] = null;
      return;
    }
    into[name] = value;
    // Digits: the driver would write a large number with an exponent.
    values[`p_${name}`] = typeof value === 'number' ? BigInt(value).toString() : value;
  };
  const { operations } = args;
  const edit = Array.isArray(args['edits']) && args['edits'].length === 1 ? args['edits'][0] : undefined;
  if (format === 'patchdiff-tx/1') {
    if (!isObject(edit)) return null;
    const one: JsonObject = {};
    values['p_match'] = values['p_replace'] = null;
    for (const name of TEXTS) say(one, name, textOf(member(edit, name)));
    say(one, 'occurrence_index', bigintOf(member(edit, 'occurrence_index')));
    said['edits'] = [one];
  } else if (format === 'patchdiff-tx/2') {
    if (!Array.isArray(operations) || !operations.every((item) => isDirect(item))) return null;
    const items = operations.map((item) => (isObject(item) && member(item, 'op') === 'span' ? without(item, 'op') : item));
    values['p_spans'] = spelt(random, items);
    said['operations'] = items.map((item) => (isObject(item) && !Object.hasOwn(item, 'op') ? { ...item, op: 'span' } : item));
  } else {
    values['p_replacement'] = null;
    say(said, 'replacement', textOf(args['replacement']));
  }
  values['p_intent'] = null;
  say(said, 'intent', textOf(args['intent']));
  say(said, 'expected_target_version', bigintOf(args['expected_target_version']));
  say(said, 'expected_current_hash', textOf(args['expected_current_hash']));
  for (const name of INVOCATION) say(said, name, textOf(args[name]));
  const attempt = bigintOf(args['attempt']);
  say(said, 'attempt', attempt !== undefined && Math.abs(attempt) < 2 ** 31 ? attempt : undefined);
  return { call: { routine: ROUTINES[format], values }, args: said };
}

/** Without numbers beyond double precision, which a direct call refuses as misuse. */
function isDirect(item: JsonValue): boolean {
  return !isObject(item) || Object.values(item).every((value) => typeof value !== 'number' || Number.isFinite(value));
}

function without(item: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(item).filter(([key]) => key !== name));
}
