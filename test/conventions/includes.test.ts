import { describe, expect, test } from 'vitest';
import { procedurePaths, readMigrations, readProject } from './sql/project.ts';

interface Migration {
  name: string;
  text: string;
}

/** What is wrong with the way the migrations carry the procedures: each file once in current, or frozen as it stands. */
function misplaced(paths: string[], read: (path: string) => string, current: Migration[], committed: Migration[]): string[] {
  const included = current.flatMap(({ text }) =>
    [...text.matchAll(/^--![ \t]*include[ \t]+(\S+\.sql)[ \t]*$/gm)].map(([, path]) => path ?? ''),
  );
  const frozen = new Map<string, string>();
  for (const { text } of committed) {
    for (const [, path, body] of text.matchAll(/^--! Included (\S+)\n([\s\S]*?)\n--! EndIncluded \1$/gm))
      frozen.set(path ?? '', body ?? '');
  }
  return [
    ...included.filter((path) => !paths.includes(path)).map((path) => `${path} is included but is no file`),
    ...included.filter((path, index) => included.indexOf(path) !== index).map((path) => `${path} is included twice`),
    ...paths
      .filter((path) => !included.includes(path))
      .flatMap((path) => {
        const body = frozen.get(path);
        if (body === undefined) return [`${path} is in no migration`];
        return body === read(path).trim() ? [] : [`${path} differs from its frozen text: include it in db/current`];
      }),
    ...[...frozen.keys()].filter((path) => !paths.includes(path)).map((path) => `${path} is frozen but is no file any more`),
  ];
}

test('every procedure is deployed by exactly one migration, as it stands', () => {
  const read = (path: string): string => readProject(`db/procedures/${path}`);
  expect(misplaced(procedurePaths(), read, readMigrations('current'), readMigrations('committed'))).toEqual([]);
});

describe('what the rule refuses', () => {
  const body = '-- text\ncreate function a();';
  const current = (text: string): Migration[] => [{ name: '001.sql', text }];
  const check = (open: string, frozen = ''): string[] => misplaced(['a/a.sql'], () => `${body}\n`, current(open), current(frozen));
  const frozenBody = (text: string): string => `--! Included a/a.sql\n${text}\n--! EndIncluded a/a.sql\n`;

  test.each([
    ['open', '--! include a/a.sql\n', '', []],
    ['frozen', '', frozenBody(body), []],
    ['changed after freezing and included again', '--! include a/a.sql\n', frozenBody('-- older'), []],
    ['forgotten', '', '', ['a/a.sql is in no migration']],
    ['twice', '--! include a/a.sql\n--! include a/a.sql\n', '', ['a/a.sql is included twice']],
    ['misspelt', '--! include a/b.sql\n--! include a/a.sql\n', '', ['a/b.sql is included but is no file']],
    ['changed after freezing', '', frozenBody('-- older'), ['a/a.sql differs from its frozen text: include it in db/current']],
    [
      'dropped',
      '--! include a/a.sql\n',
      '--! Included a/c.sql\n-- gone\n--! EndIncluded a/c.sql\n',
      ['a/c.sql is frozen but is no file any more'],
    ],
  ])('%s', (_sample, open, frozen, expected) => {
    expect(check(open, frozen)).toEqual(expected);
  });
});
