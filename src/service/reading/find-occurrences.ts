import { canonicalize, eachOccurrence } from '../../text/index.ts';
import type { JsonObject } from '../../transaction/index.ts';
import { invalidArgument, notFound } from '../common/answers.ts';
import { ArgumentReader } from '../common/arguments.ts';
import type { CachedContent } from '../common/content-cache.ts';
import type { Context } from '../common/context.ts';
import { headFields, heldContent, soundness } from '../common/held-content.ts';
import type { CallOptions } from '../common/types.ts';

const MAX_TEXT = 65_536;
const DEFAULT_CONTEXT = 40;
const MAX_CONTEXT = 400;
const MAX_RESULTS = 200;
/** Code points of context in one answer: 200 results with the widest context would be more than a host takes in. */
const CONTEXT_BUDGET = 32_000;

/** Starts of all occurrences (units), overlapping ones too: their number, and those from `first` on that fit. */
function search(content: string, text: string, first: number, most: number): { count: number; starts: number[] } {
  const starts: number[] = [];
  let count = 0;
  eachOccurrence(content, text, true, (unit) => {
    count += 1;
    if (count >= first && starts.length < most) starts.push(unit);
    return true;
  });
  return { count, starts };
}

/** 1-based number of the line that holds this unit. */
function lineAt(lines: readonly number[], unit: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle] ?? 0) <= unit) low = middle + 1;
    else high = middle;
  }
  return Math.max(1, low);
}

function describe({ index, lines }: CachedContent, unit: number, units: number, contextChars: number, occurrenceIndex: number): JsonObject {
  const start = index.toCodePoint(unit);
  const end = index.toCodePoint(unit + units);
  return {
    occurrence_index: occurrenceIndex,
    start,
    end,
    line: lineAt(lines, unit),
    before: index.text.slice(index.toUnit(Math.max(0, start - contextChars)), unit),
    after: index.text.slice(unit + units, index.toUnit(Math.min(index.length, end + contextChars))),
  };
}

/** Exact occurrences of the LF form of `text`, as a match would find them: overlapping ones count. */
export async function findOccurrences(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const id = reader.uuid('target_file_id');
  const text = canonicalize(reader.text('text', MAX_TEXT));
  const contextChars = reader.clamped('context_chars', DEFAULT_CONTEXT, MAX_CONTEXT, 0);
  const first = reader.integer('start_occurrence', 1, 1);
  const asked = reader.clamped('max_results', MAX_RESULTS, MAX_RESULTS);
  reader.end();
  if (reader.fault !== null) return invalidArgument(reader.fault);
  const held = await heldContent(context, id, options);
  if (held === null) return notFound(id);
  const most = contextChars === 0 ? asked : Math.min(asked, Math.floor(CONTEXT_BUDGET / (2 * contextChars)));
  const { count, starts } = search(held.content.content, text, first, most);
  const last = first + starts.length - 1;
  const truncated = starts.length > 0 && last < count;
  return {
    ...headFields(id, held),
    occurrence_count: count,
    returned_count: starts.length,
    start_occurrence: first,
    occurrences: starts.map((unit, position) => describe(held.content, unit, text.length, contextChars, first + position)),
    truncated,
    next_occurrence_index: truncated ? last + 1 : null,
    ...soundness(held),
  };
}
