import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { importOldHistory } from '../db/support/old-history.ts';
import { useDatabase } from '../helpers/database.ts';
import { History } from './support/history.ts';
import { linesOf } from './support/line-tracker.ts';

const database = useDatabase();
let writer: pg.Client;
let auditor: pg.Client;

beforeAll(async () => {
  [writer, auditor] = await Promise.all([database.client('writer'), database.client('auditor')]);
});

/** A transaction: splices in code points of what the ones before leave, or a whole new text. */
type Step = [start: number, end: number, replace: string][] | string;

async function made(initial: string, steps: readonly Step[]): Promise<History> {
  const history = await History.create(writer, initial);
  for (const step of steps) {
    if (typeof step === 'string') await history.submit('patchdiff-tx/3', { replacement: step });
    else await history.splice(...step);
  }
  await history.flush();
  return history;
}

/** For each line `version.ordinal` of the change that wrote it, `0` for the initial upload. */
async function writersOf(id: string, version: number | null = null): Promise<string[]> {
  const sql = `select concat_ws('.', written_version, ordinal) as writer from patchdiff_audit.blame($1, $2)`;
  return (await auditor.query<{ writer: string }>(sql, [id, version])).rows.map(({ writer: one }) => one);
}

const ABC = 'a\nb\nc\n';

