import { codePointLength, isBlank, isEncodable } from '../../text/index.ts';

/** What a JSON value is, in one word a caller knows. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** The same in as many words as it takes to see why a rule was broken: never the value, and of a text no more than its length. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return kindOf(value);
  if (typeof value === 'string') return describeText(value);
  if (typeof value === 'number') return describeNumber(value);
  if (Array.isArray(value) && value.length === 0) return 'an empty array';
  return `${/^[aeiou]/.test(kindOf(value)) ? 'an' : 'a'} ${kindOf(value)}`;
}

function describeText(text: string): string {
  if (text === '') return 'an empty string';
  if (!isEncodable(text)) return 'a string with a NUL or half of a surrogate pair';
  const length = codePointLength(text);
  return `a ${isBlank(text) ? 'blank ' : ''}string of ${length} ${length === 1 ? 'character' : 'characters'}`;
}

function describeNumber(value: number): string {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return 'a number beyond 9007199254740991';
  if (!Number.isInteger(value)) return 'a fraction';
  return value < 0 ? 'a negative integer' : value === 0 ? 'zero' : 'an integer';
}
