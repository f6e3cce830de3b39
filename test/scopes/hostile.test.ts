import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Discovery, ScopeEngine } from '../../src/scopes/index.ts';
import { LIMITS } from '../../src/scopes/limits.ts';
import { built } from '../helpers/build.ts';
import { broken, builtEngine, discovered } from './laws.ts';
import { SAMPLES } from './samples.ts';

let engine: ScopeEngine;
beforeAll(async () => {
  engine = await builtEngine({ cachedScopes: 0 });
});
afterAll(() => engine.close());

/** What one hostile text is answered; the next request must work. */
async function answerTo(text: string, language: string): Promise<Discovery> {
  const found = await discovered(engine, { text, language });
  const next = await discovered(engine, { text: 'function next() {}', language: 'javascript' });
  expect(next.scopes.map(({ path }) => path)).toEqual(['function next']);
  return found;
}

const deep = (line: (indent: string) => string, count: number): string =>
  Array.from({ length: count }, (_, at) => line(' '.repeat(at))).join('\n');

describe('too deep', () => {
  const cases: [language: string, text: string][] = [
    ['html', '<div>'.repeat(20_000)],
    ['html', '<div>'.repeat(20_000) + '</div>'.repeat(20_000)],
    ['html', '<A '.repeat(20_000)],
    ['javascript', 'function f() {'.repeat(450) + '}'.repeat(450)],
    ['typescript', 'namespace a {'.repeat(450) + '}'.repeat(450)],
    ['python', deep((indent) => `${indent}def f():`, 450) + ' pass'],
    ['json', '{"a":'.repeat(450) + '1' + '}'.repeat(450)],
    ['json', '['.repeat(20_000) + ']'.repeat(20_000)],
    ['cpp', 'namespace a {'.repeat(450) + '}'.repeat(450)],
    ['rust', 'mod a {'.repeat(450) + '}'.repeat(450)],
    ['java', 'class A {'.repeat(450) + '}'.repeat(450)],
    ['css', '@media a {'.repeat(450) + '}'.repeat(450)],
  ];
  test.each(cases)('%s', async (language, text) => {
    const found = await answerTo(text, language);
    expect(found).toMatchObject({ language, fallback: true, fallback_reason: 'too_deep', grammar: null });
    expect(found.scopes).toHaveLength(1);
  });

  test('an expression may be far deeper', async () => {
    const found = await answerTo(`const a = ${Array.from({ length: 2_000 }, () => "'x'").join(' + ')};\nfunction f() {}\n`, 'typescript');
    expect(found.scopes.map(({ path }) => path)).toEqual(['variable a', 'function f']);
  });
});

