import { applyPatch, parsePatch } from 'diff';
import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.ts';
import { Random } from '../helpers/random.ts';
import { History } from './support/history.ts';
import { randomTransaction } from './support/random-transaction.ts';

const database = useDatabase();
let writer: pg.Client;
let auditor: pg.Client;
let admin: pg.Client;

beforeAll(async () => {
  [writer, auditor, admin] = await Promise.all([database.client('writer'), database.client('auditor'), database.client('admin')]);
});

async function diffOf(id: string, from: number, to: number | null): Promise<string> {
  const { rows } = await auditor.query<{ diff: string }>('select patchdiff_audit.diff($1, $2, $3) as diff', [id, from, to]);
  return (rows[0] as { diff: string }).diff;
}

/** What the helper behind diff says of any two texts. */
async function between(before: string, after: string): Promise<string> {
  const sql = `select patchdiff_store.unified_diff($1, $2, 'a', 'b') as diff`;
  return (await admin.query<{ diff: string }>(sql, [before, after])).rows[0]?.diff ?? '';
}

const numbers = (from: number, to: number, of: (n: number) => string = String): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `${of(from + index)}\n`).join('');

test('reads as `diff -u` and git write it', async () => {
  const history = await History.create(writer, `${numbers(1, 9)}last`);
  await history.splice([0, 2, 'one\n']);
  await history.splice([history.content.length, history.content.length, '\n']);
  await history.flush();
  expect(await diffOf(history.id, 0, 2)).toBe(
    [
      ['--- a/doc.md\tversion 0', '+++ b/doc.md\tversion 2', '@@ -1,4 +1,4 @@', '-1', '+one', ' 2', ' 3', ' 4'],
      ['@@ -7,4 +7,4 @@', ' 7', ' 8', ' 9', '-last', '\\ No newline at end of file', '+last', ''],
    ]
      .flat()
      .join('\n'),
  );
  expect(await diffOf(history.id, 1, null)).toBe(await diffOf(history.id, 1, 2));
  expect(await diffOf(history.id, 1, 1)).toBe('');
});

test.each(Array.from({ length: 4 }, (_, seed) => seed))(
  'any two versions of history %i: applying the diff gives the other one, both ways',
  async (seed) => {
    const random = new Random(seed + 100);
    const history = await History.create(writer, random.pick(['', numbers(1, 40), 'a']));
    while (history.version < 30) {
      const { format, args } = randomTransaction(random, history.content);
      await history.submit(format, args);
    }
    await history.flush();
    for (let tries = 0; tries < 20; tries += 1) {
      const [from, to] = [random.below(31), random.below(31)];
      const patch = await diffOf(history.id, from, to);
      expect(applyPatch(history.contents[from] as string, patch), `${from} to ${to}`).toBe(history.contents[to]);
      expect(patch === '').toBe(history.contents[from] === history.contents[to]);
    }
  },
);

test.each([
  ['', 'a'],
  ['a\n', ''],
  ['a', 'a\n'],
  ['\n\n', '\n'],
  ['-- a\n++ b\n@@ -1 +1 @@\n\\ No newline at end of file\n', '-- a\n@@ -1 +1 @@\n\\ No newline\n'],
  ['a\u2028b\v\n\u0085\n', 'a\u2028b\n\u0085\n'],
  [numbers(1, 30), numbers(1, 30).replace('12\n', '').replace('19\n', 'x\n').replace('20\n', '')],
])('odd texts: %j', async (before, after) => {
  expect(applyPatch(before, await between(before, after))).toBe(after);
  expect(applyPatch(after, await between(after, before))).toBe(before);
});

test('changes six lines apart share a hunk, seven apart do not', async () => {
  const changed = (other: number): string => numbers(1, 20).replace('5\n', 'x\n').replace(`${other}\n`, 'y\n');
  expect(parsePatch(await between(numbers(1, 20), changed(12)))[0]?.hunks).toHaveLength(1);
  expect(parsePatch(await between(numbers(1, 20), changed(13)))[0]?.hunks).toHaveLength(2);
});

