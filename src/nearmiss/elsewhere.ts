import { countLineFeeds, eachOccurrence } from '../text/index.ts';
import type { CodePointIndex } from '../text/index.ts';
import { showPair } from './escape.ts';
import type { ExpectedSpan, Explanation } from './types.ts';

/** Where counting stops. */
const COUNT_CAP = 1000;

/** The exact occurrence nearest a unit, and how many there are up to the cap. */
interface Nearest {
  unit: number;
  count: number;
}

/**
 * The text that a span expected, where it really stands: the occurrence nearest the place that was named (the earlier of two
 * equally near). With its neighbours when they were given. Null when it stands nowhere.
 */
export function explainElsewhere(index: CodePointIndex, span: ExpectedSpan): Explanation | null {
  const { start, end, text, before, after } = span;
  if (text === '' && before === '' && after === '') return null;
  const sent = index.toUnit(start);
  const joined = before + text + after;
  const found = nearestTo(index.text, joined, sent - before.length);
  if (found === null) return null;
  const unit = found.unit + before.length;
  const place = {
    start: index.toCodePoint(unit),
    end: index.toCodePoint(unit + text.length),
    line: countLineFeeds(index.text, 0, unit) + 1,
  };
  const shift = place.start - start;
  if (shift === 0 && place.end === end) return null;
  const times = found.count >= COUNT_CAP ? `at least ${COUNT_CAP}` : String(found.count);
  const what = joined !== text ? 'The expected text with its neighbours' : 'The expected text';
  const where =
    shift === 0
      ? `begins at ${start} as said and ends at ${place.end}, not at ${end}`
      : `stands ${Math.abs(shift)} code ${Math.abs(shift) === 1 ? 'point' : 'points'} ${shift > 0 ? 'further on' : 'further back'}, at ${place.start}..${place.end} on line ${place.line}`;
  const only = found.count === 1 ? 'and nowhere else' : `the nearest of ${times} places`;
  return {
    kind: 'elsewhere',
    message: `${what} ${where}, ${only}.${sayUnit(index, unit, start)}`,
    ...place,
    ...showPair(text, index.text.slice(sent, index.toUnit(end))),
    shift,
    occurrence_count: found.count,
  };
}

/** An offset that was counted in another unit gives itself away. */
function sayUnit(index: CodePointIndex, unit: number, sent: number): string {
  if (index.toCodePoint(unit) === sent) return '';
  if (unit === sent) return ' The start that was sent counts UTF-16 units; offsets are code points.';
  return index.toByte(unit) === sent ? ' The start that was sent counts UTF-8 bytes; offsets are code points.' : '';
}

function nearestTo(text: string, wanted: string, unit: number): Nearest | null {
  if (wanted === '') return null;
  let nearest: number | null = null;
  let count = 0;
  eachOccurrence(text, wanted, true, (at) => {
    count++;
    if (nearest === null || Math.abs(at - unit) < Math.abs(nearest - unit)) nearest = at;
    return count < COUNT_CAP || at < unit;
  });
  return nearest === null ? null : { unit: nearest, count: Math.min(count, COUNT_CAP) };
}
