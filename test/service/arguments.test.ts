import { describe, expect, test } from 'vitest';
import { invalidArgument } from '../../src/service/common/answers.ts';
import { ArgumentReader, safeName } from '../../src/service/common/arguments.ts';
import { kindOf } from '../../src/service/common/value-kind.ts';

const ID = '0190a8b2-7e11-7f3a-8b64-9a2f6f0e4c11';

describe('one call’s arguments', () => {
  test('absent and null answer the default, a clamped limit its bound', () => {
    const reader = new ArgumentReader({ limit: 500, start: null });
    expect([reader.clamped('limit', 50, 200), reader.clamped('other', 50, 200), reader.integer('start', 7, 0)]).toEqual([200, 50, 7]);
    reader.end();
    expect(reader.fault).toBeNull();
  });

  test.each([
    ['limit', true, 'boolean', 'a boolean'],
    ['limit', '5', 'string', 'a string of 1 character'],
    ['limit', 1.5, 'number', 'a fraction'],
    ['limit', 0, 'integer', 'zero'],
    ['limit', -4, 'integer', 'a negative integer'],
    ['limit', [5], 'array', 'an array'],
    ['limit', {}, 'object', 'an object'],
    ['limit', 2 ** 53, 'integer', 'a number beyond 9007199254740991'],
  ])('an integer refuses %s = %j', (name, value, kind, sent) => {
    const reader = new ArgumentReader({ [name]: value });
    reader.clamped('limit', 50, 200);
    expect(reader.fault).toEqual({ argument: 'limit', kind, sent, rule: 'an integer from 1 to 9007199254740991' });
  });

  test.each(['true', 1, 0, 'false', {}])('a flag refuses %j', (value) => {
    const reader = new ArgumentReader({ flag: value });
    reader.flag('flag', false);
    expect(reader.fault?.argument).toBe('flag');
  });

  test('the first fault stays', () => {
    const reader = new ArgumentReader({ a: 1, b: 2 });
    reader.uuid('a');
    reader.uuid('b');
    reader.end();
    expect(reader.fault).toEqual({ argument: 'a', kind: 'integer', sent: 'an integer', rule: 'a UUID, as the server returned it' });
  });

  test('a missing id is a fault, an upper-case one is the same id', () => {
    expect(new ArgumentReader({ id: ID.toUpperCase() }).uuid('id')).toBe(ID);
    const reader = new ArgumentReader({});
    reader.uuid('id');
    expect(reader.fault?.kind).toBe('nothing');
  });

  test('a misspelt argument is refused, its name shown safely and bounded', () => {
    const reader = new ArgumentReader({ [`expected_target_versoin\n\ud800${'x'.repeat(500)}`]: 3 });
    reader.uuid('id');
    const fresh = new ArgumentReader({ id: ID, 'a\u0007b': 's3cret' });
    fresh.uuid('id');
    fresh.end();
    expect(invalidArgument(fresh.fault ?? { argument: '', kind: '', sent: '', rule: '' })).toMatchObject({
      argument: 'a\u{FFFD}b',
      kind: 'string',
    });
    expect(JSON.stringify(fresh.fault)).not.toContain('s3cret');
    expect(safeName(`\ud800${'😀'.repeat(100)}`)).toBe(`\u{FFFD}${'😀'.repeat(63)}`);
  });

  test.each([
    ['\ud800', 'a string with a NUL or half of a surrogate pair'],
    ['a\0', 'a string with a NUL or half of a surrogate pair'],
    ['', 'an empty string'],
    ['a'.repeat(11), 'a string of 11 characters'],
  ])('text outside PostgreSQL text is refused: %j', (value, sent) => {
    const reader = new ArgumentReader({ text: value });
    reader.text('text', 10);
    expect(reader.fault).toMatchObject({ argument: 'text', kind: 'string', sent });
  });

  test.each([null, undefined])('arguments that are %s count as none', (value) => {
    const reader = new ArgumentReader(value);
    reader.end();
    expect(reader.fault).toBeNull();
  });

  test.each([[[1]], ['{}'], [5], [true]])('arguments that are no object: %j', (value) => {
    expect(new ArgumentReader(value).fault).toMatchObject({ argument: 'arguments', kind: kindOf(value) });
  });

  test('names of the prototype are unknown arguments like any other', () => {
    const reader = new ArgumentReader(JSON.parse('{"__proto__": 1}'));
    expect(reader.has('constructor')).toBe(false);
    reader.end();
    expect(reader.fault?.argument).toBe('__proto__');
  });

  test('an unknown argument is to be removed, not to be sent as stated', () => {
    const reader = new ArgumentReader({ zz: 1 });
    reader.has('limit');
    reader.end();
    const fault = reader.fault ?? reader.refuse('zz', '');
    expect(invalidArgument(fault)).toMatchObject({
      argument: 'zz',
      rule: 'unknown argument; this tool takes limit',
      next_step: 'Remove the argument zz, or correct its spelling.',
    });
    expect(invalidArgument({ argument: 'limit', kind: 'string', sent: 'a string', rule: 'r' })['next_step']).toBe(
      'Send the call again with limit as stated.',
    );
  });
});
