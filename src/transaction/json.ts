/** A value that JSON can carry, as `JSON.parse` returns it. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object. Read its members with `member`, never with a bare index: keys come from outside. */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** Hex SHA-256 of the UTF-8 of a well-formed text. Passed in: the pure rooms import no crypto. */
export type Sha256 = (text: string) => string;

/** The own member of that name, or undefined: names such as `constructor` never reach the prototype. */
export function member(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** True for a JSON object (no array, no null). */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True when the member is left out or null: the formats treat both alike. */
export function isAbsent(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

/** True for an integer of the protocol's number domain, within the given bounds (both included). */
export function isInteger(value: JsonValue | undefined, least: number, most: number = Number.MAX_SAFE_INTEGER): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;
}
