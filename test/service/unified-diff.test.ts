import { applyPatch } from 'diff';
import { expect, test } from 'vitest';
import { unifiedDiff } from '../../src/service/unified-diff.ts';

const NONE = 1e9;

test.each([
  ['a\nb\nc\n', 'a\nB\nc\n'],
  ['a\nb\nc', 'a\nb\nc\n'],
  ['a\nb\nc\n', 'a\nb\nc'],
  ['', 'a\n'],
  ['a\n', ''],
  ['a', 'b'],
  ['x\n'.repeat(50), `${'x\n'.repeat(20)}y\n${'x\n'.repeat(30)}`],
  ['\n\n', '\n'],
])('applies to the one text and gives the other: %j', (before, after) => {
  const { text, omitted } = unifiedDiff(before, after, NONE);
  expect(omitted).toBeNull();
  expect(applyPatch(before, text)).toBe(after);
});

test('beyond the search bound it is blunt, never wrong', () => {
  const lines = (prefix: string): string => Array.from({ length: 3000 }, (_, i) => `${prefix}${i}`).join('\n');
  const before = `head\n${lines('a')}\ntail\n`;
  for (const after of [`head\n${lines('b')}\ntail\n`, `head\n${lines('b')}\ntail`, lines('c'), `${lines('d')}\nhead\n`]) {
    expect(applyPatch(before, unifiedDiff(before, after, NONE).text)).toBe(after);
  }
});

test('equal texts have no diff', () => {
  expect(unifiedDiff('a', 'a', NONE)).toEqual({ text: '', omitted: null });
});

test('a budget cuts after whole lines and says what is missing', () => {
  const before = Array.from({ length: 100 }, (_, i) => `line ${i}\n`).join('');
  const whole = unifiedDiff(before, before.replaceAll('line', 'zéro'), NONE).text;
  const { text, omitted } = unifiedDiff(before, before.replaceAll('line', 'zéro'), 300);
  expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThanOrEqual(300);
  expect(whole.startsWith(text)).toBe(true);
  expect(omitted).toEqual({
    lines: whole.split('\n').length - text.split('\n').length,
    bytes: Buffer.byteLength(whole) - Buffer.byteLength(text),
  });
});
