import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scope, ScopeEngine } from '../../src/scopes/index.ts';
import { broken, builtEngine, discovered, textOf } from './laws.ts';

let engine: ScopeEngine;
beforeAll(async () => {
  engine = await builtEngine();
});
afterAll(() => engine.close());

/** The scope at a path, whose discovery keeps every law. */
async function scopeAt(text: string, language: string, path: string): Promise<Scope> {
  const found = await discovered(engine, { text, language });
  expect(broken(text, found)).toEqual([]);
  const scope = found.scopes.find((candidate) => candidate.path === path);
  if (scope === undefined) throw new Error(`no ${path} among ${found.scopes.map((candidate) => candidate.path).join('; ')}`);
  return scope;
}

const replaced = (text: string, { start, end }: Scope, by: string): string => {
  const points = Array.from(text);
  return [...points.slice(0, start), by, ...points.slice(end)].join('');
};

describe('what leads a scope in belongs to it', () => {
  test.each<[language: string, path: string, text: string]>([
    [
      'typescript',
      'class A > method m',
      'class A {\n  x = 1;\n\n  ⟦/** Doc. */\n  // And more.\n  @first()\n  @second\n  public async m() {}⟧\n}\n',
    ],
    ['typescript', 'function f', 'const a = 1;\n⟦// Directly above.\nexport default function f() {}⟧\n'],
    ['typescript', 'function f', '// Apart.\n\n⟦export const f = () => {\n  return 1;\n};⟧\n'],
    ['typescript', 'function f', 'let a = 1; // of a\n⟦export function f() {}⟧\n'],
    ['typescript', 'class A', '⟦@sealed\nexport class A {}⟧\n'],
    ['typescript', 'class A > object state', 'class A {\n  ⟦// Shown.\n  state = { x: 1 };⟧\n}\n'],
    [
      'python',
      'class A > method m',
      'class A:\n    x = 1\n    ⟦# Doc.\n    @first\n    # Between.\n    @second(1)\n    async def m(self):\n        pass⟧\n\n',
    ],
    ['python', 'function f', 'def e():\n    pass\n    # of e\n⟦def f():\n    pass⟧\n'],
    ['python', 'function f', 'def e():\n    pass\n⟦# of f\ndef f():\n    pass⟧\n'],
    ['java', 'class A > method m', 'class A {\n  ⟦/** Doc. */\n  @Override\n  public void m() {}⟧\n}\n'],
    ['csharp', 'class A > method M', 'class A {\n  ⟦/// <summary>Doc.</summary>\n  [Fact]\n  public void M() {}⟧\n}\n'],
    ['rust', 'struct A', 'use b;\n⟦/// Doc.\n#[derive(Debug)]\n// Between.\n#[repr(C)]\npub struct A;⟧\n'],
    ['go', 'function F', 'package a\n\n⟦// F does.\n//\n// Much.\nfunc F() {}⟧\n'],
    ['php', 'class A > method m', '<?php\nclass A {\n  ⟦/** Doc. */\n  #[Pure]\n  final public function m() {}⟧\n}\n'],
    ['cpp', 'function f', 'int a;\n⟦// Doc.\ntemplate <class T>\nstatic inline T f(T a) { return a; }⟧\n'],
    ['ruby', 'class A > method m', 'class A\n  x\n\n  ⟦# Doc.\n  private def m; end⟧\nend\n'],
    ['toml', 'table b', '[a]\nx = 1\n\n⟦# Doc.\n[b]\ny = 2⟧\n'],
    ['yaml', 'key a > key c', 'a:\n  b: 1\n  ⟦# Doc.\n  c: 2⟧\nd: 3\n'],
    ['css', 'rule .a', '⟦/* Doc. */\n.a { b: c }⟧\n'],
    ['sql', 'table a', '⟦-- Doc.\nCREATE TABLE a (b integer);⟧\nSELECT 1;\n'],
    ['bash', 'function f', '#!/bin/bash\n⟦f() { :; }⟧\n'],
    ['c', 'struct s', '⟦/* Doc. */\nstruct s { int a; };⟧\n'],
  ])('%s: %s', async (language, path, marked) => {
    const text = marked.replace(/[⟦⟧]/g, '');
    expect(textOf(text, await scopeAt(text, language, path))).toBe(/⟦(.*)⟧/s.exec(marked)![1]);
  });
});

