import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { untilBlocked } from '../helpers/blocked.ts';
import { useDatabase } from '../helpers/database.ts';
import { findingsOf, logOf } from './support/attempts.ts';
import { callDirect, type DirectCall, type Receipt } from './support/direct.ts';

const database = useDatabase();
let admin: pg.Client;
let writer: pg.Client;
let other: pg.Client;

beforeAll(async () => {
  admin = await database.client('admin');
  writer = await database.client('writer');
  other = await database.client('writer');
});

async function target(content: string): Promise<string> {
  const id = randomUUID();
  await writer.query(`select patchdiff.create_target($1, 'doc', $2)`, [id, content]);
  return id;
}

const textOf = async (id: string): Promise<string> =>
  (await writer.query<{ text: string }>('select current_content as text from patchdiff.read_target($1)', [id])).rows[0]!.text;

const write = (id: string, version: number, text: string, key: string | null = null): DirectCall => ({
  routine: 'commit_replacement',
  values: { p_target_file_id: id, p_replacement: text, p_intent: 'i', p_expected_target_version: version, p_client_request_id: key },
});

describe('inside the transaction of the caller', () => {
  test('a rollback undoes row, key and content; the key is free again', async () => {
    const id = await target('old');
    await writer.query('begin');
    expect(await callDirect(writer, write(id, 0, 'new', 'key'))).toMatchObject({ outcome: 'accepted' });
    expect(await callDirect(writer, write(id, 0, 'newer', 'refused'))).toMatchObject({ outcome: 'rejected' });
    await writer.query('rollback');
    expect([await textOf(id), await logOf(admin, id)]).toEqual(['old', []]);
    expect(await callDirect(writer, write(id, 0, 'other', 'key'))).toMatchObject({ outcome: 'accepted', deduplicated: false });
    expect(await callDirect(writer, write(id, 1, 'another', 'refused'))).toMatchObject({ outcome: 'accepted', deduplicated: false });
  });

  test('a savepoint does the same to what came after it', async () => {
    const id = await target('old');
    await writer.query('begin');
    await callDirect(writer, write(id, 0, 'first'));
    await writer.query('savepoint s');
    await callDirect(writer, write(id, 1, 'second'));
    await writer.query('rollback to s');
    expect(await callDirect(writer, write(id, 1, 'third'))).toMatchObject({ outcome: 'accepted', after_version: '2' });
    await writer.query('commit');
    expect(await textOf(id)).toBe('third');
    expect(await findingsOf(admin, id)).toEqual([]);
  });

  test.each(['commit', 'rollback'])('two targets %s together', async (end) => {
    const ids = [await target('a'), await target('b')].sort();
    await writer.query('begin');
    for (const id of ids) expect(await callDirect(writer, write(id, 0, 'new'))).toMatchObject({ outcome: 'accepted' });
    await writer.query(end);
    expect([await textOf(ids[0]!), await textOf(ids[1]!)].every((text) => (text === 'new') === (end === 'commit'))).toBe(true);
  });

  test('taken in ascending order, two transactions over the same two targets wait and both commit', async () => {
    const [low, high] = [await target('a'), await target('b')].sort() as [string, string];
    await writer.query('begin');
    await callDirect(writer, write(low, 0, 'one'));
    await other.query('begin');
    const second = callDirect(other, write(low, 1, 'two'));
    await untilBlocked(admin, other);
    await callDirect(writer, write(high, 0, 'one'));
    await writer.query('commit');
    expect(await second).toMatchObject({ outcome: 'accepted' });
    expect(await callDirect(other, write(high, 1, 'two'))).toMatchObject({ outcome: 'accepted' });
    await other.query('commit');
    expect([await textOf(low), await textOf(high)]).toEqual(['two', 'two']);
  });

  test('taken in opposite orders they deadlock: 40P01 for one, the whole of the other, and no damage', async () => {
    const [low, high] = [await target('a'), await target('b')].sort() as [string, string];
    await writer.query('begin');
    await other.query('begin');
    await callDirect(writer, write(low, 0, 'one'));
    await callDirect(other, write(high, 0, 'two'));
    const ended = await Promise.allSettled([
      callDirect(writer, write(high, 0, 'one')).then((receipt) => writer.query('commit').then(() => receipt)),
      callDirect(other, write(low, 0, 'two')).then((receipt) => other.query('commit').then(() => receipt)),
    ]);
    await writer.query('rollback');
    await other.query('rollback');
    const failed = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason as { code: string }] : []));
    const done = ended.flatMap((end): Receipt[] => (end.status === 'fulfilled' ? [end.value] : []));
    expect(failed.map(({ code }) => code)).toEqual(['40P01']);
    expect(done).toMatchObject([{ outcome: 'accepted' }]);
    const texts = [await textOf(low), await textOf(high)];
    expect([
      ['one', 'one'],
      ['two', 'two'],
    ]).toContainEqual(texts);
    for (const id of [low, high]) {
      expect(await logOf(admin, id)).toHaveLength(1);
      expect(await findingsOf(admin, id)).toEqual([]);
    }
  });

  test('at REPEATABLE READ a target that moved since the snapshot is 40001', async () => {
    const id = await target('a');
    await writer.query('begin isolation level repeatable read');
    await writer.query('select 1 from patchdiff_audit.targets limit 1');
    await callDirect(other, write(id, 0, 'b'));
    await expect(callDirect(writer, write(id, 1, 'c'))).rejects.toMatchObject({ code: '40001' });
    await writer.query('rollback');
    expect(await textOf(id)).toBe('b');
  });
});
