import { afterAll, beforeAll, expect, test } from 'vitest';
import { unmarked } from '../../src/scopes/conflicts.ts';
import type { ScopeEngine } from '../../src/scopes/index.ts';
import { broken, builtEngine, discovered, textOf } from './laws.ts';

let engine: ScopeEngine;
beforeAll(async () => {
  engine = await builtEngine();
});
afterAll(() => engine.close());

// The scope at a path is what stands between the brackets.
test.each<[language: string, path: string, text: string]>([
  ['tsx', 'function Input', '⟦export const Input = memo(forwardRef((props, ref) => <i ref={ref} />));⟧\n'],
  ['typescript', 'variable default > method setup', 'export default defineConfig({\n  ⟦setup() {}⟧,\n});\n'],
  ['typescript', 'variable default', 'import a;\n⟦/** Doc. */\nexport default [{ a: 1 }];⟧\n'],
  ['typescript', 'object default', '⟦export default { a() {} } satisfies A;⟧\n'],
  ['javascript', 'function default', '⟦export default memo(function Named() {});⟧\n'],
  ['typescript', 'namespace global', '⟦declare global {\n  interface Window { a: string }\n}⟧\n'],
  ['python', 'type Pair', '⟦type Pair[T] = tuple[T, T]⟧\n'],
  ['python', 'variable x, y', '⟦x, y = 1, 2⟧\nx[0], z = 3, 4\n'],
  ['cpp', 'class A > method operator<', 'class A {\n  ⟦/// Doc.\n  friend bool operator<(A a, A b) { return true; }⟧\n};\n'],
  ['cpp', 'class Widget > field a', 'class API Widget : public Base {\n public:\n  int z;\n  ⟦int a;⟧\n};\n'],
  ['cpp', 'struct Widget', '⟦// Doc.\nstruct API Widget { int a; };⟧\n'],
  ['cpp', 'function TEST(Suite, two)', 'TEST(Suite, one) {}\n⟦TEST(Suite, two) { int a; }⟧\n'],
  ['cpp', 'class Dialog', '⟦class API Dialog : public Base {\n  OBJECT\n public:\n  int a;\n};⟧\n'],
  ['c', 'function main', '⟦int main(int, char **) { return 0; }⟧\n'],
  ['rust', 'impl !Sync for A', '⟦impl !Sync for A {}⟧\n'],
  ['ruby', 'class A > method m', 'class A\n  ⟦# Doc.\n  helper_method def m; end⟧\nend\n'],
  ['ruby', 'constant A::B', '⟦A::B = 1⟧\n'],
  ['bash', 'variable B', 'A=1 ⟦B=2⟧\nC=3\n'],
  ['toml', 'table a > key b', '[a]\n⟦b = "#"⟧ # of b\nc = 1 # of c\n'],
  ['css', 'rule i > rule .a & .b', 'i { ⟦.a & .b { c: d }⟧ }\n'],
])('%s: %s', async (language, path, marked) => {
  const text = marked.replace(/[⟦⟧]/g, '');
  const found = await discovered(engine, { text, language });
  expect(broken(text, found)).toEqual([]);
  const scope = found.scopes.find((candidate) => candidate.path === path);
  expect(found.scopes.map((candidate) => candidate.path)).toContain(path);
  expect(textOf(text, scope!)).toBe(/⟦(.*)⟧/s.exec(marked)![1]);
});

test('a conflict of any number of marks is read', () => {
  const text = `<<<<<<< a\n${'=======\n'.repeat(300_000)}>>>>>>> b\n`;
  const found = unmarked(text);
  expect(found?.marks).toHaveLength(300_002);
  expect(found?.text.trim()).toBe('');
});