describe('a replaced scope leaves the rest as it was', () => {
  test('a nested function of a TSX component leaves exactly one definition', async () => {
    const text = 'export function Outer() {\n  const inner = () => {\n    return <b>é😀</b>;\n  };\n  return <i onClick={inner} />;\n}\n';
    const edited = replaced(text, await scopeAt(text, 'tsx', 'function Outer > function inner'), 'const inner = () => <u />;');
    expect(edited).toBe('export function Outer() {\n  const inner = () => <u />;\n  return <i onClick={inner} />;\n}\n');
    const again = await discovered(engine, { text: edited, language: 'tsx' });
    expect(again.has_errors).toBe(false);
    expect(again.scopes.filter(({ name }) => name === 'inner')).toHaveLength(1);
  });

  test('a Markdown section without a final newline does not touch the next heading', async () => {
    const text = '# One\n\nFirst.\n\n# Two\n\n```sh\n# not a heading\n```\n\n\n# Three\n\nThird.\n';
    const two = await scopeAt(text, 'markdown', 'section Two');
    expect(textOf(text, two)).toBe('# Two\n\n```sh\n# not a heading\n```');
    const edited = replaced(text, two, '# Two\n\nNew');
    expect(edited).toBe('# One\n\nFirst.\n\n# Two\n\nNew\n\n\n# Three\n\nThird.\n');
    const again = await discovered(engine, { text: edited, language: 'markdown' });
    expect(again.scopes.map(({ path }) => path)).toEqual(['section One', 'section Two', 'section Three']);
  });
});

describe('marks of a conflict', () => {
  const conflict = (ours: string, theirs: string): string => `<<<<<<< HEAD\n${ours}||||||| base\n=======\n${theirs}>>>>>>> branch\n`;

  test.each<[language: string, before: string, ours: string, theirs: string, after: string, paths: string[]]>([
    [
      'tsx',
      'const a = 1;\n',
      'const b = 1;\n',
      'const b = 2;\n',
      'function C() { return <i />; }\n',
      ['variable a', 'variable b', 'variable b#2', 'function C'],
    ],
    ['rust', 'fn a() {\n', '  b();\n', '  c();\n', '}\nfn d() {}\n', ['function a', 'function d']],
    ['yaml', 'a:\n  - b\n', 'c: 1\n', 'c: 2\n', 'd: 3\n', ['key a', 'key c', 'key c#2', 'key d']],
    [
      'sql',
      'SELECT 1 FROM a;\n',
      'SELECT 2 FROM b;\n',
      'SELECT 2 FROM c;\n',
      'SELECT 3 FROM d;\n',
      ['statement select a', 'statement select b', 'statement select c', 'statement select d'],
    ],
  ])('in %s cost nothing below them and are errors', async (language, before, ours, theirs, after, paths) => {
    const text = `${before}${conflict(ours, theirs)}${after}`;
    const found = await discovered(engine, { text, language });
    expect(broken(text, found)).toEqual([]);
    expect(found.scopes.map(({ path }) => path)).toEqual(paths);
    expect(found.errors).toMatchObject({ first: { offset: text.indexOf('<<<') } });
    for (const scope of found.scopes) expect([scope.path, scope.has_errors]).toEqual([scope.path, textOf(text, scope).includes('=====')]);
  });

  test('within a string are its text', async () => {
    const text = `const a = \`\n${conflict('b\n', 'c\n')}\`;\n`;
    expect(await discovered(engine, { text, language: 'typescript' })).toMatchObject({
      has_errors: false,
      scopes: [{ has_errors: false }],
    });
  });
});

