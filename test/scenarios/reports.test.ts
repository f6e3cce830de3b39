import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../helpers/build.ts';
import { held, readme, reports } from './reports.ts';

test('the page is what the reports and the scenarios say', async () => {
  await expect(readme()).toMatchFileSnapshot(path.join(import.meta.dirname, 'README.md'));
});

test('every fault is held by a scenario or a test, or says why it does not apply', () => {
  const found = held();
  const open = reports().filter(({ id, elsewhere = [], note = '' }) => {
    return !found.has(id) && elsewhere.length === 0 && !note.startsWith('does not apply: ');
  });
  expect(open).toEqual([]);
});

test('a scenario names only faults that are listed, and each is listed once', () => {
  const ids = reports().map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...held().keys()].filter((id) => !ids.includes(id))).toEqual([]);
});

test('every test that is named exists, with the words that are named', () => {
  const missing = reports().flatMap(({ id, elsewhere = [] }) =>
    elsewhere
      .filter(({ file, test: words = '' }) => {
        const at = path.join(PACKAGE_ROOT, file);
        return !existsSync(at) || !readFileSync(at, 'utf8').includes(words);
      })
      .map(({ file, test: words }) => `${id}: ${file} ${words ?? ''}`),
  );
  expect(missing).toEqual([]);
});
