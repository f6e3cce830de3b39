import { InvalidArgumentError } from 'commander';

// What the command line takes as a value. A wrong one is a wrong command line, found before anything is opened.

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(value: string): boolean {
  return UUID.test(value);
}

/** An id as every command prints it. */
export function uuid(value: string): string {
  if (!isUuid(value)) throw new InvalidArgumentError('It must be an id like 00000000-0000-4000-8000-000000000000.');
  return value;
}

/** A whole number from `least` to `most`. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (value: string) => number {
  const range = most === Number.MAX_SAFE_INTEGER ? `a whole number from ${least} on` : `a whole number from ${least} to ${most}`;
  return (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < least || number > most) throw new InvalidArgumentError(`It must be ${range}.`);
    return number;
  };
}

/** A content hash as every command prints it. */
export function hash(value: string): string {
  if (!/^[0-9a-f]{64}$/.test(value)) throw new InvalidArgumentError('It must be 64 lowercase hexadecimal digits.');
  return value;
}

/** A key that stands for one request. */
export function requestKey(value: string): string {
  if (!/^[!-~]{1,128}$/.test(value)) throw new InvalidArgumentError('It must be 1 to 128 visible ASCII characters without spaces.');
  return value;
}
