import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandLine, warmCommandLine, type Cli } from '../helpers/cli.ts';
import { useDatabase } from '../helpers/database.ts';
import { startNode } from '../helpers/process.ts';
import { built } from '../helpers/build.ts';

const database = useDatabase();
const environment = (): NodeJS.ProcessEnv => ({ DATABASE_URL: database.url('writer') });
let parent: string;
let root: string;
let cli: Cli;

type Result = Record<string, unknown> & { path: string; status: string; facts?: Record<string, unknown> };

/** Files of a tree, by path; a Buffer is raw bytes. */
function plant(folder: string, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
}

async function imported(...args: string[]): Promise<{ code: number | null; results: Result[] }> {
  const { code, stdout, stderr } = await cli(['import', '--json', ...args]);
  expect(stdout, stderr).not.toBe('');
  return { code, results: JSON.parse(stdout) as Result[] };
}

const pathsOf = (results: readonly Result[], status: string): string[] =>
  results.filter((result) => result.status === status).map((result) => result.path);
const codesOf = (results: readonly Result[]): Record<string, unknown> =>
  Object.fromEntries(results.filter(({ status }) => status === 'skipped').map((result) => [result.path, result['failure_code']]));

beforeAll(async () => {
  parent = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'patchdiff-tree-')));
  root = path.join(parent, 'root');
  mkdirSync(root);
  cli = await warmCommandLine(environment, root);
});

afterAll(() => rmSync(parent, { recursive: true, force: true }));