test.each<[name: string, initial: string, steps: Step[], writers: string[]]>([
  ['nothing happened', ABC, [], ['0', '0', '0']],
  ['an empty document', '', [], []],
  ['a line inserted above', ABC, [[[0, 0, 'x\n']]], ['1.1', '0', '0', '0']],
  ['a line inserted between', ABC, [[[2, 2, 'x\n']]], ['0', '1.1', '0', '0']],
  ['a line inserted at the end of the one before', ABC, [[[1, 1, '\nx']]], ['0', '1.1', '0', '0']],
  ['a line appended', ABC, [[[6, 6, 'x\n']]], ['0', '0', '0', '1.1']],
  ['a line like its neighbour inserted above it', ABC, [[[2, 2, 'b\n']]], ['0', '1.1', '0', '0']],
  ['a line repeated in a match', ABC, [[[2, 4, 'b\nb\n']]], ['0', '0', '1.1', '0']],
  ['a word repeated as a line', ABC, [[[2, 3, 'b\nb']]], ['0', '0', '1.1', '0']],
  ['a line deleted', ABC, [[[2, 4, '']]], ['0', '0']],
  ['the first of two equal lines deleted', 'a\na\n', [[[2, 2, 'x\n']], [[2, 4, '']], [[0, 2, '']]], ['0']],
  ['the last line deleted', ABC, [[[4, 6, '']]], ['0', '0']],
  ['everything deleted', ABC, [[[0, 6, '']]], []],
  ['two lines merged', ABC, [[[1, 2, ' ']]], ['1.1', '0']],
  ['two lines merged by deletion', ABC, [[[1, 2, '']]], ['1.1', '0']],
  ['an empty line deleted by its LF', 'a\n\nb\n', [[[1, 2, '']]], ['0', '0']],
  ['three lines merged', ABC, [[[1, 4, '']]], ['1.1']],
  ['a line split', 'one two\n', [[[3, 4, '\n']]], ['1.1', '1.1']],
  ['an empty line after a line', 'ab\n', [[[2, 2, '\n']]], ['0', '1.1']],
  ['an empty line before a line', 'ab\n', [[[0, 0, '\n']]], ['1.1', '0']],
  ['a line split and merged again', 'one two\n', [[[3, 4, '\n']], [[3, 4, ' ']]], ['2.1']],
  [
    'a line moved',
    ABC,
    [
      [
        [0, 2, ''],
        [4, 4, 'a\n'],
      ],
    ],
    ['0', '0', '1.2'],
  ],
  ['an edit inside a line', ABC, [[[2, 3, 'B']]], ['0', '1.1', '0']],
  ['a line emptied', ABC, [[[2, 3, '']]], ['0', '1.1', '0']],
  ['text behind a line', ABC, [[[3, 3, '!']]], ['0', '1.1', '0']],
  ['the same text again', ABC, [[[2, 3, 'b']], [[0, 6, ABC]], ABC], ['0', '0', '0']],
  ['unchanged lines at both ends of a match', ABC, [[[0, 6, 'a\nB\nc\n']]], ['0', '1.1', '0']],
  ['an unchanged line in the middle of a match', ABC, [[[0, 6, 'A\nb\nC\n']]], ['1.1', '1.1', '1.1']],
  ['unchanged parts of lines around a match', 'xa\nb\ncx\n', [[[1, 6, 'a\nB\nc']]], ['0', '1.1', '0']],
  ['a text appended without final LF', 'a', [[[1, 1, '\nb']]], ['1.1', '1.1']],
  ['a line appended to a text without final LF', 'a\nb', [[[3, 3, '\nc']]], ['0', '1.1', '1.1']],
  ['the last LF added', 'a\nb', [[[3, 3, '\n']]], ['0', '1.1']],
  ['the last LF deleted', 'a\nb\n', [[[3, 4, '']]], ['0', '1.1']],
  ['from empty to text', '', [[[0, 0, 'a\nb']]], ['1.1', '1.1']],
  ['from text to empty and back', 'a\nb\n', ['', 'a\nb\n'], ['2.1', '2.1']],
  ['one LF', '', [[[0, 0, '\n']]], ['1.1']],
  ['a line changed twice', ABC, [[[2, 3, 'B']], [[2, 3, 'b']]], ['0', '2.1', '0']],
  [
    'changes of one transaction to the same line',
    ABC,
    [
      [
        [2, 3, 'B'],
        [3, 3, '!'],
        [0, 1, 'A'],
      ],
    ],
    ['1.3', '1.2', '0'],
  ],
  [
    'a change of what the same transaction inserted',
    ABC,
    [
      [
        [2, 2, 'x\ny\n'],
        [2, 3, 'X'],
      ],
    ],
    ['0', '1.2', '1.1', '0', '0'],
  ],
  [
    'a line inserted and deleted at once',
    ABC,
    [
      [
        [2, 2, 'x\n'],
        [2, 4, ''],
      ],
    ],
    ['0', '0', '0'],
  ],
  ['CRLF in a replacement is LF', ABC, [[[2, 4, 'b\r\nx\r']]], ['0', '0', '1.1', '0']],
  ['CRLF in the first text is LF', 'a\r\nb\rc', [[[2, 3, 'b']]], ['0', '0', '0']],
  ['only LF ends a line', 'a\u2028b\u0085c\v\n', [[[2, 3, 'B']]], ['1.1']],
  ['offsets are code points', '😀\n😀x\n漢\n', [[[3, 4, 'y']]], ['0', '1.1', '0']],
  ['a whole replacement is a line diff', 'a\nb\nc\nd\ne\n', ['A\nb\nc\nx\nd\n'], ['1.1', '0', '0', '1.1', '0']],
  ['a whole replacement moves a line', ABC, ['b\nc\na\n'], ['0', '0', '1.1']],
  ['a whole replacement drops the final LF', ABC, ['a\nb\nc'], ['0', '0', '1.1']],
  ['a whole replacement by repeated lines', 'x\n\ny\n\nz\n', ['x\n\nw\n\ny\n\nz\n'], ['0', '0', '1.1', '1.1', '0', '0', '0']],
  ['a splice after a whole replacement', ABC, ['x\na\nb\nc\n', [[4, 5, 'B']]], ['1.1', '0', '2.1', '0']],
  ['a whole replacement after splices', ABC, [[[2, 3, 'B']], 'a\nB\nx\n'], ['0', '1.1', '2.1']],
])('%s', async (_name, initial, steps, writers) => {
  const { id, content } = await made(initial, steps);
  expect(await writersOf(id)).toEqual(writers);
  expect(writers).toHaveLength(linesOf(content).length);
});

