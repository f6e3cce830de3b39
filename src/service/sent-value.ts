import { member } from '../transaction/index.ts';
import type { JsonObject, JsonValue } from '../transaction/index.ts';
import { isJsonObject } from './arguments.ts';

const ITEM = /^(edits|operations)\[(\d+)\](?:\.([a-z_]+))?$/;

/**
 * What a tool's arguments held at the path of a fault (`intent`, `edits[0].match`); `value` is undefined for a field that is absent.
 * Null when the arguments have no such place.
 */
export function valueAt(args: JsonObject, path: string): { value: JsonValue | undefined } | null {
  const parts = ITEM.exec(path);
  if (parts === null) return /^[a-z_]+$/.test(path) ? { value: member(args, path) } : null;
  const [, container = '', position = '', field] = parts;
  const items = member(args, container);
  const index = Number(position);
  if (!Array.isArray(items) || index >= items.length) return null;
  const item = items[index];
  if (field === undefined) return { value: item };
  return isJsonObject(item) ? { value: member(item, field) } : null;
}
