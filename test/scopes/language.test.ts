import { describe, expect, test } from 'vitest';
import { languageNamed, languageOf } from '../../src/scopes/language.ts';

test.each([
  ['a/b.ts', '', 'typescript'],
  ['a.d.mts', '', 'typescript'],
  ['A.TSX', '', 'tsx'],
  ['a.jsx', '', 'javascript'],
  ['stubs.pyi', '', 'python'],
  ['C:\\code\\main.CS', '', 'csharp'],
  ['list.h', 'struct list;\n', 'c'],
  ['list.h', '#pragma once\nnamespace list {\n}\n', 'cpp'],
  ['list.c', 'namespace list {\n', 'c'],
  ['Gemfile', '', 'ruby'],
  ['.bashrc', '', 'bash'],
  ['theme.zsh', '', 'bash'],
  ['vector.tpp', '', 'cpp'],
  ['page.mdx', '', 'markdown'],
  ['Cargo.lock', '', 'toml'],
  ['README.md', '', 'markdown'],
  ['bin/run', '#!/bin/sh\n', 'bash'],
  ['bin/run', '#!/usr/bin/env -S FOO=1 node --flag\n', 'javascript'],
  ['', '#!/usr/bin/python3.12 -u\n', 'python'],
  ['bin/run', '#!/usr/bin/awk -f\n', null],
  ['notes.txt', '#!/bin/sh\n', null],
  ['archive.ts.bak', '', null],
  ['constructor', '', null],
  ['a.constructor', '', null],
  ['', '', null],
])('%s with %j is %s', (path, text, language) => {
  expect(languageOf(path, text)).toBe(language);
});

describe('a language by its name', () => {
  test.each([
    ['TypeScript', 'typescript'],
    [' c# ', 'csharp'],
    ['C++', 'cpp'],
    ['yml', 'yaml'],
    ['shell', 'bash'],
    ['cobol', null],
    ['constructor', null],
    ['', null],
  ])('%j is %s', (name, language) => {
    expect(languageNamed(name)).toBe(language);
  });
});
