import { expect, test } from 'vitest';
import { sectionsOf } from '../../src/scopes/markdown.ts';

/** The lines, from 1, on which sections begin. */
function headings(lines: readonly string[]): number[] {
  const text = `${lines.join('\n')}\n`;
  const sections = sectionsOf(text).filter(({ kind }) => kind === 'section');
  return sections.map(({ start }) => text.slice(0, start).split('\n').length);
}

// The right values are those of the reference implementation of CommonMark.
test.each<[what: string, lines: string[], headings: number[]]>([
  ['a fence that a list marker opens', ['# A', '- ```sh', '  # no', '  ```', '# B'], [1, 5]],
  ['a fence in an item, left by a line that is not indented', ['1. a', '   ```sh', '# A', '   ```', '# no'], [3]],
  ['a heading in an item', ['- a', '', '  # no', 'text', '', '  # A'], [6]],
  ['text that goes on with an item', ['- a', 'text', '  # no', '# A'], [4]],
  ['an item that ends with its second blank line', ['-', '', '  # A'], [3]],
  ['code in an item, which nothing goes on with', ['-     code', 'Title', '==='], [2]],
  ['a number that does not interrupt a paragraph', ['text', '2. b', '==='], [1]],
  ['a number that does', ['text', '1. b', '==='], []],
  ['a block element up to the blank line', ['<details>', '# no', '', '# A', '', '</details>'], [4]],
  ['a block element that interrupts a paragraph', ['text', '<div>', '# no'], []],
  ['a lone tag', ['<x-y a="b" c>', '# no', '', '# A'], [4]],
  ['a lone tag that does not interrupt a paragraph', ['text', '<x-y>', '# A'], [3]],
  ['an inline element', ['<b>x</b>', '# A'], [2]],
  ['a declaration', ['<!DOCTYPE html>', '# A', '<!X', '# no', '>', '# B'], [2, 6]],
  ['a quotation that ends with its heading', ['> # no', 'Title', '---'], [2]],
  ['text that goes on with a quotation', ['> text', 'more', '==='], []],
])('%s', (_, lines, expected) => {
  expect(headings(lines)).toEqual(expected);
});
