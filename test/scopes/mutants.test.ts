import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ScopeEngine } from '../../src/scopes/index.ts';
import { randomness } from '../nearmiss/cases.ts';
import { broken, builtEngine, discovered } from './laws.ts';
import { SAMPLES } from './samples.ts';

const MUTANTS = 20;
const TOKENS = [
  '(',
  ')',
  '{',
  '}',
  '[',
  ']',
  '<',
  '>',
  '"',
  "'",
  '`',
  '#',
  ';',
  ':',
  '\n',
  '\t',
  '/*',
  '*/',
  '<<A',
  '😀',
  '\ue000',
  '---',
  'é',
  '}}',
];

let engine: ScopeEngine;
beforeAll(async () => {
  engine = await builtEngine();
});
afterAll(() => engine.close());

/** A text with one random cut, insertion or end. */
function mutant(text: string, below: (bound: number) => number): string {
  const points = Array.from(text);
  const at = below(points.length);
  const kind = below(3);
  if (kind === 0) points.splice(at, 1 + below(30));
  else if (kind === 1) points.splice(at, 0, TOKENS[below(TOKENS.length)]!.repeat(1 + below(3)));
  else points.length = at;
  return points.join('');
}

test.each(SAMPLES)('damaged copies of $name have sound scopes', async ({ name, text }) => {
  const below = randomness(7 + text.length);
  const whole = (await discovered(engine, { text, path: name })).scopes.length;
  let kept = 0;
  for (let round = 0; round < MUTANTS; round++) {
    const damaged = mutant(text, below);
    const found = await discovered(engine, { text: damaged, path: name });
    expect({ damaged, broken: broken(damaged, found) }).toEqual({ damaged, broken: [] });
    kept += found.scopes.length;
  }
  // A third of the mutants is cut short, at half of the text on average.
  expect(kept).toBeGreaterThan(whole * MUTANTS * 0.4);
});

test('a syntax error is counted and placed, and the scopes beside it stay', async () => {
  const text = 'function before() {}\n\nfunction damaged( {\n\nfunction after() {}\n';
  const found = await discovered(engine, { text, language: 'typescript' });
  expect(found.has_errors).toBe(true);
  expect(found.errors.first?.line).toBeGreaterThan(2);
  expect(found.scopes.find(({ name }) => name === 'before')?.has_errors).toBe(false);
});
