import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.ts';
import { History } from './support/history.ts';

const database = useDatabase();
let writer: pg.Client;
let auditor: pg.Client;

beforeAll(async () => {
  [writer, auditor] = await Promise.all([database.client('writer'), database.client('auditor')]);
});

/** How many lines in a row come from which version. */
async function runsOf(id: string): Promise<[version: number, lines: number][]> {
  const { rows } = await auditor.query<{ version: number; lines: number }>(
    `select written_version::integer as version, count(*)::integer as lines
     from (select b.*, line_number - row_number() over (partition by written_version order by line_number) as run from patchdiff_audit.blame($1) as b) as r
     group by written_version, run order by min(line_number)`,
    [id],
  );
  return rows.map(({ version, lines }) => [version, lines]);
}

const many = (count: number, line: (n: number) => string): string => Array.from({ length: count }, (_, n) => `${line(n)}\n`).join('');

test('10,000 small changes of 2,000 lines: each line names its last one', async () => {
  const history = await History.create(
    writer,
    many(2_000, () => 'a line of text'),
  );
  for (const letter of ['b', 'c', 'd', 'e', 'f']) {
    const operations = Array.from({ length: 2_000 }, (_, line) => {
      const start = line * 15;
      return { op: 'span', start, end: start + 1, expected_text: history.content.charAt(start), replace: letter };
    });
    await history.submit('patchdiff-tx/2', { operations });
    await history.flush();
  }
  const { rows } = await auditor.query<{ wrong: number; lines: number }>(
    `select count(*)::integer as lines, count(*) filter (where written_version <> 5 or ordinal <> line_number)::integer as wrong from patchdiff_audit.blame($1)`,
    [history.id],
  );
  expect(rows).toEqual([{ lines: 2_000, wrong: 0 }]);
});

test('2,000 changes inside one line of a megabyte, and one of the lines around it', async () => {
  const history = await History.create(writer, `first\n${'x'.repeat(1_000_000)}\nlast\n`);
  const operations = Array.from({ length: 2_000 }, (_, n) => {
    const start = 6 + n * 499;
    return { op: 'span', start, end: start + 1, expected_text: 'x', replace: 'y' };
  });
  await history.submit('patchdiff-tx/2', { operations });
  await history.submit('patchdiff-tx/2', { operations: [{ op: 'span', start: 0, end: 0, expected_text: '', replace: 'new\n' }] });
  await history.flush();
  expect(await runsOf(history.id)).toEqual([
    [2, 1],
    [0, 1],
    [1, 1],
    [0, 1],
  ]);
});

test('100,000 empty lines: inserted among, deleted, and replaced as a whole', async () => {
  const history = await History.create(writer, '\n'.repeat(100_000));
  await history.submit('patchdiff-tx/2', {
    operations: [
      { op: 'span', start: 50_000, end: 50_000, expected_text: '', replace: '\n\n' },
      { op: 'span', start: 0, end: 10_000, expected_text: '\n'.repeat(10_000), replace: '' },
    ],
  });
  await history.submit('patchdiff-tx/3', { replacement: `${history.content}\n` });
  await history.flush();
  expect(await runsOf(history.id)).toEqual([
    [0, 40_000],
    [1, 2],
    [0, 50_000],
    [2, 1],
  ]);
});

test.each<[name: string, middle: string, expected: [version: number, lines: number][]]>([
  [
    'by 20,000 other ones',
    many(20_000, (n) => `new ${n}`),
    [
      [0, 1],
      [1, 20_000],
      [0, 1],
    ],
  ],
  ['by nothing', '', [[0, 2]]],
])('20,000 lines between two replaced %s: the two keep their writer', async (_name, middle, expected) => {
  const history = await History.create(writer, `head\n${many(20_000, (n) => `old ${n}`)}tail`);
  await history.submit('patchdiff-tx/3', { replacement: `head\n${middle}tail` });
  await history.flush();
  expect(await runsOf(history.id)).toEqual(expected);
});

test('lines that all repeat, too many pairs to look at: both ends keep their writer', async () => {
  const history = await History.create(writer, `head\n${many(20_000, (n) => `${n % 3}`)}tail`);
  await history.submit('patchdiff-tx/3', { replacement: `head\n${many(20_000, (n) => `${(n * n) % 3}`)}tail` });
  await history.flush();
  const runs = await runsOf(history.id);
  expect(runs.reduce((sum, [, lines]) => sum + lines, 0)).toBe(20_002);
  // head, 0, 1 and 0, 1, tail.
  for (const [version, lines] of [runs[0]!, runs.at(-1)!]) expect({ version, enough: lines >= 3 }).toEqual({ version: 0, enough: true });
  expect(runs.some(([version]) => version === 1)).toBe(true);
});
