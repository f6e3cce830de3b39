import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/pool.ts';
import { DatabaseError, databaseError } from '../../src/db/sqlstate.ts';
import { guardText, TextNotEncodableError } from '../../src/db/text-guard.ts';
import { parseTimestamp } from '../../src/db/types.ts';
import { useDatabase } from '../helpers/database.ts';

describe('errors by SQLSTATE', () => {
  test.each([
    ['40001', 'transient', 'serialization_failure'],
    ['40P01', 'transient', 'deadlock_detected'],
    ['55P03', 'transient', 'lock_timeout'],
    ['57014', 'cancelled', 'statement_cancelled'],
    ['57P01', 'unavailable', 'connection_lost'],
    ['08006', 'unavailable', 'connection_lost'],
    ['53300', 'resources', 'insufficient_resources'],
    ['42501', 'configuration', 'insufficient_privilege'],
    ['28P01', 'configuration', 'login_refused'],
    ['23514', 'unexpected', 'database_error'],
    ['PD999', 'unexpected', 'database_error'],
  ])('%s is %s', (code, kind, name) => {
    expect(databaseError({ code, message: 'm' }, 'statement')).toMatchObject({ kind, code: name, sqlstate: code });
  });

  test('a CHECK violation forwards nothing of the row', () => {
    const error = databaseError(
      { code: '23514', message: 'secret', detail: 'Failing row contains (secret).', hint: 'secret' },
      'statement',
    );
    expect(JSON.stringify([error, error.message, error.stack, error.cause])).not.toContain('secret');
  });

  test('a refusal of ours keeps message, detail object and hint', () => {
    expect(
      databaseError({ code: 'PD104', message: 'no such target', detail: '{"target_file_id":"x"}', hint: 'List the targets.' }, 'statement'),
    ).toMatchObject({
      kind: 'refused',
      code: 'target_not_found',
      message: 'no such target',
      detail: { target_file_id: 'x' },
      next: 'List the targets.',
    });
  });

  test('only a lost statement or commit leaves the outcome unknown', () => {
    const lost = new Error('Connection terminated unexpectedly');
    expect(
      ['connect', 'statement', 'transaction', 'commit'].map((phase) => databaseError(lost, phase as 'connect').outcomeUnknown),
    ).toEqual([false, true, false, true]);
  });
});

test('text that Node would silently repair never reaches the driver', () => {
  expect(() => guardText('s', ['a', null, 1, ['b', '\ud800']])).toThrow(TextNotEncodableError);
  expect(() => guardText('s', ['a\0'])).toThrow('parameter 1 of s');
  guardText('s', ['\u{1f600}', 'é', 0, true, null, [1]]);
});

test('timestamps keep their microseconds in every time zone', () => {
  expect(parseTimestamp('2026-01-02 03:04:05.678901+00')).toBe('2026-01-02T03:04:05.678901Z');
  expect(parseTimestamp('2026-01-02 03:04:05+05:30')).toBe('2026-01-01T21:34:05.000000Z');
  expect(parseTimestamp('2026-12-31 23:30:00.5-01')).toBe('2027-01-01T00:30:00.500000Z');
  expect(() => parseTimestamp('02/01/2026')).toThrow(RangeError);
});

describe('the pool', () => {
  const database = useDatabase();
  const select = (text: string, values: readonly string[] = []) => ({ name: text.slice(0, 40), text, values });

  test('parses bigint, json and timestamps, and refuses a bigint that JavaScript would round', async () => {
    const db = openDatabase({ connectionString: database.url() });
    const [row] = await db.query(
      select(`select 9007199254740991::bigint as n, '{"a":[1]}'::jsonb as j, '2026-01-02 03:04:05.000001+00'::timestamptz as t`),
    );
    expect(row).toEqual({ n: Number.MAX_SAFE_INTEGER, j: { a: [1] }, t: '2026-01-02T03:04:05.000001Z' });
    await expect(db.query(select('select 9007199254740992::bigint as n'))).rejects.toThrow(RangeError);
    expect(await db.query(select('select 1 as ok'))).toEqual([{ ok: 1 }]);
    await db.close();
    await db.close();
  });

  test('a transaction commits, rolls back, and never nests', async () => {
    const db = openDatabase({ connectionString: database.url('admin'), max: 1 });
    await db.query(select('create table public.t (n integer)'));
    await db.transaction((inner) => inner.query(select('insert into public.t values (1)')));
    await expect(
      db.transaction(async (inner) => {
        await inner.query(select('insert into public.t values (1)'));
        throw new Error('mine');
      }),
    ).rejects.toThrow('mine');
    await expect(db.transaction((inner) => inner.transaction(() => Promise.resolve()))).rejects.toThrow(TypeError);
    await expect(db.transaction((inner) => inner.query(select('select 1/0')).catch(() => undefined))).rejects.toThrow('swallowed');
    expect(await db.query(select('select count(*)::integer as n from public.t'))).toEqual([{ n: 1 }]);
    await db.close();
  });

  test('a signal cancels the statement at the server and the connection serves on', async () => {
    const db = openDatabase({ connectionString: database.url(), max: 1 });
    const started = Date.now();
    const slow = db.query(select('select pg_sleep(20)'), { signal: AbortSignal.timeout(200) });
    await expect(slow).rejects.toMatchObject({ kind: 'cancelled', outcomeUnknown: false });
    expect(Date.now() - started).toBeLessThan(10_000);
    expect(await db.query(select('select 1 as ok'))).toEqual([{ ok: 1 }]);
    await db.close();
  });

  test('a broken connection is an error of its own kind and is replaced', async () => {
    const db = openDatabase({ connectionString: database.url('admin'), max: 1 });
    const lost = await db.query(select('select pg_terminate_backend(pg_backend_pid())')).catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(DatabaseError);
    expect(lost).toMatchObject({ kind: 'unavailable', outcomeUnknown: true });
    expect(await db.query(select('select 1 as ok'))).toEqual([{ ok: 1 }]);
    await db.close();
    const away = openDatabase({ connectionString: 'postgres://nobody@127.0.0.1:1/none' });
    await expect(away.query(select('select 1'))).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'database_unreachable',
      outcomeUnknown: false,
    });
    await away.close();
  });

  test('a role is taken on by every connection', async () => {
    const db = openDatabase({ connectionString: database.url('admin'), role: 'patchdiff_writer' });
    expect(await db.query(select('select current_user::text as who'))).toEqual([{ who: 'patchdiff_writer' }]);
    await db.close();
  });
});
