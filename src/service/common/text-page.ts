import type { JsonObject } from '../../transaction/index.ts';
import { invalidArgument } from './answers.ts';
import type { ArgumentReader } from './arguments.ts';
import type { Held } from './held-content.ts';

const DEFAULT_LENGTH = 4000;
/** Most code points of text in one answer. */
export const PAGE_CHARS = 8000;

/** A page as it is asked for, in code points. */
export interface PageRequest {
  start: number;
  length: number;
}

export function readPageRequest(reader: ArgumentReader): PageRequest {
  return { start: reader.integer('start', 0, 0), length: reader.clamped('length', DEFAULT_LENGTH, PAGE_CHARS) };
}

/** The refusal of a page that begins beyond the end of the text; null when it does not. */
export function beyondEnd(reader: ArgumentReader, { start }: PageRequest, { content, head }: Held): JsonObject | null {
  const { length } = content.index;
  if (start <= length) return null;
  const expected = `an integer from 0 to ${String(length)}, the code points of the text at version ${String(head.version)}`;
  return invalidArgument(reader.refuse('start', expected));
}

/** What an answer says of the page; `render` makes its text of the units [from, to). */
export function pageFields({ start, length }: PageRequest, { content }: Held, render: (from: number, to: number) => string): JsonObject {
  const { index } = content;
  const end = Math.min(index.length, start + length);
  const truncated = end < index.length;
  return {
    start,
    end,
    text: render(index.toUnit(start), index.toUnit(end)),
    total_chars: index.length,
    truncated,
    next_start: truncated ? end : null,
  };
}
