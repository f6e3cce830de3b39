import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { grammarModule, pinnedGrammars, RUNTIME } from '../../src/scopes/grammars.ts';
import { LANGUAGES } from '../../src/scopes/index.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const readJson = (name: string): unknown => JSON.parse(readFileSync(path.join(ROOT, name), 'utf8'));

test('every language but Markdown has a grammar, and the folder holds nothing else', () => {
  const languages = LANGUAGES.filter((language) => language !== 'markdown');
  expect([...pinnedGrammars().keys()].sort()).toEqual([...languages].sort());
  expect(readdirSync(path.join(ROOT, 'grammars')).sort()).toEqual(
    ['LICENSES.txt', 'manifest.json', ...languages.map((language) => `${language}.wasm.br`)].sort(),
  );
});

test.each([...pinnedGrammars()])('the grammar of %s has the digest of the manifest', (language, { sha256 }) => {
  expect(grammarModule(language, sha256).subarray(0, 4)).toEqual(Buffer.from('\0asm'));
});

test('another digest is refused', () => {
  expect(() => grammarModule('json', '0'.repeat(64))).toThrow('the grammar of json has the digest');
});

test('every grammar comes with its licence', () => {
  const licences = readFileSync(path.join(ROOT, 'grammars/LICENSES.txt'), 'utf8');
  for (const { name, version } of pinnedGrammars().values()) expect(licences).toContain(`${name} ${version}\n---`);
  const { grammars } = readJson('grammars/manifest.json') as { grammars: { licence: string }[] };
  expect(new Set(grammars.map(({ licence }) => licence))).toEqual(new Set(['MIT']));
});

test('the runtime is the dependency, exactly, and the package ships the grammars', () => {
  const { dependencies, files } = readJson('package.json') as { dependencies: Record<string, string>; files: string[] };
  expect(dependencies[RUNTIME.name]).toBe(RUNTIME.version);
  expect(files).toContain('grammars');
});
