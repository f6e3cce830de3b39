import { describe, expect, test } from 'vitest';
import { readJsonObject } from '../../src/service/submission/strict-json.ts';

const read = (text: string | Buffer) => readJsonObject(Buffer.from(text as string));

describe('what cannot be taken as it is written is refused with its place', () => {
  test.each<[string, string | Buffer, string]>([
    ['a latin-1 letter', Buffer.concat([Buffer.from('{"a":"caf'), Buffer.from([0xe9]), Buffer.from('"}')]), 'byte 9 (0xe9) is not UTF-8'],
    ['a truncated sequence', Buffer.from([0x7b, 0x22, 0xe2, 0x82]), 'byte 2 (0xe2) is not UTF-8'],
    ['a surrogate in bytes', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'byte 1 (0xed) is not UTF-8'],
    ['UTF-16', Buffer.from([0xff, 0xfe, 0x7b, 0x00]), 'byte 0 (0xff) is not UTF-8'],
    ['a byte order mark', '\u{FEFF}{}', 'it begins with a byte order mark; save it without'],
    ['nothing', '', 'line 1, column 1: a value is missing at the end'],
    ['blanks only', ' \n ', 'line 2, column 2: a value is missing at the end'],
    ['a comma too many', '{\n  "é😀": 1,\n}', 'line 3, column 1: a name in double quotes is expected here'],
    ['a comma too many in a list', '[1,]', 'line 1, column 4: a value is expected here'],
    ['a comma at first', '[,1]', 'line 1, column 2: a value is expected here'],
    ['no comma', '{"a": 1 "b": 2}', 'line 1, column 9: a comma or the closing } is expected here'],
    ['the wrong bracket', '[1}', 'line 1, column 3: a comma or the closing ] is expected here'],
    ['a bracket too few', '{"a": [1', 'line 1, column 9: a comma or the closing ] is expected here'],
    ['no colon', '{"a" 1}', 'line 1, column 6: a colon is expected here'],
    ['no value', '{"a":}', 'line 1, column 6: a value is expected here'],
    ['a name without quotes', '{a: 1}', 'line 1, column 2: a name in double quotes is expected here'],
    ['single quotes', "{'a': 1}", 'line 1, column 2: a name in double quotes is expected here'],
    ['a line end in a string', '{"a": "b\n"}', 'line 1, column 9: a control character in a string is written as an escape'],
    ['an open string', '{"😀😀": "b', 'line 1, column 10: the string that begins before is never closed'],
    ['an unknown escape', '{"é": "\\x41"}', 'line 1, column 8: no such escape'],
    ['half an escape', '"\\u00"', 'line 1, column 2: no such escape'],
    ['two values', '{}{}', 'line 1, column 3: there is more after the value'],
    ['a leading zero', '[01]', 'line 1, column 3: a comma or the closing ] is expected here'],
    ['a plus', '[+1]', 'line 1, column 2: a value is expected here'],
    ['NaN', '{"a": NaN}', 'line 1, column 7: a value is expected here'],
    ['a comment', '{} // done', 'line 1, column 4: there is more after the value'],
    ['an object key __proto__', '{"a": [{"__proto__": 1}]}', 'line 1, column 9: an object key "__proto__" is refused'],
    ['the same in escapes', '{"\\u005f_proto__": 1}', 'line 1, column 2: an object key "__proto__" is refused'],
    ['a list', '[{}]', 'one JSON object is expected, not array'],
    ['a text', '"{}"', 'one JSON object is expected, not string'],
    ['null', 'null', 'one JSON object is expected, not null'],
  ])('%s', (_, text, words) => {
    expect(read(text)).toEqual({ ok: false, words });
  });

  test.each([
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890',
    '1.00000000000000000001',
    '0.1e400',
    '1e400',
    '-1e999',
    '1e-400',
    '0.30000000000000000001',
  ])('the number %s, which would become another', (number) => {
    const { words } = read(`{"a": ${number}}`) as { words: string };
    expect(words).toMatch(
      /^line 1, column 7: the number \S+ cannot be kept as written \(it would become \S+\); integers go up to 9007199254740991$/,
    );
  });
});

describe('what can is taken whole', () => {
  test.each([
    '0',
    '-0',
    '0.0',
    '1',
    '-1',
    '1.0',
    '1e2',
    '1E+2',
    '123e-1',
    '0.1',
    '9007199254740991',
    '9007199254740992',
    '1e23',
    '5e-324',
    '1.7976931348623157e308',
    '100000000000000000000',
  ])('the number %s', (number) => {
    expect(read(`{"a":${number}}`)).toEqual({ ok: true, value: { a: JSON.parse(number) as number } });
  });

  test.each([
    '{}',
    ' {"a" : [ ] , "b":\r\n{ } ,"c": [ [ ], [ 1 , "x" , true , false , null ] ]\t} ',
    '{"a": "\\ud83d", "\\udc00": "\\ude00\\ud83d", "n": "\\u0000", "e": "\\"\\\\\\/\\b\\f\\n\\r\\t"}',
    '{"proto": "__proto__", "constructor": 1, "toString": 2, "__proto___": 3}',
    '{"a": "\u2028\u2029\u007f"}',
  ])('%s', (text) => {
    expect(read(text)).toEqual({ ok: true, value: JSON.parse(text) as object });
  });

  test('depth and length cost no stack', () => {
    const deep = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(read(deep).ok).toBe(true);
    expect(read(deep.slice(0, -1)).ok).toBe(false);
    expect(read(`{"a":"${'x'.repeat(5_000_000)}"}`).ok).toBe(true);
    expect(read(`{"a":"${'\\n'.repeat(1_000_000)}"}`).ok).toBe(true);
  });
});

/** Everything that the language's own parser refuses is refused, and nothing else of what has no such number or key. */
test('agrees with JSON.parse on mutilated JSON', () => {
  const whole = '{"a":[1,-2.5e3,{"b":"x\\n\\u00e9"}],"c":null,"d":[true,false,[]],"e":{}}';
  const pieces = ['', ',', ':', '"', '{', '}', '[', ']', '0', '1', '.', 'e', '-', '\\', ' ', 'null', '\n'];
  for (let at = 0; at <= whole.length; at += 1) {
    for (const piece of pieces) {
      for (const text of [whole.slice(0, at) + piece + whole.slice(at), whole.slice(0, at) + piece + whole.slice(at + 1)]) {
        let parses = true;
        try {
          JSON.parse(text);
        } catch {
          parses = false;
        }
        expect({ text, ok: read(text).ok }).toEqual({ text, ok: parses });
      }
    }
  }
});