describe('answered all the same', () => {
  const cases: [language: string, text: string][] = [
    ['typescript', '('.repeat(65_536)],
    ['markdown', '> '.repeat(20_000)],
    ['markdown', `${'`'.repeat(100_000)}\n${' '.repeat(100_000)}x\n#${' '.repeat(100_000)}#`],
    ['javascript', `const a = '${'a'.repeat(1_048_576)}';`],
    ['json', `{"a": [${'1, '.repeat(100_000)}1]}`],
    ['python', '"'.repeat(20_000)],
    ['html', '<p>'.repeat(5_000)],
    ['c', '\ue000'],
    ['sql', "SELECT '".repeat(5_000)],
    ['toml', '\n'.repeat(65_536)],
  ];
  test.each(cases)('%s', async (language, text) => {
    const found = await answerTo(text, language);
    expect(found.fallback_reason).toBe(null);
    expect(broken(text, found)).toEqual([]);
  });
});

test('a scanner that reads without end is stopped by its count', async () => {
  const found = await answerTo('<a>'.repeat(20_000), 'bash');
  expect(found).toMatchObject({ fallback: true, fallback_reason: 'too_many_steps' });
});

test('more scopes than an answer holds', async () => {
  const found = await answerTo('x = 1\n'.repeat(LIMITS.scopes + 2), 'python');
  expect(found).toMatchObject({ fallback: true, fallback_reason: 'too_many_scopes' });
});

test('regions are joined until an answer holds them', async () => {
  const text = 'a\n\n'.repeat(LIMITS.regions * 2 + 1);
  const { scopes } = await answerTo(text, 'none');
  expect(scopes.length).toBeLessThanOrEqual(LIMITS.regions);
  expect(scopes.at(-1)?.end).toBe(text.length - 2);
});

test('a crashed module is named, its thread replaced, and other requests never notice', async () => {
  await answerTo('# A thread runs.\n', 'markdown');
  const before = engine.threads;
  const [crashed, ...others] = await Promise.all([
    discovered(engine, { text: deep((indent) => `${indent}a:`, 500), language: 'yaml' }),
    ...SAMPLES.slice(0, 4).map(({ name, text }) => discovered(engine, { text, path: name })),
  ]);
  expect(crashed).toMatchObject({ fallback: true, fallback_reason: 'parser_trapped' });
  expect(others.map(({ fallback }) => fallback)).toEqual([false, false, false, false]);
  expect(engine.threads).toBe(before + 1);
});

test('memory comes back after a hundred listings', async () => {
  const body = SAMPLES.find(({ name }) => name === 'sample.ts')!.text.repeat(8);
  const resident: number[] = [];
  for (let round = 0; round < 100; round++) {
    await discovered(engine, { text: `// ${round}\n${body}`, language: 'typescript' });
    if (round === 20 || round === 99) resident.push(process.memoryUsage().rss);
  }
  // Every tree left behind is over a megabyte.
  expect(resident[1]! - resident[0]!).toBeLessThan(64 * 1024 * 1024);
});

test('a parser that does not come back is left in time for the regions in its place', () => {
  const waits = [0, 3_000, 1 << 16, 1 << 20, 1 << 24].map(LIMITS.lostMilliseconds);
  expect(waits).toEqual([8_000, 8_093, 10_048, 28_000, 28_000]);
});

describe('an engine', () => {
  test('answers the same text from what it keeps, as the same frozen object', async () => {
    const own = await builtEngine();
    const request = { text: 'function f() {}', language: 'javascript' };
    const [first, beside] = await Promise.all([own.discover(request), own.discover(request)]);
    expect(await own.discover({ text: request.text, path: 'f.js' })).toBe(first);
    expect(beside).toBe(first);
    expect(Object.isFrozen(first.ok && first.scopes[0])).toBe(true);
    expect(await own.discover({ ...request, language: 'typescript' })).not.toBe(first);
    await own.close();
  });

  test('forgets the oldest answers', async () => {
    const own = await builtEngine({ cachedScopes: 25 });
    const ask = (name: string): Promise<unknown> => own.discover({ text: `function ${name}() {}`, language: 'javascript' });
    const [a, b] = [await ask('a'), await ask('b')];
    expect(await ask('a')).toBe(a);
    await ask('c');
    expect(await ask('a')).toBe(a);
    expect(await ask('b')).not.toBe(b);
    await own.close();
  });

  test('left open, keeps no process alive', async () => {
    const module = pathToFileURL(path.join(await built(), 'scopes/index.js')).href;
    const program = `
      import { createScopeEngine } from ${JSON.stringify(module)};
      const found = await createScopeEngine().discover({ text: '# A', path: 'a.md' });
      console.log(found.scopes[0].path);
    `;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', timeout: 30_000 });
    expect(printed).toBe('section A\n');
  });

  test('closed, answers nothing more', async () => {
    const own = await builtEngine();
    const pending = own.discover({ text: 'function f() {}', language: 'javascript' });
    await own.close();
    expect(await pending).toEqual({ ok: false, reason: 'closed' });
    expect(await own.discover({ text: 'a' })).toEqual({ ok: false, reason: 'closed' });
    await own.close();
  });
});
