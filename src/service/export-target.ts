import { member } from '../transaction/index.ts';
import type { JsonObject } from '../transaction/index.ts';
import { invalidArgument, notFound } from './answers.ts';
import { ArgumentReader } from './arguments.ts';
import type { Context } from './context.ts';
import { headFields, heldContent, soundness } from './held-content.ts';
import type { Held } from './held-content.ts';
import { DEFAULT_LENGTH, PAGE_CHARS } from './read-target.ts';
import type { CallOptions } from './types.ts';

const ENDINGS: Readonly<Record<string, string>> = { lf: '\n', none: '\n', crlf: '\r\n', cr: '\r' };

/** The line end of a uniform source; null with the reason when there is no one ending to restore. */
function originalEnding({ head }: Held): { ending: string } | { code: 'unknown_line_endings' | 'mixed_line_endings'; detail: string } {
  const style = head.source_line_endings === null ? undefined : member(head.source_line_endings, 'style');
  const ending = typeof style === 'string' && Object.hasOwn(ENDINGS, style) ? ENDINGS[style] : undefined;
  if (ending !== undefined) return { ending };
  return style === 'mixed'
    ? { code: 'mixed_line_endings', detail: 'the imported file mixed line ends, and which line had which is not recorded' }
    : { code: 'unknown_line_endings', detail: 'the line ends of the source are not recorded' };
}

/**
 * A page of the text for use elsewhere, with the chain head. `start`, `end` and `length` are code points of the canonical text in
 * both formats; `original_eol` expands the page afterwards, so a page may hold more characters than its length.
 */
export async function exportTarget(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const id = reader.uuid('target_file_id');
  const format = reader.oneOf('format', ['canonical', 'original_eol'], 'canonical');
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
  const original = format === 'canonical' ? { ending: '\n' } : originalEnding(held);
  if ('code' in original) {
    return {
      ...headFields(id, held),
      status: 'rejected',
      failure_code: original.code,
      detail: original.detail,
      next_step: 'Export with format "canonical", whose lines end with LF.',
    };
  }
  const end = Math.min(index.length, start + length);
  const truncated = end < index.length;
  const text = index.text.slice(index.toUnit(start), index.toUnit(end));
  return {
    ...headFields(id, held),
    format,
    start,
    end,
    text: original.ending === '\n' ? text : text.replaceAll('\n', () => original.ending),
    total_chars: index.length,
    truncated,
    next_start: truncated ? end : null,
    source_bom: held.head.source_bom,
    chain_sequence: held.head.chain_sequence,
    chain_head: held.head.chain_head,
    ...soundness(held),
  };
}