describe('names', () => {
  test('what a C declaration declares is told by what stands next to the name', async () => {
    const text =
      'int x, *y = 0;\nint (*pointer)(int);\nint (plain)(int);\nvoid (*signal(int s))(int);\nvoid f(int), g(int);\n' +
      'struct S { int a, b; int (*call)(void); virtual void m(); operator bool() const; };\n';
    const { scopes } = await discovered(engine, { text, language: 'cpp' });
    expect(scopes.map(({ path }) => path)).toEqual([
      'variable x, y',
      'variable pointer',
      'prototype plain',
      'prototype signal',
      'prototype f, g',
      'struct S',
      'struct S > field a, b',
      'struct S > field call',
      'struct S > method m',
      'struct S > method operator bool',
    ]);
  });

  test('what repeats is told apart, also from a name that looks like that', async () => {
    const text = JSON.stringify({ 'a#2': 0 }).replace('}', ', "a": 1, "a": 2, "a": 3}');
    const { scopes } = await discovered(engine, { text, language: 'json' });
    expect(scopes.map(({ path }) => path)).toEqual(['key a#2', 'key a', 'key a#3', 'key a#4']);
  });

  test('a long name is cut, blanks in it are one', async () => {
    const text = JSON.stringify({ ['😀'.repeat(300)]: 1, 'x\n \t y': 2 });
    const { scopes } = await discovered(engine, { text, language: 'json' });
    expect(scopes.map(({ name }) => Array.from(name).length)).toEqual([120, 3]);
    expect(scopes[1]?.name).toBe('x y');
  });

  test('a path that grows without end begins anew behind an ellipsis', async () => {
    const key = 'k'.repeat(100);
    const text = `${`{"${key}":`.repeat(120)}1${'}'.repeat(120)}`;
    const found = await discovered(engine, { text, language: 'json' });
    expect(broken(text, found)).toEqual([]);
    expect(found.scopes).toHaveLength(120);
    expect(found.scopes[36]?.path).toHaveLength(37 * 104 + 36 * 3);
    expect(found.scopes[37]?.path).toBe(`… > key ${key}`);
    expect(found.scopes[38]?.path).toBe(`… > key ${key} > key ${key}`);
  });
});

describe('without a language of ours', () => {
  const text = 'A paragraph\nof two lines.\n\nkey (\n  indented\n\n  after a blank\n)\n\nLast 😀\n';

  test('paragraphs and indented blocks stand in, and the answer says so', async () => {
    const found = await discovered(engine, { text, path: 'notes.unknown' });
    expect(broken(text, found)).toEqual([]);
    expect(found).toMatchObject({ language: null, grammar: null, fallback: true, fallback_reason: 'unknown_language', has_errors: false });
    expect(found.parser.name).toBe('patchdiff-regions');
    expect(found.scopes.map((scope) => [scope.path, scope.first_line, scope.last_line])).toEqual([
      ['paragraph A paragraph', 1, 2],
      ['block key (', 4, 8],
      ['paragraph Last 😀', 10, 10],
    ]);
  });

  test('an explicit language decides over the path, an unknown one means regions', async () => {
    expect((await discovered(engine, { text: '{"a": 1}', language: 'json', path: 'a.ts' })).language).toBe('json');
    expect((await discovered(engine, { text: '{"a": 1}', language: 'cobol', path: 'a.json' })).fallback_reason).toBe('unknown_language');
  });

  test('an empty text has no scopes', async () => {
    for (const language of ['typescript', 'markdown', 'yaml', 'none']) {
      expect((await discovered(engine, { text: '', language })).scopes).toEqual([]);
      expect((await discovered(engine, { text: '\n \n', language })).scopes).toEqual([]);
    }
  });

  test('a text that the database could not hold is refused', async () => {
    for (const bad of ['a\0b', 'a\ud83d']) expect(await engine.discover({ text: bad })).toEqual({ ok: false, reason: 'invalid_text' });
  });
});