describe('a tree of everything that a tree may hold', () => {
  let results: Result[];
  let code: number | null;

  beforeAll(async () => {
    plant(root, {
      'tree/.gitignore': '*.log\n/build/\n!keep.log\nsecret.txt\n',
      'tree/.hidden': 'h\n',
      'tree/.config/app.md': 'c\n',
      'tree/.git/config': 'g\n',
      'tree/a.md': 'a\r\nb\n',
      'tree/binary': Buffer.from('text\0more'),
      'tree/build/made.md': 'm\n',
      'tree/debug.log': 'd\n',
      'tree/keep.log': 'k\n',
      'tree/latin1.txt': Buffer.from('x=1\ncaf\xe9\n', 'latin1'),
      'tree/utf16.txt': Buffer.from('\xff\xfea\0', 'latin1'),
      'tree/replacement.md': 'a literal \uFFFD survives\n',
      'tree/sub/.gitignore': '!secret.txt\n*.md\n!/b.md\n',
      'tree/sub/.ignore': 'only-here\n!c.md\n',
      'tree/sub/b.md': 'b\n',
      'tree/sub/c.md': 'c\n',
      'tree/sub/d.md': 'd\n',
      'tree/sub/deep/build/x.txt': 'x\n',
      'tree/sub/only-here': 'o\n',
      'tree/sub/secret.txt': 's\n',
      'outside.md': 'o\n',
    });
    writeFileSync(path.join(parent, 'beyond.md'), 'b\n');
    plant(root, { 'tree/large.txt': '' });
    truncateSync(path.join(root, 'tree/large.txt'), 16 * 1024 * 1024 + 1);
    execFileSync('mkfifo', [path.join(root, 'tree/pipe')]);
    symlinkSync(path.join(parent, 'beyond.md'), path.join(root, 'tree/leak'));
    symlinkSync(parent, path.join(root, 'tree/leak-directory'));
    symlinkSync('sub', path.join(root, 'tree/loop-back'));
    symlinkSync('nowhere', path.join(root, 'tree/dangling'));
    writeFileSync(Buffer.concat([Buffer.from(path.join(root, 'tree/')), Buffer.from([0x66, 0xe9])]), 'bytes\n');
    ({ code, results } = await imported('tree', '--workspace', '.'));
  });

  test('every text that no rule leaves out is imported, in the order of names, and nothing that was skipped is a failure', () => {
    expect(code).toBe(0);
    const texts = ['a.md', 'keep.log', 'replacement.md', 'sub/b.md', 'sub/c.md', 'sub/deep/build/x.txt', 'sub/secret.txt'];
    expect(pathsOf(results, 'created')).toEqual(texts.map((name) => `tree/${name}`));
    expect(results.filter(({ status }) => status !== 'created' && status !== 'skipped')).toEqual([]);
    expect(results.find((result) => result.path === 'tree/a.md')).toMatchObject({
      workspace_path: 'tree/a.md',
      source_line_endings: { style: 'mixed', crlf: 1, lf: 1 },
    });
  });

  test('what is left out is there with its reason, and where bytes are the reason with their place', () => {
    expect(codesOf(results)).toEqual({
      'tree/.config': 'hidden',
      'tree/.gitignore': 'hidden',
      'tree/.hidden': 'hidden',
      'tree/binary': 'contains_nul',
      'tree/build': 'ignored',
      'tree/dangling': 'symlink_dangling',
      'tree/debug.log': 'ignored',
      'tree/f\\xe9': 'path_not_utf8',
      'tree/large.txt': 'file_too_large',
      'tree/latin1.txt': 'invalid_utf8',
      'tree/leak': 'path_leaves_root',
      'tree/leak-directory': 'path_leaves_root',
      'tree/loop-back': 'is_symlink',
      'tree/pipe': 'not_regular_file',
      'tree/sub/.gitignore': 'hidden',
      'tree/sub/.ignore': 'hidden',
      'tree/sub/d.md': 'ignored',
      'tree/sub/only-here': 'ignored',
      'tree/utf16.txt': 'invalid_utf8',
    });
    const facts = Object.fromEntries(results.map((result) => [result.path, result.facts]));
    expect(facts['tree/binary']).toMatchObject({ byte_offset: 4 });
    expect(facts['tree/latin1.txt']).toMatchObject({ byte_offset: 7, byte: '0xe9' });
    expect(facts['tree/utf16.txt']).toMatchObject({ byte_offset: 0 });
    expect(facts['tree/loop-back']).toEqual({ leads_to: 'tree/sub' });
  });

  test('people are told each result in its line, what is not text by its byte, and how many there were of each kind', async () => {
    const { code: again, stdout, stderr } = await cli(['import', 'tree']);
    expect(again).toBe(0);
    expect(stdout.split('\n').map((line) => line.slice(38))).toEqual([
      ...pathsOf(results, 'created').map((name) => `existing at version 0  ${name}`),
      '',
    ]);
    expect(stderr).toContain('tree/binary: skipped: contains_nul; "tree/binary": it holds a NUL at byte 4;');
    expect(stderr).not.toContain('debug.log');
    const counts =
      '7 existing, 19 skipped (1 contains_nul, 1 file_too_large, 5 hidden, 4 ignored, 2 invalid_utf8, 1 is_symlink, 1 not_regular_file, 2 path_leaves_root, 1 path_not_utf8, 1 symlink_dangling)\n';
    expect(stderr.endsWith(counts), stderr).toBe(true);
  });

  test('without ignore files and with hidden names everything is taken but .git; a path goes by the same rules from further down', async () => {
    const all = await imported('tree', '--no-ignore', '--hidden', '--dry-run');
    expect(pathsOf(all.results, 'would_create')).toEqual(
      [
        '.config/app.md',
        '.gitignore',
        '.hidden',
        'build/made.md',
        'debug.log',
        'sub/.gitignore',
        'sub/.ignore',
        'sub/d.md',
        'sub/only-here',
      ].map((name) => `tree/${name}`),
    );
    const below = await imported('tree/sub', '--dry-run');
    expect(pathsOf(below.results, 'existing')).toEqual(
      ['b.md', 'c.md', 'deep/build/x.txt', 'secret.txt'].map((name) => `tree/sub/${name}`),
    );
    // Nothing of a dry run is there afterwards.
    expect(pathsOf((await imported('tree/debug.log', '--dry-run')).results, 'would_create')).toEqual(['tree/debug.log']);
  });

  test('patterns walk by the same rules and take each file once; a dot is matched by a dot', async () => {
    const matched = await imported('tree/**/*.md', 'tree/sub/*', 'tree/**/.hid*', '--dry-run');
    expect(pathsOf(matched.results, 'existing')).toEqual([
      ...['a.md', 'replacement.md', 'sub/b.md', 'sub/c.md'].map((name) => `tree/${name}`),
      'tree/sub/secret.txt',
    ]);
    expect(pathsOf(matched.results, 'would_create')).toEqual(['tree/.hidden']);
    expect((await imported('tree/{sub,build}/[bc].md', '--dry-run')).results.map((result) => result.path)).toEqual([
      'tree/sub/b.md',
      'tree/sub/c.md',
    ]);
    expect((await imported('tree/.config/*', '--dry-run')).results.map((result) => result.path)).toEqual(['tree/.config/app.md']);
  });

  test('what is named itself is imported whatever a rule says, and is a failure where it cannot be', async () => {
    const { code: failed, results: named } = await imported(
      'tree/build/made.md',
      'tree',
      'tree/binary',
      'nosuch/*.md',
      'no/such',
      'tree/leak',
      'tree/**/*.rst',
    );
    expect(failed).toBe(6);
    expect(pathsOf(named, 'created')).toEqual(['tree/build/made.md']);
    expect(named.filter(({ status }) => status === 'rejected').map((result) => [result.path, result['failure_code']])).toEqual([
      ['tree/binary', 'contains_nul'],
      ['nosuch/*.md', 'path_not_found'],
      ['no/such', 'path_not_found'],
      ['tree/leak', 'path_leaves_root'],
      ['tree/**/*.rst', 'path_not_found'],
    ]);
    for (const result of named.filter(({ status }) => status === 'rejected')) expect(result['next_step']).toBeTypeOf('string');
    const beyond = await imported('../beyond.md', '..', '--workspace', '.');
    expect(beyond.code).toBe(6);
    expect(beyond.results.map((result) => result['failure_code'])).toEqual(['path_parent', 'path_leaves_root']);
  });

  test('what a nested, a linked or a contained working tree excludes by its own .git is left out, wherever the walk begins', async () => {
    plant(root, {
      'git/nested/.git/info/exclude': 'secret*\n',
      'git/nested/.gitignore': '!secret-but-shared\n',
      'git/nested/secret': 's\n',
      'git/nested/secret-but-shared': 's\n',
      'git/main/info/exclude': 'secret\n',
      'git/main/worktrees/linked/commondir': '../..\n',
      'git/linked/.git': 'gitdir: ../main/worktrees/linked\n',
      'git/linked/secret': 's\n',
      'git/linked/text': 't\n',
      'git/submodule/.git': `gitdir: ${path.join(root, 'git/main')}\n`,
      'git/submodule/below/secret': 's\n',
    });
    for (const start of ['git', 'git/nested', 'git/linked', 'git/submodule/below']) {
      const left = codesOf((await imported(start, '--dry-run')).results);
      const secrets = ['git/linked/secret', 'git/nested/secret', 'git/submodule/below/secret'].filter((name) => name.startsWith(start));
      expect(Object.keys(left).filter((name) => left[name] === 'ignored')).toEqual(secrets);
    }
  });

  test('an ignore file that cannot be read stops the import before anything is taken', async () => {
    plant(root, { 'odd/.gitignore': 'x'.repeat(1024 * 1024 + 1), 'odd/secret': 's\n' });
    const { code: stopped, stdout, stderr } = await cli(['import', 'odd']);
    expect({ stopped, stdout }).toEqual({ stopped: 3, stdout: '' });
    expect(stderr).toMatch(/odd\/\.gitignore cannot be honoured.*--no-ignore/);
  });
});

