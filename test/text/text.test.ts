import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalize,
  codePointLength,
  CodePointIndex,
  countLineFeeds,
  isBlank,
  isEncodable,
  lineStarts,
  takeCodePoints,
  utf8Length,
} from '../../src/text/index.ts';

/** Texts with astral characters, marks and line ends, long enough to cross index samples. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(fc.constantFrom('a', 'é', '漢', '😀', '\n', '\r\n', '\r', '\u0301'), { maxLength: 60 }).map((parts) => parts.join('')),
  fc
    .tuple(fc.constantFrom('a', '漢', '😀', 'x😀'), fc.integer({ min: 400, max: 1100 }), fc.constantFrom('', 'b', '😀'))
    .map(([part, count, tail]) => part.repeat(count) + tail),
);

describe('canonical text', () => {
  it('turns CRLF and lone CR into LF and nothing else', () => {
    expect(canonicalize('a\r\nb\rc\n\r\r\n')).toBe('a\nb\nc\n\n\n');
    expect(canonicalize('no carriage return')).toBe('no carriage return');
  });

  it('knows what PostgreSQL text cannot hold', () => {
    for (const bad of ['\0', 'a\ud800', '\udc00b', '\ude00\ud83d']) expect(isEncodable(bad)).toBe(false);
    for (const good of ['', '😀', '\u0001', '\uffff', '\ufeff']) expect(isEncodable(good)).toBe(true);
  });

  it('has exactly the blanks of the contract', () => {
    const blanks: number[] = [];
    for (let code = 0; code <= 0xffff; code += 1) if (isBlank(String.fromCharCode(code))) blanks.push(code);
    expect(blanks).toEqual([
      9, 10, 11, 12, 13, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007,
      0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
    ]);
    expect(isBlank('')).toBe(true);
    expect(isBlank(' \n\u3000')).toBe(true);
    expect(isBlank(' x ')).toBe(false);
    expect(isBlank(`${' '.repeat(100_000)}x`)).toBe(false);
  });
});

describe('code points', () => {
  it('maps every code point as Array.from counts them', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const index = new CodePointIndex(text);
        const points = Array.from(text);
        expect(index.length).toBe(points.length);
        expect(codePointLength(text)).toBe(points.length);
        let unit = 0;
        for (let point = 0; point <= points.length; point += 1) {
          expect(index.toUnit(point)).toBe(unit);
          expect(index.toCodePoint(unit)).toBe(point);
          unit += points[point]?.length ?? 0;
        }
      }),
    );
  });

  it('counts UTF-8 bytes as TextEncoder does', () => {
    const encoder = new TextEncoder();
    fc.assert(
      fc.property(anyText, (text) => {
        const index = new CodePointIndex(text);
        expect(index.byteLength).toBe(encoder.encode(text).length);
        expect(utf8Length(text)).toBe(index.byteLength);
        let unit = 0;
        let bytes = 0;
        for (const point of text) {
          expect(index.toByte(unit)).toBe(bytes);
          unit += point.length;
          bytes += encoder.encode(point).length;
        }
      }),
    );
  });

  it('refuses offsets outside the text', () => {
    for (const text of ['', 'abc', '😀😀']) {
      const index = new CodePointIndex(text);
      for (const bad of [-1, 0.5, Number.NaN, text.length + 1]) {
        expect(() => index.toCodePoint(bad)).toThrow(RangeError);
        expect(() => index.toUnit(bad)).toThrow(RangeError);
        expect(() => index.toByte(bad)).toThrow(RangeError);
      }
      expect(() => index.toUnit(index.length + 1)).toThrow(RangeError);
    }
  });

  it('takes whole code points', () => {
    fc.assert(
      fc.property(anyText, fc.nat({ max: 50 }), (text, count) => {
        expect(takeCodePoints(text, count)).toBe(Array.from(text).slice(0, count).join(''));
      }),
    );
  });

  it('looks up in a large astral text without reading it each time', () => {
    const index = new CodePointIndex('x😀'.repeat(500_000));
    const started = process.cpuUsage();
    for (let point = 0; point < 1_000_000; point += 20) expect(index.toCodePoint(index.toUnit(point))).toBe(point);
    expect(process.cpuUsage(started).user).toBeLessThan(5_000_000);
  });
});

describe('lines', () => {
  it('are ended by LF only', () => {
    expect(lineStarts('')).toEqual([]);
    expect(lineStarts('a')).toEqual([0]);
    expect(lineStarts('a\n')).toEqual([0]);
    expect(lineStarts('\n\n')).toEqual([0, 1]);
    expect(lineStarts('a\rb\u2028c\u0085d\x0ce\nf')).toEqual([0, 10]);
  });

  it('agree with a split', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const lines = text.split('\n');
        if (lines.at(-1) === '') lines.pop();
        expect(lineStarts(text)).toHaveLength(lines.length);
        expect(countLineFeeds(text, 0, text.length)).toBe(text.split('\n').length - 1);
      }),
    );
  });

  it('counts only the line feeds inside the range', () => {
    expect(countLineFeeds('\na\nb\n', 1, 4)).toBe(1);
  });
});
