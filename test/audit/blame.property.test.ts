import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.ts';
import { Random } from '../helpers/random.ts';
import { History } from './support/history.ts';
import { isShortestRewrite, linesOf, spliced, type OwnedLine } from './support/line-tracker.ts';
import { randomTransaction } from './support/random-transaction.ts';

const database = useDatabase();
let writer: pg.Client;
let auditor: pg.Client;

beforeAll(async () => {
  [writer, auditor] = await Promise.all([database.client('writer'), database.client('auditor')]);
});

/** Of each version the lines that blame lists, each with its LF, and `version.ordinal` of the change that it names; `0` for the initial upload. */
async function blamed({ id, contents }: History): Promise<OwnedLine[][]> {
  const { rows } = await auditor.query<{ version: number; number: number; text: string; owner: string }>(
    `select v.version, b.line_number as number, b.line_text as text, concat_ws('.', b.written_version, b.ordinal) as owner
     from generate_series(0, $2::integer) as v(version) cross join lateral patchdiff_audit.blame($1, v.version) as b order by 1, 2`,
    [id, contents.length - 1],
  );
  return contents.map((content, version) => {
    const own = rows.filter((row) => row.version === version);
    const texts = linesOf(content);
    expect(own.map(({ text }) => text)).toEqual(texts.map((text) => text.replace(/\n$/, '')));
    expect(own.map(({ number }) => number)).toEqual(own.map((_, index) => index + 1));
    return own.map(({ owner }, index) => ({ text: texts[index] as string, owner }));
  });
}

test.each(Array.from({ length: 14 }, (_, seed) => seed))(
  'every version of history %i names the writers that a line tracker finds',
  async (seed) => {
    const random = new Random(seed + 1);
    const history = await History.create(writer, random.pick(['', 'a\nb\r\na\n', '\n\n\n', 'one\n😀 two\n\nthree', 'a']));
    while (history.version < 40) {
      const { format, args } = randomTransaction(random, history.content);
      await history.submit(format, args);
      if (random.chance(0.05)) await history.save();
    }
    await history.flush();
    let lines: OwnedLine[] = linesOf(history.contents[0] as string).map((text) => ({ text, owner: '0' }));
    const answers = await blamed(history);
    expect(answers[0]).toEqual(lines);
    for (const [index, changes] of history.changes.entries()) {
      const version = index + 1;
      const answer = answers[version] as OwnedLine[];
      for (const [at, change] of changes.entries()) {
        const owner = `${version}.${at + 1}`;
        if (change.operation !== 'replace_all') lines = spliced(lines, change, owner);
        else {
          // A diff of repeated lines has several shortest answers: any of them will do, and is gone on from.
          expect(isShortestRewrite(lines, answer, owner), `version ${version}`).toBe(true);
          lines = answer;
        }
      }
      expect(answer, `version ${version}: ${JSON.stringify(changes)}`).toEqual(lines);
    }
  },
);