describe('drift among the files', () => {
  test('one file that others changed is refused and the others are not; --adopt takes it over, guarded where edits would be lost', async () => {
    plant(root, { 'd/one.txt': 'one\n', 'd/two.txt': 'two\n' });
    const first = await imported('d');
    const two = first.results[1]?.['target_file_id'] as string;
    plant(root, { 'd/two.txt': 'TWO\n', 'd/three.txt': 'three\n' });
    const refused = await imported('d');
    expect(refused.code).toBe(6);
    expect(refused.results.map(({ path: name, status }) => `${name} ${status}`)).toEqual([
      'd/one.txt existing',
      'd/three.txt created',
      'd/two.txt rejected',
    ]);
    expect((await cli(['import', 'd'])).stderr).toMatch(/^d\/two\.txt: rejected: drift;.*\n.*--adopt/);
    expect((await imported('d', '--adopt', '--dry-run')).results.map(({ status }) => status)).toEqual([
      'existing',
      'existing',
      'would_adopt',
    ]);
    const adopted = await imported('d', '--adopt');
    expect(adopted).toMatchObject({
      code: 0,
      results: [{ status: 'existing' }, { status: 'existing' }, { status: 'adopted', target_file_id: two, version: 1 }],
    });

    const writer = await database.client('writer');
    await writer.query(`select patchdiff.commit_replacement($1, e'mine\\n', 'why', 1)`, [two]);
    plant(root, { 'd/two.txt': 'theirs\n' });
    for (const dry of [[], ['--dry-run']]) {
      expect((await imported('d/two.txt', '--adopt', ...dry)).results).toMatchObject([
        { status: 'rejected', failure_code: 'guard_missing' },
      ]);
    }
    expect((await cli(['import', 'd', '--adopt', '--expected-version', '2'])).code).toBe(2);
    expect((await cli(['import', 'd/two.txt', '--adopt', '--expected-version', '1'])).code).toBe(6);
    expect((await imported('d/two.txt', '--adopt', '--expected-version', '2')).results).toMatchObject([{ status: 'adopted', version: 3 }]);
    expect(readFileSync(path.join(root, 'd/two.txt'), 'utf8')).toBe('theirs\n');
  });
});

test('Ctrl-C stops between two files and says what was done; the same command goes on', async () => {
  const many = Array.from({ length: 150 }, (_, at) => [`many/${String(at).padStart(3, '0')}.txt`, `${at}\n`] as const);
  plant(root, Object.fromEntries(many));
  await (
    await commandLine(environment, root)
  )(['list']);
  const env = { PATH: process.env['PATH'], HOME: root, NO_COLOR: '1', ...environment() };
  const { child, ended } = startNode([path.join(await built(), 'cli', 'main.js'), 'import', 'many', '--json'], { cwd: root, env });
  const writer = await database.client('writer');
  const count = async (): Promise<number> => {
    const { rows } = await writer.query<{ n: number }>(
      `select count(*)::integer as n from patchdiff_audit.targets where display_name like 'many/%'`,
    );
    return rows[0]?.n ?? 0;
  };
  while ((await count()) === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  expect({ code, stderr }).toMatchObject({ code: 130, stderr: expect.stringMatching(/^stopped; /) as string });
  const done = (JSON.parse(stdout) as Result[]).length;
  expect(done).toBe(await count());
  expect(done).toBeLessThan(many.length);
  const { results } = await imported('many');
  expect(results.map(({ status }) => status)).toEqual(many.map((_, at) => (at < done ? 'existing' : 'created')));
});
