import { describe, expect, test } from 'vitest';
import { blocksOf, linksOf } from './blocks.ts';
import { fill, missing, stepsOf, type Names } from './transcript.ts';

describe('blocks', () => {
  test('language, marker and line', () => {
    expect(blocksOf('a\n<!-- file x -->\n```text\nb\nc\n```\n\n```\nd\n```\n')).toEqual([
      { language: 'text', marker: 'file x', text: 'b\nc', line: 3 },
      { language: '', marker: null, text: 'd', line: 8 },
    ]);
  });

  test('an open fence is an error', () => {
    expect(() => blocksOf('```text\nb\n')).toThrow('line 1');
  });

  test('links to pages, without fragments and without the web', () => {
    expect(linksOf('[a](b.md#c) [d](https://example.com) [e](../f)')).toEqual(['b.md', '../f']);
  });
});

describe('transcripts', () => {
  test('calls, answers, continued lines and prose', () => {
    expect(stepsOf('Prose.\n\n→ tool {"a": 1,\n   "b": 2}\n← {"c": 3}\n\nProse.\n')).toEqual([{ tool: 'tool', send: { a: 1, b: 2 }, expect: { c: 3 } }]);
  });

  test('a call without an answer is an error', () => {
    expect(() => stepsOf('→ tool {"a": 1}\n→ tool {}\n')).toThrow('expected');
  });

  test('names are bound once and filled in later', () => {
    const names: Names = new Map();
    expect(missing({ id: '$id', list: [{ a: 1 }] }, { id: 'x', list: [{ a: 1, b: 2 }, 3], more: true }, names)).toEqual([]);
    expect(fill({ target: ['$id'] }, names)).toEqual({ target: ['x'] });
    expect(missing('$id', 'y', names)).toEqual(['answer is "y", not $id = "x"']);
    expect(() => fill('$other', names)).toThrow('$other');
  });

  test.each([
    [{ a: 1 }, { a: 2 }, 'answer.a is 2, not 1'],
    [{ a: 1 }, {}, 'answer.a is absent'],
    [{ a: [1, 2] }, { a: [1] }, 'answer.a[1] is absent'],
    [{ a: [1] }, { a: { 0: 1 } }, 'answer.a is no list'],
    [{ a: { b: 1 } }, { a: [1] }, 'answer.a is no object'],
    [null, 0, 'answer is 0, not null'],
  ])('%j is not in %j', (shown, real, words) => {
    expect(missing(shown, real, new Map())).toEqual([words]);
  });
});