test('patch reads it, whatever the document is called', async () => {
  const before = numbers(1, 12);
  const made = await writer.query<{ id: string }>(`select target_file_id as id from patchdiff.create_target(null, $1, $2)`, [
    'odd "name"\n+++ b\t\\x.md',
    before,
  ]);
  const id = (made.rows[0] as { id: string }).id;
  await admin.query(`select * from patchdiff.commit_attempt($1, $2, null, null, null, null, null, $3, 'accepted', '{4}', $4, null, null)`, [
    id,
    `{"edits":[{"match":"3\\n","replace":"three"}],"expected_current_hash":null,"expected_target_version":0,"format":"patchdiff-tx/1","intent":"i","target_file_id":"${id}"}`,
    ...(
      await admin.query<{ a: string; b: string }>(
        `select encode(sha256(convert_to($1,'UTF8')),'hex') as a, encode(sha256(convert_to($2,'UTF8')),'hex') as b`,
        [before, before.replace('3\n', 'three')],
      )
    ).rows.flatMap(({ a, b }) => [a, b]),
  ]);
  const patch = await diffOf(id, 0, 1);
  expect(patch.split('\n').slice(0, 3)).toEqual([
    '--- a/odd _name__+++ b__x.md\tversion 0',
    '+++ b/odd _name__+++ b__x.md\tversion 1',
    '@@ -1,7 +1,6 @@',
  ]);
  expect(applyPatch(before, patch)).toBe(before.replace('3\n', 'three'));
});

describe('texts made to be slow', () => {
  const many = (count: number, line: (n: number) => string): string => Array.from({ length: count }, (_, n) => `${line(n)}\n`).join('');
  test.each<[string, string, string]>([
    ['20,000 lines by 20,000 other ones', many(20_000, (n) => `old ${n}`), many(20_000, (n) => `new ${n}`)],
    ['20,000 lines in another order', many(20_000, (n) => `${n}`), many(20_000, (n) => `${(n * 7919) % 20_000}`)],
    ['100,000 empty lines', '\n'.repeat(100_000), `x\n${'\n'.repeat(99_999)}y`],
    ['lines that all repeat', many(30_000, (n) => `${n % 3}`), many(30_000, (n) => `${(n * n) % 3}`)],
    ['1 MB without LF', 'x'.repeat(1_000_000), `${'x'.repeat(500_000)}y${'x'.repeat(500_000)}`],
  ])('%s', async (_name, before, after) => {
    const patch = await between(`head\n${before}\ntail`, `head\n${after}\ntail`);
    expect(applyPatch(`head\n${before}\ntail`, patch)).toBe(`head\n${after}\ntail`);
    // What is common to both ends is never shown as changed.
    expect(patch.split('\n').filter((line) => /^[-+](head|tail)$/.test(line))).toEqual([]);
  });
});

test('the changes between two versions are those of the view, in either direction', async () => {
  const history = await History.create(writer, 'a\nb\n');
  for (const replace of ['x', 'y', 'z']) await history.splice([0, 1, replace], [2, 3, replace]);
  await history.flush();
  const columns = async (query: string, values: unknown[]): Promise<unknown[]> =>
    (await auditor.query<Record<string, unknown>>(query, values)).rows;
  const view = await columns(
    'select * from patchdiff_audit.changes where target_file_id = $1 and after_version in (2, 3) order by ledger_sequence',
    [history.id],
  );
  expect(view).toHaveLength(4);
  for (const [from, to] of [
    [1, 3],
    [3, 1],
    [1, null],
  ] as const)
    expect(await columns('select * from patchdiff_audit.changes_between($1, $2, $3)', [history.id, from, to])).toEqual(view);
  expect(await columns('select * from patchdiff_audit.changes_between($1, 2, 2)', [history.id])).toEqual([]);
});
