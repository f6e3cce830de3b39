/** Units that `isGraphemeBoundary` walks back at most. */
export const GRAPHEME_WALK = 1024;

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * True when no extended grapheme cluster (UAX #29) spans this unit of the text. Both ends of a text are boundaries.
 *
 * Decided locally: two plain neighbours are a boundary; else the text is walked back to a pair that is one whatever surrounds
 * it, and only that slice and one code point more is segmented (no rule looks further ahead). Beyond 1,024 units the slice is
 * taken as if the text began there: a longer run of regional indicators may then be paired wrongly, and two pictographs joined
 * over more marks than that are seen as two clusters. Segmenting whole buffers is superlinear and never done.
 */
export function isGraphemeBoundary(text: string, unit: number): boolean {
  if (unit <= 0 || unit >= text.length) return true;
  const after = text.codePointAt(unit) ?? 0;
  if (after >= 0xdc00 && after <= 0xdfff && highBefore(text, unit)) return false;
  if (isPlainBoundary(text, unit)) return true;
  const end = unit + (after > 0xffff ? 2 : 1);
  const limit = Math.max(0, unit - GRAPHEME_WALK);
  let start = unit;
  while (start > limit) {
    start -= highBefore(text, start - 1) && isLowAt(text, start - 1) ? 2 : 1;
    if (start <= 0) break;
    if (isPlainBoundary(text, start)) break;
  }
  start = Math.max(0, start);
  const wanted = unit - start;
  for (const segment of segmenter.segment(text.slice(start, end))) if (segment.index >= wanted) return segment.index === wanted;
  return false;
}

/**
 * True when the two code points beside this unit make it a boundary whatever stands around them; false says nothing yet. Needs
 * no more of the text than two units on either side.
 */
export function isPlainBoundary(text: string, unit: number): boolean {
  const before = codePointBefore(text, unit);
  const after = text.codePointAt(unit) ?? 0;
  return isPlain(before) && isPlain(after) && !(before === 0x0d && after === 0x0a);
}

/**
 * Code points that no rule joins to a plain neighbour, in any Unicode version: no mark, joiner, jamo, flag or skin tone. Pictographs
 * and Hangul syllables are plain: only what stands between two of them, or a jamo, can join them.
 */
function isPlain(code: number): boolean {
  return (
    code < 0x300 ||
    (code >= 0x370 && code <= 0x482) ||
    (code >= 0x2010 && code <= 0x2027) ||
    (code >= 0x3041 && code <= 0x3096) ||
    (code >= 0x30a1 && code <= 0x30fa) ||
    (code >= 0x3400 && code <= 0x4dbf) ||
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0x1f300 && code <= 0x1f3fa) ||
    (code >= 0x1f400 && code <= 0x1f64f) ||
    (code >= 0x1f680 && code <= 0x1f6c5) ||
    (code >= 0x20000 && code <= 0x2a6df)
  );
}

function codePointBefore(text: string, unit: number): number {
  return text.codePointAt(isLowAt(text, unit - 1) && highBefore(text, unit - 1) ? unit - 2 : unit - 1) ?? 0;
}

function isLowAt(text: string, unit: number): boolean {
  const code = text.charCodeAt(unit);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** True when the unit before this one is the high half of a pair. */
function highBefore(text: string, unit: number): boolean {
  const code = text.charCodeAt(unit - 1);
  return code >= 0xd800 && code <= 0xdbff;
}
