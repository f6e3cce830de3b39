import { countLineFeeds, expandLineEndings } from '../../text/index.ts';
import type { LineEnding, LineEndings } from '../../text/index.ts';
import type { JsonObject } from '../../transaction/index.ts';
import { invalidArgument, notFound } from '../common/answers.ts';
import { ArgumentReader } from '../common/arguments.ts';
import type { CachedContent } from '../common/content-cache.ts';
import type { Context } from '../common/context.ts';
import { headFields, heldContent, soundness } from '../common/held-content.ts';
import type { Held } from '../common/held-content.ts';
import { fileEndings } from '../common/line-endings.ts';
import type { FileEndings } from '../common/line-endings.ts';
import { beyondEnd, pageFields, readPageRequest } from '../common/text-page.ts';
import type { CallOptions } from '../common/types.ts';

/** Endings worked out for an earlier page: of the same text at the same head of the chain, which every recorded fact moves. */
const WORKED_OUT = new WeakMap<CachedContent, { chainHead: string; ends: FileEndings }>();

async function endingsOf(context: Context, { head, content }: Held, options: CallOptions): Promise<FileEndings> {
  const known = WORKED_OUT.get(content);
  if (known?.chainHead === head.chain_head) return known.ends;
  const ends = await fileEndings(context.database, head, content.content, options);
  if (ends.kind === 'known') WORKED_OUT.set(content, { chainHead: head.chain_head, ends });
  return ends;
}

/** A page [from, to) of the text, in units, each line with its own ending. */
function expanded(content: CachedContent, endings: LineEnding | LineEndings, from: number, to: number): string {
  const text = content.content.slice(from, to);
  if (typeof endings === 'string') return expandLineEndings(text, endings);
  const first = countLineFeeds(content.content, 0, from);
  return expandLineEndings(text, endings.subarray(first, first + countLineFeeds(text, 0, text.length)));
}

/**
 * A page of the text for use elsewhere, with the chain head. `start`, `end` and `length` are code points of the canonical text in
 * both formats; `original_eol` expands the page afterwards, so a page may hold more characters than its length.
 */
export async function exportTarget(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const id = reader.uuid('target_file_id');
  const format = reader.oneOf('format', ['canonical', 'original_eol'], 'canonical');
  const page = readPageRequest(reader);
  reader.end();
  if (reader.fault !== null) return invalidArgument(reader.fault);
  const held = await heldContent(context, id, options);
  if (held === null) return notFound(id);
  const beyond = beyondEnd(reader, page, held);
  if (beyond !== null) return beyond;
  const ends: FileEndings = format === 'canonical' ? { kind: 'known', endings: 'lf' } : await endingsOf(context, held, options);
  // The text that was held is older than what the file was written with by now.
  if (ends.kind === 'moved') return exportTarget(context, args, options);
  if (ends.kind === 'refused') {
    return {
      ...headFields(id, held),
      status: 'rejected',
      failure_code: ends.code,
      detail: ends.detail,
      next_step: 'Export with format "canonical", whose lines end with LF.',
    };
  }
  const { endings } = ends;
  return {
    ...headFields(id, held),
    format,
    ...pageFields(page, held, (from, to) => expanded(held.content, endings, from, to)),
    source_bom: held.head.source_bom,
    chain_sequence: held.head.chain_sequence,
    chain_head: held.head.chain_head,
    ...soundness(held),
  };
}
