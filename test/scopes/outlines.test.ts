import { afterAll, beforeAll, expect, test } from 'vitest';
import { LANGUAGES, type ScopeEngine } from '../../src/scopes/index.ts';
import { broken, builtEngine, discovered, outline } from './laws.ts';
import { SAMPLES } from './samples.ts';

let engine: ScopeEngine;
beforeAll(async () => {
  engine = await builtEngine();
});
afterAll(() => engine.close());

test.each(SAMPLES)('the outline of $name', async ({ name, text, outline: file }) => {
  const found = await discovered(engine, { text, path: `some/folder/${name}` });
  expect(broken(text, found)).toEqual([]);
  expect({ fallback: found.fallback, has_errors: found.has_errors }).toEqual({ fallback: false, has_errors: false });
  await expect(outline(text, found)).toMatchFileSnapshot(file);
});

test('there is a sample of every language', async () => {
  const found = await Promise.all(SAMPLES.map(({ name, text }) => discovered(engine, { text, path: name })));
  expect(found.map(({ language }) => language).sort()).toEqual([...LANGUAGES].sort());
});

test('offsets are code points, whatever stands before', async () => {
  for (const { name, text } of SAMPLES.filter((sample) => /\.(ts|py|rs|go)$/.test(sample.name))) {
    const head = name.endsWith('.py') ? '# 😀👩‍🚀𝒳\n\n' : '// 😀👩‍🚀𝒳\n\n';
    const [plain, moved] = await Promise.all([
      discovered(engine, { text, path: name }),
      discovered(engine, { text: head + text, path: name }),
    ]);
    const shift = Array.from(head).length;
    const bare = text.startsWith('#!') || text.startsWith('"""');
    expect(broken(head + text, moved)).toEqual([]);
    if (!bare)
      expect(moved.scopes.map(({ path, start }) => [path, start])).toEqual(plain.scopes.map(({ path, start }) => [path, start + shift]));
  }
});

test('the same text in another engine has the same scopes', async () => {
  const other = await builtEngine({ cachedScopes: 0 });
  try {
    for (const { name, text } of SAMPLES) {
      expect(await discovered(other, { text, path: name })).toEqual(await discovered(engine, { text, path: name }));
    }
  } finally {
    await other.close();
  }
});
