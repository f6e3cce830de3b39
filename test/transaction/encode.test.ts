import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareCodePoints, encodeAscii, encodeCanonical } from '../../src/transaction/index.ts';
import type { JsonObject, JsonValue } from '../../src/transaction/index.ts';

const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('__proto__', 'constructor', '\uffff', '\u{10000}', '\ue000', 'a', 'B', ''),
);
const leaf = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.constantFrom('\u007f', '\u2028\u2029', '\b\f\n\r\t\u000b\u0000\u001f', '"\\/', '\ufeff', '$&$1'),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.constant(null),
);
const value: fc.Arbitrary<JsonValue> = fc.letrec<{ node: JsonValue }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('node'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('node')), { maxLength: 5 }).map((entries) => Object.fromEntries(entries) as JsonObject),
  ),
})).node;

/** The contract's text, written by hand and recursively. */
function reference(node: JsonValue): string {
  const escapes: Record<string, string> = { '"': '\\"', '\\': '\\\\', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
  const quote = (text: string): string =>
    `"${[...text].map((point) => escapes[point] ?? (point < ' ' ? `\\u${point.charCodeAt(0).toString(16).padStart(4, '0')}` : point)).join('')}"`;
  if (typeof node === 'string') return quote(node);
  if (Array.isArray(node)) return `[${node.map(reference).join(',')}]`;
  if (typeof node !== 'object' || node === null) return String(node === 0 ? 0 : node);
  const names = Object.keys(node).sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  return `{${names.map((key) => `${quote(key)}:${reference(node[key] ?? null)}`).join(',')}}`;
}

const python = spawnSync('python3', ['-c', 'print(1)']).status === 0;

describe('canonical JSON', () => {
  it('equals the contract read literally', () => {
    fc.assert(
      fc.property(value, (node) => {
        expect(encodeCanonical(node)).toBe(reference(node));
      }),
      { numRuns: 1_000 },
    );
  });

  // The reference above stands in on machines without Python; where there is one, it is the authority the contract names.
  it.runIf(python)("equals Python's json.dumps byte for byte", () => {
    const nodes = fc.sample(value, { numRuns: 3_000, seed: 20 });
    for (let code = 0; code <= 0x10ffff; code += code < 0x3000 ? 1 : 61)
      if (code < 0xd800 || code > 0xdfff) nodes.push({ [String.fromCodePoint(code)]: String.fromCodePoint(code) });
    const script = [
      'import json, sys',
      'for line in sys.stdin.buffer:',
      '    text = json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":"), sort_keys=True)',
      '    sys.stdout.buffer.write(text.encode("utf-8") + b"\\0")',
    ].join('\n');
    const run = spawnSync('python3', ['-c', script], { input: nodes.map((node) => `${encodeAscii(node)}\n`).join(''), maxBuffer: 1 << 28 });
    expect(run.status).toBe(0);
    const texts = run.stdout.toString('utf8').split('\0');
    texts.pop();
    expect(texts).toHaveLength(nodes.length);
    expect(nodes.filter((node, at) => encodeCanonical(node) !== texts[at])).toEqual([]);
  });

  it('sorts keys by code point, not by UTF-16 unit', () => {
    const shuffled = { '\uffff': 1, '\u{10000}': 2, '\ue000': 3, z: 4, '\u{10ffff}': 5, '\ud83d\ude01': 6, '\ud83d\ude00': 7 };
    expect(encodeCanonical(shuffled)).toBe('{"z":4,"\ue000":3,"\uffff":1,"\u{10000}":2,"😀":7,"😁":6,"\u{10ffff}":5}');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (left, right) => {
        expect(Math.sign(compareCodePoints(left, right))).toBe(Math.sign(Buffer.compare(Buffer.from(left), Buffer.from(right))));
      }),
    );
    expect(compareCodePoints('\ud83dx', '\ud83d\ude00')).toBeLessThan(0);
  });

  it('writes other numbers as their shortest decimal and never as invalid JSON', () => {
    expect(encodeCanonical([1.5, -0, 1e21, 1e-7, 0.1, Infinity, -Infinity, NaN])).toBe(
      '[1.5,0,1e+21,1e-7,0.1,"Infinity","-Infinity","NaN"]',
    );
  });

  it('leaves undefined members out', () => {
    expect(encodeCanonical({ a: undefined, b: 1 })).toBe('{"b":1}');
  });
});

describe('ASCII JSON', () => {
  it('is ASCII and comes back exactly, lone surrogates and NUL too', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), (units) => {
        const text = String.fromCharCode(...units);
        const encoded = encodeAscii({ [text]: [text] });
        expect(encoded).toMatch(/^[\x20-\x7f]*$/);
        expect(JSON.parse(encoded)).toEqual({ [text]: [text] });
      }),
    );
    expect(encodeAscii('é😀\ud800\0\u007f')).toBe('"\\u00e9\\ud83d\\ude00\\ud800\\u0000\u007f"');
  });

  it('does not recurse', () => {
    const deep = JSON.parse('{"a":'.repeat(200_000) + '1' + '}'.repeat(200_000)) as JsonValue;
    expect(encodeAscii(deep)).toBe('{"a":'.repeat(200_000) + '1' + '}'.repeat(200_000));
  });
});
