import { member } from './json.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { AnyFormat } from './types.ts';

/** Arguments that describe the invocation and are no part of the record. */
const INVOCATION = new Set(['client_request_id', 'parent_pdcp_log_id', 'attempt', 'source', 'correlation_id']);
const GUARDS = ['expected_current_hash', 'expected_target_version'];
/** Names that the record, or what is stored of it, needs for itself. */
const RESERVED: Readonly<Record<AnyFormat, readonly string[]>> = {
  'patchdiff-tx/1': ['format'],
  'patchdiff-tx/2': ['format'],
  'patchdiff-tx/3': ['format', 'operations'],
  'patchdiff-observed-batch/1': ['format', 'observation'],
};

/**
 * The record of a submission: every argument as sent without the five invocation values, plus `format`, with the two guard
 * keys filled with null when absent. Names the record needs for itself are moved to `argument_…`, so that the record tells why
 * it was refused. Built from entries, so that a key called `__proto__` stays a key.
 */
export function recordOf(format: AnyFormat, args: JsonObject): JsonObject {
  const lowered = format === 'patchdiff-tx/3' ? member(args, 'replacement') : undefined;
  const entries = new Map<string, JsonValue>([['format', format]]);
  if (typeof lowered === 'string') entries.set('operations', [{ op: 'replace_all', replace: lowered }]);
  const moved: [string, JsonValue][] = [];
  for (const name of Object.keys(args)) {
    const value = args[name];
    if (value === undefined || INVOCATION.has(name)) continue;
    if (name === 'replacement' && typeof lowered === 'string') continue;
    if (RESERVED[format].includes(name)) moved.push([name, value]);
    else entries.set(name, value);
  }
  for (const guard of GUARDS) if (!entries.has(guard)) entries.set(guard, null);
  for (const [name, value] of moved) entries.set(freeName(name, entries), value);
  return Object.fromEntries(entries);
}

function freeName(name: string, taken: ReadonlyMap<string, JsonValue>): string {
  let free = `argument_${name}`;
  while (taken.has(free)) free = `argument_${free}`;
  return free;
}
