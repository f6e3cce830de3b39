import { isEncodable } from '../../text/index.ts';
import { isEncodableValue, member } from '../../transaction/index.ts';
import type { JsonObject, JsonValue } from '../../transaction/index.ts';
import { isJsonObject, safeName } from '../common/arguments.ts';

const PATH = /^[a-z_]+(?:\[\d+\])?(?:\.[a-z_]+(?:\[\d+\])?)*$/;
const STEPS = /[a-z_]+|\d+/g;

/**
 * What a tool's arguments held at the path of a fault (`intent`, `edits[0].match`, `groups[0].operations[1].start`); `value` is undefined
 * for a field that is absent. Null when the arguments have no such place.
 */
export function valueAt(args: JsonObject, path: string): { value: JsonValue | undefined } | null {
  if (!PATH.test(path)) return null;
  let value: JsonValue | undefined = args;
  for (const step of path.match(STEPS) ?? []) {
    if (/^\d/.test(step)) {
      if (!Array.isArray(value) || Number(step) >= value.length) return null;
      value = value[Number(step)];
    } else if (isJsonObject(value)) value = member(value, step);
    else return null;
  }
  return { value };
}

/** The places of a tool's arguments whose text PostgreSQL cannot hold, in words, at most `most` and one more that says so. */
export function unencodablePlaces(args: JsonObject, most: number): string[] {
  const places: string[] = [];
  for (const [name, value] of Object.entries(args)) {
    if (places.length > most) break;
    if (!isEncodable(name)) places.push('the name of an argument');
    else if (Array.isArray(value)) places.push(...unencodableItems(name, value, most));
    else if (!isEncodableValue(value)) places.push(safeName(name));
  }
  return places.length > most ? [...places.slice(0, most), 'other fields'] : places;
}

function unencodableItems(name: string, items: readonly JsonValue[], most: number): string[] {
  const places: string[] = [];
  for (const [position, item] of items.entries()) {
    if (places.length > most) break;
    if (isEncodableValue(item)) continue;
    const path = `${safeName(name)}[${position}]`;
    if (!isJsonObject(item)) {
      places.push(path);
      continue;
    }
    for (const [field, value] of Object.entries(item)) {
      if (!isEncodable(field)) places.push(`the name of a field of ${path}`);
      // The operations of a group.
      else if (field === 'operations' && name === 'groups' && Array.isArray(value))
        places.push(...unencodableItems(`${path}.operations`, value, most));
      else if (!isEncodableValue(value)) places.push(`${path}.${safeName(field)}`);
    }
  }
  return places;
}
