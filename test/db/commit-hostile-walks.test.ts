import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/transaction/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { Random } from '../helpers/random.ts';

/** Far above what a sound walk takes on a busy machine, below what these took: time is bounded by the database, not measured. */
const LIMIT = '20s';

const database = useDatabase();
let admin: pg.Client;

beforeAll(async () => {
  admin = await database.client('admin');
  await admin.query(`set statement_timeout = '${LIMIT}'`);
});

interface Walk {
  code: string | null;
  hash: string | null;
}

async function walkFound(content: string, items: JsonObject[], format: string): Promise<Walk> {
  const { rows } = await admin.query<Walk>(
    `select (w.fault).failure_code as code, w.after_hash as hash
     from patchdiff_store.walk_found($1, $2, patchdiff_store.read_operations($3, $4), 'operations') as w`,
    [Buffer.from(content), [...content].length, JSON.stringify(items), format],
  );
  return rows[0] ?? { code: 'no row', hash: null };
}

async function walkClaimed(content: string, items: JsonObject[], starts: number[]): Promise<string | null> {
  const { rows } = await admin.query<{ hash: string | null }>(
    `select w.after_hash as hash
     from patchdiff_store.walk_claimed($1, $2, patchdiff_store.read_operations($3, 'patchdiff-tx/1'), $4) as w`,
    [Buffer.from(content), [...content].length, JSON.stringify(items), starts],
  );
  return rows[0]?.hash ?? null;
}

const letter = 'a'.repeat(16_000_000);
test.each([80, 300, 512, 513, 2000])('a match of %i bytes in a run of one letter is found unique in bounded time', async (length) => {
  const match = `b${'a'.repeat(length - 1)}`;
  const content = `${letter}${match}`;
  expect(await walkClaimed(content, [{ match, replace: 'x' }], [letter.length])).not.toBeNull();
  expect(await walkClaimed(`${content}${match}`, [{ match, replace: 'x' }], [letter.length])).toBeNull();
});

test('many spans of a text that is not ASCII cost what they are apart', { timeout: 60_000 }, async () => {
  const content = 'é漢𝒳x'.repeat(100_000);
  const length = 400_000;
  const items = Array.from({ length: 2000 }, (_, index) => {
    const start = index % 2 === 0 ? index * 100 : length - index * 100;
    return { op: 'span', start, end: start, expected_text: '', replace: '' };
  });
  expect((await walkFound(content, items, 'patchdiff-tx/2')).code).toBeNull();
});

test('many matches are found in bounded time', { timeout: 60_000 }, async () => {
  const content = Array.from({ length: 50_000 }, (_, index) => `line ${index} é of it`).join('\n');
  const items = Array.from({ length: 2000 }, (_, index) => ({ match: `line ${index * 20 + 7} é`, replace: `l${index}` }));
  expect((await walkFound(content, items, 'patchdiff-tx/1')).code).toBeNull();
});

test('a high occurrence of a frequent text is reached in bounded time', async () => {
  const random = new Random(3);
  const content = random.text(['a', 'aa', 'b', 'bb', 'ab'], 700_000);
  const count = content.split('b').length - 1;
  expect(await walkFound(content, [{ match: 'b', occurrence_index: count, replace: 'x' }], 'patchdiff-tx/1')).toMatchObject({ code: null });
  expect(await walkFound(content, [{ match: 'b', occurrence_index: count + 1, replace: 'x' }], 'patchdiff-tx/1')).toMatchObject({
    code: 'selector_excludes_all',
  });
});

test('offsets in code points and bytes are each other’s inverse from every known place', async () => {
  const random = new Random(11);
  for (let round = 0; round < 60; round += 1) {
    const points = [...random.text(['a', 'é', '漢', '𝒳', 'ab'], 1 + random.below(60))];
    const text = Buffer.from(points.join(''));
    const mark = random.below(points.length + 1);
    const markBytes = Buffer.byteLength(points.slice(0, mark).join(''));
    const { rows } = await admin.query<{ at: number; bytes: number; back: number }>(
      `select i.at, b.bytes, patchdiff_store.prefix_chars($1, b.bytes, $2, $3, $4, $5) as back
       from generate_series(0, $5) as i(at)
       cross join lateral (select patchdiff_store.prefix_bytes($1, i.at, $2, $3, $4, $5) as bytes offset 0) as b`,
      [text, markBytes, mark, text.length, points.length],
    );
    expect(rows).toEqual(
      Array.from({ length: points.length + 1 }, (_, at) => ({ at, bytes: Buffer.byteLength(points.slice(0, at).join('')), back: at })),
    );
  }
});
