import { isEncodable } from '../../text/index.ts';
import { canonicalUuid } from '../../transaction/index.ts';
import type { JsonObject, JsonValue } from '../../transaction/index.ts';
import { describeValue, kindOf } from './value-kind.ts';

/** The first argument that broke its rule. `kind` and `sent` say what was sent, in one word and in some; never the value itself. */
export interface ArgumentFault {
  argument: string;
  kind: string;
  sent: string;
  rule: string;
  /** What to do, when it is not to send the argument as the rule says. */
  next?: string;
}

const HASH = /^[0-9a-f]{64}$/;
const MAX_NAME = 64;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name of the caller's, cut to 64 code points and free of lone surrogates and control characters. */
export function safeName(name: string): string {
  const cut = [...name.slice(0, 2 * MAX_NAME)].slice(0, MAX_NAME).join('').toWellFormed();
  return cut.replace(/\p{Cc}/gu, '\u{FFFD}');
}

function faultOf(argument: string, value: unknown, rule: string): ArgumentFault {
  return { argument, kind: kindOf(value), sent: describeValue(value), rule };
}

/**
 * Reads one call's arguments and remembers the first fault; later reads then answer their defaults. So a tool reads all it
 * knows, calls `end`, and looks at `fault` once. Null counts as absent everywhere.
 */
export class ArgumentReader {
  readonly #args: JsonObject;
  readonly #known = new Set<string>();
  #fault: ArgumentFault | null = null;

  constructor(args: unknown) {
    if (isJsonObject(args)) {
      this.#args = args;
    } else {
      this.#args = {};
      if (args !== undefined && args !== null) this.#fault = faultOf('arguments', args, 'one JSON object');
    }
  }

  get fault(): ArgumentFault | null {
    return this.#fault;
  }

  /** Records a fault of `argument`, unless there is one already, and answers the first; `next` as in the fault. Tools call it for rules of their own. */
  refuse(argument: string, rule: string, next?: string): ArgumentFault {
    return (this.#fault ??= { ...faultOf(argument, this.#take(argument), rule), ...(next === undefined ? {} : { next }) });
  }

  #take(name: string): unknown {
    this.#known.add(name);
    return Object.hasOwn(this.#args, name) ? this.#args[name] : undefined;
  }

  has(name: string): boolean {
    const value = this.#take(name);
    return value !== undefined && value !== null;
  }

  /** A required UUID, answered in its lower-case form; '' after a fault. */
  uuid(name: string): string {
    return this.optionalUuid(name) ?? this.#required(name, 'a UUID, as the server returned it', '');
  }

  optionalUuid(name: string): string | null {
    const value = this.#take(name);
    if (value === undefined || value === null) return null;
    const uuid = canonicalUuid(value as JsonValue);
    if (uuid === null) this.refuse(name, 'a UUID, as the server returned it');
    return uuid;
  }

  /** An integer of [min, max]; a boolean or a numeric string is none. */
  integer<D extends number | null>(name: string, fallback: D, min: number, max = Number.MAX_SAFE_INTEGER): number | D {
    const value = this.#take(name);
    if (value === undefined || value === null) return fallback;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    this.refuse(name, `an integer from ${String(min)} to ${String(max)}`);
    return fallback;
  }

  /** As `integer` of at least `min`, but a value above `max` counts as `max`. */
  clamped(name: string, fallback: number, max: number, min = 1): number {
    return Math.min(max, this.integer(name, fallback, min));
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.#take(name);
    if (value === undefined || value === null) return fallback;
    if (typeof value === 'boolean') return value;
    this.refuse(name, 'true or false, as a JSON boolean');
    return fallback;
  }

  /** A string that PostgreSQL text can hold, of at most `maxChars` UTF-16 units and, unless `allowEmpty`, not empty. */
  optionalText(name: string, maxChars: number, allowEmpty = false): string | null {
    const value = this.#take(name);
    if (value === undefined || value === null) return null;
    const rule = `a ${allowEmpty ? '' : 'non-empty '}string of at most ${String(maxChars)} characters, in valid Unicode without NUL`;
    if (typeof value === 'string' && (allowEmpty || value !== '') && value.length <= maxChars && isEncodable(value)) return value;
    this.refuse(name, rule);
    return null;
  }

  text(name: string, maxChars: number, allowEmpty = false): string {
    return this.optionalText(name, maxChars, allowEmpty) ?? this.#required(name, 'required, a string', '');
  }

  /** Any string, to be judged by the tool itself. */
  rawText(name: string): string | null {
    const value = this.#take(name);
    if (value === undefined || value === null) return null;
    if (typeof value === 'string') return value;
    this.refuse(name, 'a string');
    return null;
  }

  /** A string that matches; `rule` says the pattern in words. */
  matching(name: string, pattern: RegExp, rule: string): string | null {
    const value = this.#take(name);
    if (value === undefined || value === null) return null;
    if (typeof value === 'string' && pattern.test(value)) return value;
    this.refuse(name, rule);
    return null;
  }

  optionalHash(name: string): string | null {
    return this.matching(name, HASH, '64 lowercase hexadecimal digits');
  }

  /** A required array of 1 to `max` items that all pass; `rule` says that in words. */
  list(name: string, rule: string, max: number, passes: (item: JsonValue) => boolean): JsonValue[] {
    const value = this.#take(name);
    if (Array.isArray(value) && value.length > 0 && value.length <= max && (value as JsonValue[]).every(passes))
      return value as JsonValue[];
    const wrong = Array.isArray(value) && value.length <= max ? (value as JsonValue[]).findIndex((item) => !passes(item)) : -1;
    let next: string | undefined;
    if (typeof value === 'string') next = `${name} was sent as a string: send a JSON array, not its text: ${name}: ["…"].`;
    else if (wrong >= 0)
      next = `Correct ${name}[${String(wrong)}], which was sent as ${describeValue((value as unknown[])[wrong])}, and send the call again.`;
    this.refuse(name, rule, next);
    return [];
  }

  oneOf<C extends string>(name: string, choices: readonly C[], fallback: C | null): C {
    const value = this.#take(name);
    if ((value === undefined || value === null) && fallback !== null) return fallback;
    const chosen = choices.find((choice) => choice === value);
    if (chosen !== undefined) return chosen;
    this.refuse(name, `one of ${choices.join(', ')}`);
    return choices[0] as C;
  }

  #required<T>(name: string, rule: string, placeholder: T): T {
    this.refuse(name, rule);
    return placeholder;
  }

  /** Call last: an argument that no read asked for is a fault, so that a misspelt guard never means "no guard". */
  end(): void {
    for (const name of Object.keys(this.#args)) {
      if (!this.#known.has(name)) {
        this.#fault ??= {
          ...faultOf(safeName(name), this.#args[name], `unknown argument; this tool takes ${[...this.#known].join(', ')}`),
          next: `Remove the argument ${safeName(name)}, or correct its spelling.`,
        };
        return;
      }
    }
  }
}
