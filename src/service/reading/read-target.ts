import type { JsonObject } from '../../transaction/index.ts';
import { invalidArgument, notFound } from '../common/answers.ts';
import { ArgumentReader } from '../common/arguments.ts';
import type { Context } from '../common/context.ts';
import { headFields, heldContent, soundness } from '../common/held-content.ts';
import { beyondEnd, pageFields, readPageRequest } from '../common/text-page.ts';
import type { CallOptions } from '../common/types.ts';

export async function readTarget(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const id = reader.uuid('target_file_id');
  const page = readPageRequest(reader);
  reader.end();
  if (reader.fault !== null) return invalidArgument(reader.fault);
  const held = await heldContent(context, id, options);
  if (held === null) return notFound(id);
  const beyond = beyondEnd(reader, page, held);
  if (beyond !== null) return beyond;
  return {
    ...headFields(id, held),
    ...pageFields(page, held, (from, to) => held.content.index.text.slice(from, to)),
    ...soundness(held),
  };
}
