import type { JsonObject } from '../transaction/index.ts';
import { invalidArgument, notFound } from './answers.ts';
import { ArgumentReader } from './arguments.ts';
import type { Context } from './context.ts';
import { headFields, heldContent, soundness } from './held-content.ts';
import type { CallOptions } from './types.ts';

export const DEFAULT_LENGTH = 4000;
/** Most code points of text in one answer. */
export const PAGE_CHARS = 8000;

export async function readTarget(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const id = reader.uuid('target_file_id');
  const start = reader.integer('start', 0, 0);
  const length = reader.clamped('length', DEFAULT_LENGTH, PAGE_CHARS);
  reader.end();
  if (reader.fault !== null) return invalidArgument(reader.fault);
  const held = await heldContent(context, id, options);
  if (held === null) return notFound(id);
  const { index } = held.content;
  if (start > index.length) {
    return invalidArgument(
      reader.refuse(
        'start',
        `an integer from 0 to ${String(index.length)}, the code points of the text at version ${String(held.head.version)}`,
      ),
    );
  }
  const end = Math.min(index.length, start + length);
  const truncated = end < index.length;
  return {
    ...headFields(id, held),
    start,
    end,
    text: index.text.slice(index.toUnit(start), index.toUnit(end)),
    total_chars: index.length,
    truncated,
    next_start: truncated ? end : null,
    ...soundness(held),
  };
}
