import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const LIMIT = 300;

/** Every file of the project, relative to its root: what .gitignore names is left out. */
function projectFiles(): string[] {
  const ignored = new Set(['.git', ...read('.gitignore').split('\n')].map((line) => line.replace(/\/$/, '')));
  const below = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      if (ignored.has(entry.name) || entry.name.endsWith('.tgz') || entry.isSymbolicLink()) return [];
      const path = join(folder, entry.name);
      return entry.isDirectory() ? below(path) : [relative(ROOT, path)];
    });
  return below(ROOT).sort();
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Lines as `wc -l` counts them. */
const lineCount = (text: string): number => text.split('\n').length - 1;

// Written so that no pattern matches its own line.
const PLACES = [/\/wor[k]\//, /\/tmp\/bash_job[s]/, /\.librar[y]\//, /far[m]-(bench|studio)/];
const HOSTS = [/registry\.npmj[s]/, /registry\.yarnpk[g]/, /deb\.debia[n]/, /pypi\.or[g]/, /pythonhoste[d]\.org/, /proxy\.golan[g]/];

/** Lines that name a machine of the maintainers or a download host, as `path:line`. */
function namedPlaces(path: string, text: string): string[] {
  const patterns = [...PLACES, ...HOSTS];
  return text
    .split('\n')
    .flatMap((line, index) => (patterns.some((pattern) => pattern.test(line)) ? [`${path}:${String(index + 1)}`] : []));
}

/** Skipped, focused and empty tests, and conditional ones without a comment above that says why, as `path:line`. */
function idleTests(path: string, text: string): string[] {
  const idle = /\b(it|test|describe)\.(skip|todo|only|skipIf)\b|\b(ctx|context)\.skip\(/;
  const conditional = /\b(it|test|describe)\.runIf\(/;
  return text
    .split('\n')
    .flatMap((line, index, lines) =>
      idle.test(line) || (conditional.test(line) && !/^\s*\/\//.test(lines[index - 1] ?? '')) ? [`${path}:${index + 1}`] : [],
    );
}

/** Files that a decision record allows to be longer, with its reason: rows of the table `| path | lines | reason |`. */
function allowedLong(): Map<string, string> {
  const rows = read('docs/decisions/0007-file-sizes.md').matchAll(/^\| `([^`]+)` \| (.+) \|$/gm);
  return new Map([...rows].map(([, path, reason]) => [path ?? '', reason ?? '']));
}

const files = projectFiles();
const isText = (path: string): boolean => !/\.(wasm|br|png|gif|bin|pdf)$/.test(path);

test('no file names a workplace or a download host', () => {
  expect(files.filter(isText).flatMap((path) => (path === 'package-lock.json' ? [] : namedPlaces(path, read(path))))).toEqual([]);
});

test('the lock file records no download addresses', () => {
  expect(read('package-lock.json')).not.toContain('"resolved"');
});

test('no test is skipped, focused or empty', () => {
  expect(files.filter((path) => /^test\/.*\.ts$/.test(path)).flatMap((path) => idleTests(path, read(path)))).toEqual([]);
});

test(`no file is longer than ${String(LIMIT)} lines without a reason`, () => {
  const allowed = allowedLong();
  const long = files.filter((path) => /^(src|test|scripts|db\/procedures)\/.*\.(ts|mjs|sql)$/.test(path) && lineCount(read(path)) > LIMIT);
  expect(long.filter((path) => !allowed.has(path))).toEqual([]);
  expect([...allowed.keys()].filter((path) => !long.includes(path))).toEqual([]);
});

describe('the rules can fail', () => {
  test.each([
    ['/wor', 'k/main'],
    ['https://registry.npm', 'js.org/a'],
    ['http://deb.deb', 'ian.org/a'],
  ])('a line with %s…', (head, tail) => {
    expect(namedPlaces('a', `fine\nsee ${head}${tail}\n`)).toEqual(['a:2']);
  });

  test.each(['skip', 'only', 'todo', 'skipIf', 'runIf'])('a test with .%s', (marker) => {
    expect(idleTests('a', `fine\ntest.${marker}('x');\n`)).toEqual(['a:2']);
  });

  test('but a conditional test with its reason stands', () => {
    expect(idleTests('a', "// Only machines with a reference can run it.\ntest.runIf('x');\n")).toEqual([]);
  });

  test('a long file', () => {
    expect(lineCount('x\n'.repeat(LIMIT + 1))).toBeGreaterThan(LIMIT);
  });
});
