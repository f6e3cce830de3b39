import { describe, expect, it } from 'vitest';

import { findNearMisses } from '../../src/nearmiss/index.ts';
import type { Explanation } from '../../src/nearmiss/index.ts';

const slice = (text: string, start: number, end: number): string => Array.from(text).slice(start, end).join('');

describe('findNearMisses', () => {
  it('gives offsets in code points that can be used unchanged in a span', () => {
    const buffer = '😀😀 first line\n🎉 the colour of money\n';
    const { near_misses, complete, scanned_share } = findNearMisses(buffer, 'the color of money');
    expect({ complete, scanned_share }).toEqual({ complete: true, scanned_share: 1 });
    expect(near_misses).toEqual([
      {
        start: 16,
        end: 35,
        line: 2,
        distance: 1,
        similarity: 0.9444,
        text: 'the colour of money',
        diff: "+8 nothing -> 'u'",
      },
    ]);
    expect(slice(buffer, 16, 35)).toBe('the colour of money');
  });

  it('orders at most three hits by distance, then position', () => {
    const buffer = 'value = 10\nvalue = 11\nvalue = 12\nvalve = 99\n';
    const { near_misses } = findNearMisses(buffer, 'value = 19');
    expect(near_misses.map((hit) => [hit.line, hit.distance])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
  });

  it('compares the first 256 code points of a long query and shows at most as many of a hit', () => {
    const line = (i: number): string => `line ${i} of a document that goes on for long\n`;
    const buffer = Array.from({ length: 40 }, (_, i) => line(i)).join('');
    const query = buffer.slice(0, 300).replace('document', 'dokument') + 'something else altogether';
    const answer = findNearMisses(buffer, query);
    expect(answer.near_misses[0]).toMatchObject({ start: 0, end: 256, distance: 1, diff: "+14 'k' -> 'c'" });
    for (const hit of answer.near_misses) expect(Array.from(hit.text).length).toBeLessThanOrEqual(256);
  });

  it('says when the work cap ended the scan', () => {
    const buffer = `${'x'.repeat(5000)}needle in the hay${'x'.repeat(5000)}`;
    const answer = findNearMisses(buffer, 'needle on the hay', { workCap: 2560 });
    expect(answer).toEqual({ complete: false, scanned_share: 0.2555, near_misses: [] });
  });

  it('finds nothing for an empty query and in an empty buffer', () => {
    expect(findNearMisses('abc', '')).toEqual({ complete: true, scanned_share: 1, near_misses: [] });
    expect(findNearMisses('', 'abc')).toEqual({ complete: true, scanned_share: 1, near_misses: [] });
  });

  it('is quick on a text that occurs nowhere (B72) and on a long hunk with a change in every line (B70)', () => {
    const periodic = findNearMisses('ab'.repeat(50_000), `${'ab'.repeat(2000)}c`);
    expect(periodic.complete).toBe(true);
    expect(periodic.near_misses[0]!.distance).toBe(0);
    const doc = Array.from({ length: 500 }, (_, i) => `  const value${i} = compute(${i * 7}, "text");\n`);
    const hunk = doc
      .slice(50, 450)
      .map((line) => line.replace('compute', 'compvte'))
      .join('');
    const answer = findNearMisses(doc.join(''), hunk);
    expect(answer.complete).toBe(true);
    expect(answer.near_misses[0]!.line).toBe(51);
  });

  it('explains within bounds where long runs of blanks invite quadratic work', () => {
    const blanks = ' '.repeat(200_000);
    expect(findNearMisses(`a${blanks}b`, 'a b').explanation?.kind).toBe('whitespace');
    expect(findNearMisses(`${blanks}\n${blanks}ab`, '\n\n ab c').explanation).toBeUndefined();
    const answer = findNearMisses(`x${blanks}\n`, `X${' '.repeat(60_000)}`);
    expect(answer.explanation).toMatchObject({ kind: 'several', start: 0 });
  });
});

describe('explanations of field reports', () => {
  it('B06: typographic quotes are named', () => {
    const { near_misses, explanation } = findNearMisses('n = "x"\n“q” —\u00a0z  \n', 'n = “x”');
    expect(near_misses[0]).toMatchObject({ start: 0, end: 6, distance: 2, diff: "+4 U+201C -> '\"'; +6 U+201D -> nothing" });
    expect(explanation).toMatchObject({
      kind: 'typography',
      start: 0,
      end: 7,
      line: 1,
      expected: 'n = \\u201Cx\\u201D',
      actual: 'n = "x"',
    });
    expect(explanation!.message).toContain('the query has U+201C, U+201D');
  });

  it('B10: tabs against spaces are said so, beyond the distance bound too', () => {
    const { near_misses, explanation } = findNearMisses('\tif x:\n\t\ty()\n', '    if x:\n        y()\n');
    expect(near_misses).toEqual([]);
    expect(explanation).toEqual({
      kind: 'indentation',
      message: 'Same text, but the indentation differs: 4 spaces asked for, 1 tab found (first on line 1 of the query).',
      start: 0,
      end: 13,
      line: 1,
      expected: '    if x:\\n        y()\\n',
      actual: '\\tif x:\\n\\t\\ty()\\n',
    });
  });

  it.each([
    { name: 'composed query', buffer: 'le cafe\u0301 noir', query: 'caf\u00e9' },
    { name: 'decomposed query', buffer: 'le caf\u00e9 noir', query: 'cafe\u0301' },
  ])('B14: $name', ({ buffer, query }) => {
    const { explanation } = findNearMisses(buffer, query);
    expect(explanation).toMatchObject({ kind: 'unicode_form', start: 3, line: 1 });
    expect(explanation!.message).toContain('Equal after Unicode normalisation');
    expect(slice(buffer, explanation!.start!, explanation!.end!).normalize('NFC')).toBe('caf\u00e9');
    expect(explanation!.code_points!.expected).toEqual(
      Array.from(query, (c) => `U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`),
    );
    expect(explanation!.code_points!.actual).not.toEqual(explanation!.code_points!.expected);
  });

  it('B26: a query with another line ending is told so', () => {
    expect(findNearMisses('alpha\nbeta\ngamma\n', 'beta\r\ngamma').explanation).toMatchObject({
      kind: 'line_ending',
      start: 6,
      end: 16,
      line: 2,
      expected: 'beta\\r\\ngamma',
      actual: 'beta\\ngamma',
    });
  });

  it.each([
    '12| foo(bar)',
    '12|foo(bar)',
    '    12\tfoo(bar)',
    '12: foo(bar)',
    '12:a3|foo(bar)',
    '  12\u2192foo(bar)',
    'L12: foo(bar)',
    '12 foo(bar)',
  ])('B75: line-number prefix in %j', (query) => {
    const buffer = `${'x\n'.repeat(11)}foo(bar)\nend\n`;
    const { explanation } = findNearMisses(buffer, query);
    expect(explanation).toMatchObject({ kind: 'line_number_prefix', line: 12 });
    expect(slice(buffer, explanation!.start!, explanation!.end!)).toBe('foo(bar)');
    expect(explanation!.message).toContain('Line-number prefix?');
  });

  it('B07: of a straight and a curly twin the exact one needs no explanation', () => {
    const answer = findNearMisses('g = "h"\ng = “h”\n', 'g = "h"');
    expect(answer.explanation).toBeUndefined();
    expect(answer.near_misses[0]).toMatchObject({ start: 0, end: 7, distance: 0 });
  });

  it('B09: curly quotes typed into code are named, beside the ASCII that stands there', () => {
    const { explanation } = findNearMisses('const re = /^["\'(]+/;\n', '/^[“‘(]+/');
    expect(explanation).toMatchObject({ kind: 'typography', start: 11, end: 20, expected: '/^[\\u201C\\u2018(]+/', actual: '/^["\'(]+/' });
    expect(explanation!.code_points!.actual.slice(3, 5)).toEqual(['U+0022', 'U+0027']);
  });

  it('B72: random words that occur nowhere have no explanation', () => {
    const doc = Array.from({ length: 3000 }, (_, i) => `paragraph ${i} of a text about nothing\n`).join('');
    expect(findNearMisses(doc, 'xylophone quartz 87 jukebox vexing dwarf').explanation).toBeUndefined();
  });

  it('B75: with short text, over several lines, and with other blanks besides', () => {
    expect(findNearMisses('a\nfoo\n', '2| foo').explanation).toMatchObject({ kind: 'line_number_prefix', start: 2, end: 5 });
    const two = findNearMisses('\tfoo(1)\n\n\tbar(2)\n', '1|  foo(1)\n\n3|  bar(2)').explanation!;
    expect(two).toMatchObject({ kind: 'line_number_prefix', line: 1 });
    expect(two.message).toContain('Besides: Same text, but the indentation differs');
  });
});

describe('other explanations', () => {
  it.each([
    { kind: 'trailing_whitespace', buffer: 'one  \ntwo\n', query: 'one\ntwo', start: 0, end: 9 },
    { kind: 'whitespace', buffer: 'f(a,b)\n', query: 'f(a, b)', start: 0, end: 6 },
    { kind: 'whitespace', buffer: 'a b\n\n\nc d\n', query: 'a b\nc d', start: 0, end: 9 },
    { kind: 'case', buffer: 'select A from T', query: 'SELECT a FROM t', start: 0, end: 15 },
    { kind: 'typography', buffer: '1\u00a0000 km', query: '1 000 km', start: 0, end: 8 },
    { kind: 'typography', buffer: 'zero\u200bwidth', query: 'zerowidth', start: 0, end: 10 },
    { kind: 'literal_escapes', buffer: 'one\n\ttwo\n', query: 'one\\n\\ttwo', start: 0, end: 8 },
    { kind: 'literal_escapes', buffer: 'say "hi" now', query: 'say \\"hi\\"', start: 0, end: 8 },
    { kind: 'literal_escapes', buffer: 'x = "a\\nb"', query: 'a\nb', start: 5, end: 9 },
    { kind: 'literal_escapes', buffer: 'wave 👋 there', query: 'wave \\u{1F44B} there', start: 0, end: 12 },
    { kind: 'final_newline', buffer: 'first\nlast', query: 'last\n', start: 6, end: 10 },
    { kind: 'several', buffer: 'It’s  HERE', query: "it's here", start: 0, end: 10 },
  ])('$kind: $query', ({ kind, buffer, query, start, end }) => {
    expect(findNearMisses(buffer, query).explanation).toMatchObject({ kind, start, end });
  });

  it('names the respects that differ together, and no others', () => {
    expect(findNearMisses('It’s  HERE', "it's here").explanation!.message).toContain('blanks and letter case and typographic characters.');
    expect(findNearMisses('Cafe\u0301 NOIR', 'caf\u00e9 noir').explanation!.message).toContain('letter case and Unicode form.');
  });

  it('takes the narrowest difference among several places', () => {
    const { explanation } = findNearMisses('FOO ( )\n foo()\nFoo()\n', '\tfoo()');
    expect(explanation).toMatchObject({ kind: 'indentation', line: 2 });
  });

  it('recognises that the change was made before', () => {
    const answer = findNearMisses('limit = 20  # seconds\n', 'limit = 10', { replacement: 'limit = 20' });
    expect(answer.explanation).toMatchObject({ kind: 'already_replaced', start: 0, end: 10, line: 1 });
    expect(findNearMisses('limit = 20\n', 'limit = 10', { replacement: '20' }).explanation).toBeUndefined();
  });

  it('names the version that still held the text', () => {
    const earlierVersions = [
      { version: 4, content: 'nothing here' },
      { version: 3, content: 'the old line\n' },
    ];
    expect(findNearMisses('the new text\n', 'the old line', { earlierVersions }).explanation).toMatchObject({
      kind: 'earlier_version',
      version: 3,
    });
  });

  it('says nothing when nothing is known, or when the text is there', () => {
    expect(findNearMisses('alpha beta gamma', 'alpha delta gamma').explanation).toBeUndefined();
    expect(findNearMisses('alpha beta gamma', 'beta').explanation).toBeUndefined();
  });
});

describe('a span', () => {
  const at = (buffer: string, start: number, end: number, text: string): Explanation | undefined =>
    findNearMisses(buffer, text, { span: { start, end, text, before: '', after: '', differs: 'text' } }).explanation;

  it.each([
    { kind: 'final_newline', expected: 'last\n\n\n', actual: 'last\n' },
    { kind: 'indentation', expected: '  a', actual: '\ta' },
    { kind: 'case', expected: 'A', actual: 'a' },
    { kind: 'literal_escapes', expected: 'a\\nb', actual: 'a\nb' },
  ])('explains what stands there: $kind', ({ kind, expected, actual }) => {
    const end = 8 + actual.length;
    expect(at(`// head\n${actual}\n// tail\n`, 8, end, expected)).toMatchObject({ kind, start: 8, end, line: 2 });
  });

  it('is not explained by equal and by unrelated texts', () => {
    expect(at('abc', 0, 1, 'z')).toBeUndefined();
    expect(at('abc', 0, 1, 'a')).toBeUndefined();
  });
});
