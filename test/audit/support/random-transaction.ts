import { canonicalize } from '../../../src/text/index.ts';
import type { Format, JsonObject } from '../../../src/transaction/index.ts';
import type { Random } from '../../helpers/random.ts';

/** Few different ones, so that lines repeat, join and split; with pairs, wide characters and every line end. */
const PIECES = ['a', 'b', 'a\n', 'b\n', '\n', '\n', '😀', 'é\r\n', 'long line\n', '漢\r', 'c'];

const pieces = (random: Random, most: number): string => random.text(PIECES, random.below(most + 1));
const splice = (points: string[], start: number, end: number, text: string): string[] => [
  ...points.slice(0, start),
  ...text,
  ...points.slice(end),
];

/** A place in a text, every other time at a line border. */
function place(random: Random, points: readonly string[]): number {
  const at = random.below(points.length + 1);
  if (random.chance(0.5)) return at;
  const border = points.lastIndexOf('\n', at - 1);
  return at === 0 ? 0 : border + 1;
}

/** The 1-based number of the occurrence at this place, overlapping ones counted; null when it is the only one. */
function occurrence(text: string, wanted: string, unit: number): number | null {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) places.push(at);
  return places.length === 1 ? null : places.indexOf(unit) + 1;
}

function replacementFor(random: Random, matched: string): string {
  switch (random.below(6)) {
    case 0:
      return '';
    case 1:
      return matched;
    case 2:
      return matched + pieces(random, 3);
    case 3:
      return pieces(random, 3) + matched;
    default:
      return pieces(random, 5);
  }
}

/** Lines dropped, moved, repeated and made, of a text. */
function rewritten(random: Random, content: string): string {
  const lines = content.split(/(?<=\n)/);
  for (let edits = random.below(5); edits > 0; edits -= 1) {
    const at = random.below(lines.length + 1);
    if (random.chance(0.5)) lines.splice(at, 1 + random.below(2));
    else lines.splice(at, 0, random.chance(0.5) ? pieces(random, 2) : (lines[random.below(lines.length)] ?? ''));
  }
  return random.chance(0.1) ? pieces(random, 12) : lines.join('');
}

/** A submission of any format that applies to this text, in one to four changes, each of what the ones before it leave. */
export function randomTransaction(random: Random, content: string): { format: Format; args: JsonObject } {
  if (random.chance(0.12)) return { format: 'patchdiff-tx/3', args: { replacement: rewritten(random, content) } };
  const format: Format = content !== '' && random.chance(0.4) ? 'patchdiff-tx/1' : 'patchdiff-tx/2';
  const items: JsonObject[] = [];
  let points = [...content];
  for (let count = random.chance(0.6) ? 1 : 1 + random.below(4); count > 0; count -= 1) {
    const ends = [
      place(random, points),
      Math.min(points.length, random.chance(0.5) ? place(random, points) : random.below(points.length + 1)),
    ];
    const start = Math.min(...ends);
    const end = Math.min(Math.max(...ends), start + 12);
    const matched = points.slice(start, end).join('');
    const replace = replacementFor(random, matched);
    const described = random.chance(0.3) ? { replace, rationale: `because of ${random.below(9)}` } : { replace };
    if (matched === '' || (format === 'patchdiff-tx/2' && random.chance(0.7))) {
      if (format === 'patchdiff-tx/1') continue;
      items.push({ op: 'span', start, end, expected_text: matched, ...described });
    } else {
      const index = occurrence(points.join(''), matched, points.slice(0, start).join('').length);
      const item = { match: matched, ...described, ...(index === null ? {} : { occurrence_index: index }) };
      items.push(format === 'patchdiff-tx/1' ? item : { op: 'match', ...item });
    }
    points = splice(points, start, end, canonicalize(replace));
  }
  if (items.length === 0) return randomTransaction(random, content);
  return { format, args: { [format === 'patchdiff-tx/1' ? 'edits' : 'operations']: items } };
}
