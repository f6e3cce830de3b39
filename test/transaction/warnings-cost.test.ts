import { afterEach, describe, expect, it, vi } from 'vitest';
import { GRAPHEME_WALK } from '../../src/text/index.ts';
import { PieceBuffer } from '../../src/transaction/buffer.ts';
import type { JsonObject } from '../../src/transaction/index.ts';
import { accept, operations } from './helpers.ts';

afterEach(() => vi.restoreAllMocks());

/* eslint-disable @typescript-eslint/unbound-method -- the originals, called below on whatever the product made */
const { segment } = Intl.Segmenter.prototype;
const { slice } = PieceBuffer.prototype;
/* eslint-enable @typescript-eslint/unbound-method */

/** What the grapheme check of one transaction did, counted: runs of the segmenter, units given to it, units taken from the buffer. */
function counted(content: string, list: JsonObject[]): { splits: number; runs: number; segmented: number; read: number } {
  let segmented = 0;
  let read = 0;
  let runs = 0;
  vi.spyOn(Intl.Segmenter.prototype, 'segment').mockImplementation(function (this: Intl.Segmenter, text) {
    runs += 1;
    segmented += text.length;
    return segment.call(this, text);
  });
  vi.spyOn(PieceBuffer.prototype, 'slice').mockImplementation(function (this: PieceBuffer, from, to) {
    const text = slice.call(this, from, to);
    read += text.length;
    return text;
  });
  const { warnings } = accept('patchdiff-tx/2', operations(...list), content);
  vi.restoreAllMocks();
  const splits = warnings.filter(({ code }) => code === 'grapheme_boundary_split').length;
  return { splits, runs, segmented, read };
}

const EDITS = 1_000;

/** Edits of one code point each, spread over a text whose unit repeats, each in the text that the ones before leave. */
function spread(unit: string, total: number): JsonObject[] {
  const points = [...unit];
  const step = Math.floor(total / (EDITS + 1) / points.length) * points.length;
  return Array.from({ length: EDITS }, (_, edit) => {
    const start = (edit + 1) * step + (edit % points.length);
    return { op: 'span', start, end: start + 1, expected_text: points[edit % points.length] ?? '', replace: 'y' };
  });
}

describe('1,000 edits in a MiB that is one cluster, or nothing but joiners', () => {
  it.each<[string, string]>([
    ['combining marks', '\u0301'],
    ['regional indicators', '🇩'],
    ['a chain of joined pictographs', '👩\u200d'],
    ['a conjunct without end', 'क\u094d'],
    ['leading jamo', 'ᄀ'],
    ['prefixed signs', '\u0600'],
    ['tags', '\u{e0061}'],
    ['marks and plain letters', 'a\u0301'],
  ])('%s', (_, unit) => {
    const bytes = Buffer.byteLength(unit);
    const costs = [1 << 18, 1 << 20].map((size) => {
      const content = `x${unit.repeat(Math.floor(size / bytes))}`;
      return counted(
        content,
        spread(unit, [...content].length - 1).map((item) => ({
          ...item,
          start: (item['start'] as number) + 1,
          end: (item['end'] as number) + 1,
        })),
      );
    });
    for (const { runs, segmented, read } of costs) {
      // Both ends of each edit at most, each within the walk and the code point after it.
      expect(runs).toBeLessThanOrEqual(2 * EDITS);
      expect(segmented).toBeLessThanOrEqual(2 * EDITS * (GRAPHEME_WALK + 3));
      // The edit's own text, twice at most, and for each end its neighbours and the walk.
      expect(read).toBeLessThanOrEqual(EDITS * (2 * (GRAPHEME_WALK + 8) + 8));
    }
    // Four times the text, the same bounds and the same number of runs.
    expect(costs[1]?.runs).toBe(costs[0]?.runs);
    expect(costs[0]?.splits).toBeGreaterThan(EDITS / 3);
  });

  it('plain text is never segmented', () => {
    const cost = counted('ab漢字'.repeat(50_000), spread('ab漢字', 200_000));
    expect(cost).toMatchObject({ splits: 0, runs: 0 });
  });
});
