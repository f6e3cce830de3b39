import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalize, expandLineEndings, lineEndingsOf } from '../../src/text/index.ts';
import { carryLineEndings, evaluate, prepareSubmission } from '../../src/transaction/index.ts';
import { operations } from './helpers.ts';
import { sha256 } from './reference.ts';

/** A file after one transaction of spans, each by offsets of the text that the one before left. */
function after(file: string, spans: readonly [start: number, end: number, replace: string][]): string {
  let text = canonicalize(file);
  const spanned = spans.map(([start, end, replace]) => {
    const expected_text = text.slice(start, end);
    text = text.slice(0, start) + canonicalize(replace) + text.slice(end);
    return { op: 'span', start, end, expected_text, replace };
  });
  const content = canonicalize(file);
  const evaluated = evaluate(prepareSubmission('patchdiff-tx/2', operations(...spanned)), content, sha256);
  if (evaluated.verdict === 'rejected') throw new Error(evaluated.fault.detail);
  const { transaction, applied } = evaluated;
  expect(applied.content).toBe(text);
  return expandLineEndings(text, carryLineEndings(lineEndingsOf(file), content, transaction, applied.changes, 'lf'));
}

test('several changes of one transaction come to what they come to one by one, in any order', () => {
  const file = fc.array(fc.constantFrom('a', 'b', '\n', '\r\n', '\r'), { maxLength: 24 }).map((parts) => parts.join(''));
  const change = fc.tuple(fc.nat(), fc.nat({ max: 5 }), fc.constantFrom('', 'x', '\n', 'x\r\ny', '\n\n', 'a\n'));
  fc.assert(
    fc.property(file, fc.array(change, { minLength: 2, maxLength: 6 }), (source, changes) => {
      let length = canonicalize(source).length;
      const spans = changes.map(([from, size, replace]): [number, number, string] => {
        const start = from % (length + 1);
        const end = Math.min(length, start + size);
        length += canonicalize(replace).length - (end - start);
        return [start, end, replace];
      });
      expect(after(source, spans)).toBe(spans.reduce((before, span) => after(before, [span]), source));
    }),
    { numRuns: 500 },
  );
});
