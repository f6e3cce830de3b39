import { lineStarts } from '../text/index.ts';
import { LIMITS } from './limits.ts';
import type { RawScope } from './types.ts';

const NAME_UNITS = 60;

/**
 * Plain regions of a text in no known language: a paragraph is a run of lines without a blank one between; lines that are indented
 * after a blank one still belong to the paragraph before, which is then a `block`. None is nested. Linear.
 */
export function regionsOf(text: string): RawScope[] {
  const starts = lineStarts(text);
  const regions: RawScope[] = [];
  let blank = true;
  starts.forEach((start, at) => {
    const end = starts[at + 1] ?? text.length;
    const line = text.slice(start, end);
    if (line.trim() === '') {
      blank = true;
      return;
    }
    const last = regions.at(-1);
    const indented = line.startsWith(' ') || line.startsWith('\t');
    if (last === undefined || (blank && !indented)) regions.push(regionAt(text, start, end));
    else {
      last.end = end;
      if (indented) last.kind = 'block';
    }
    blank = false;
  });
  return joined(regions);
}

function regionAt(text: string, start: number, end: number): RawScope {
  const line = text.slice(start, end).trim();
  // Never the first half of a pair alone.
  const name = line.length <= NAME_UNITS ? line : `${[...line.slice(0, NAME_UNITS + 1)].slice(0, NAME_UNITS - 1).join('')}…`;
  return { kind: 'paragraph', name, start, end, parent: -1, hasErrors: false, onlyAsParent: false };
}

/** As many neighbours in one region as it takes to stay within the limit. */
function joined(regions: readonly RawScope[]): RawScope[] {
  const size = Math.ceil(regions.length / LIMITS.regions);
  if (size <= 1) return [...regions];
  return Array.from({ length: Math.ceil(regions.length / size) }, (_, at) => ({
    ...regions[at * size]!,
    kind: 'block',
    end: regions[Math.min((at + 1) * size, regions.length) - 1]!.end,
  }));
}