describe('what a line tells', () => {
  test('the change, why, and who: of a change and of the initial upload', async () => {
    const history = await History.create(writer, 'a\nb\n');
    await history.submit('patchdiff-tx/1', {
      intent: 'the whole',
      edits: [
        { match: 'b', replace: 'c', change_id: 'first', rationale: 'the part' },
        { match: 'c', replace: 'd\ne', change_id: 'second' },
      ],
    });
    await history.flush();
    const sql = 'select b.*, written_version::integer as written_version from patchdiff_audit.blame($1) as b';
    const { rows } = await auditor.query<Record<string, unknown>>(sql, [history.id]);
    const attempt = await auditor.query<Record<string, unknown>>('select * from patchdiff_audit.attempts where target_file_id = $1', [
      history.id,
    ]);
    const session = { db_session_user: new URL(database.url('writer')).username, db_application_name: '' };
    expect(rows).toMatchObject([
      {
        line_number: 1,
        line_text: 'a',
        written_version: 0,
        pdcp_log_id: null,
        change_id: null,
        intent: null,
        actor_host: 'maker',
        ...session,
      },
      {
        line_number: 2,
        line_text: 'd',
        written_version: 1,
        change_id: 'second',
        ordinal: 2,
        operation: 'match',
        intent: 'the whole',
        rationale: null,
      },
      { line_number: 3, line_text: 'e', actor: null, actor_host: null, ...session },
    ]);
    expect(rows[1]).toMatchObject({ pdcp_log_id: attempt.rows[0]?.['pdcp_log_id'], written_at: attempt.rows[0]?.['created_at'] });
  });

  test('at versions before and after a change, across snapshots', async () => {
    const history = await History.create(writer, ABC);
    await history.splice([2, 3, 'B']);
    await history.save();
    await history.splice([0, 0, 'x\n']);
    await history.flush();
    expect(await writersOf(history.id, 0)).toEqual(['0', '0', '0']);
    expect(await writersOf(history.id, 1)).toEqual(['0', '1.1', '0']);
    for (const version of [2, null]) expect(await writersOf(history.id, version)).toEqual(['2.1', '0', '1.1', '0']);
  });

  test('of a history that its owner brought in, at its own times', async () => {
    const old = await importOldHistory(await database.client('owner'));
    const { rows } = await auditor.query<{ writer: string; written_at: Date; imported: boolean }>(
      `select concat_ws('.', written_version, ordinal) as writer, written_at, imported_at is not null as imported from patchdiff_audit.blame($1, 4)`,
      [old.target],
    );
    // Two rejections came first, one a day.
    expect(rows).toEqual([
      { writer: '4.1', written_at: new Date('2023-01-06T08:00:00Z'), imported: true },
      { writer: '3.1', written_at: new Date('2023-01-05T08:00:00Z'), imported: true },
    ]);
    // The last one cuts a line of millions of characters down.
    expect(await writersOf(old.target)).toEqual(['9.1']);
  });

  test.each([-1, 1, 2 ** 40])('version %i is refused where there is none', async (version) => {
    const { id } = await made(ABC, []);
    for (const call of ['blame($1, $2)', 'diff($1, $2)', 'diff($1, 0, $2)', 'changes_between($1, $2)', 'reconstruct($1, $2)'])
      await expect(auditor.query(`select * from patchdiff_audit.${call}`, [id, version])).rejects.toMatchObject({ code: 'PD105' });
  });

  test('an unknown target is refused', async () => {
    for (const call of ['blame(gen_random_uuid())', 'diff(gen_random_uuid(), 0)', 'changes_between(gen_random_uuid(), 0)'])
      await expect(auditor.query(`select * from patchdiff_audit.${call}`)).rejects.toMatchObject({ code: 'PD104' });
  });
});
