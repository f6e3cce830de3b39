import { createHash } from 'node:crypto';

export const sha256 = (value: string | Buffer): string => createHash('sha256').update(value).digest('hex');

/** What was checked after a run, and what of it did not hold. */
export class Checks {
  /** Checks that were made. */
  made = 0;
  readonly failures: string[] = [];

  that(holds: boolean, what: string): void {
    this.made += 1;
    if (!holds) this.failures.push(what);
  }

  equal(actual: unknown, expected: unknown, what: string): void {
    this.that(actual === expected, `${what}: ${shown(actual)}, not ${shown(expected)}`);
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 200 ? `${text.slice(0, 200)}… (${text.length} characters)` : text;
}
