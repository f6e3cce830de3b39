import type { JsonObject } from '../../transaction/index.ts';
import { invalidArgument, notFound } from '../common/answers.ts';
import { ArgumentReader } from '../common/arguments.ts';
import type { CachedContent } from '../common/content-cache.ts';
import type { Context } from '../common/context.ts';
import { headFields, heldContent, soundness } from '../common/held-content.ts';
import { PAGE_CHARS } from '../common/text-page.ts';
import type { CallOptions } from '../common/types.ts';

const DEFAULT_LINES = 200;
const MAX_LINES = 2000;

/**
 * One line as it is shown. `text` is exactly the text from `start` to `end` (code points), so that it can be a span's
 * expected_text; the LF that ends the line stands at `end` and is in neither.
 */
interface Line extends JsonObject {
  line: number;
  start: number;
  end: number;
  text: string;
}

/** Lines from `first` (0-based) while they and their LFs fit the budget; the first one is cut when it alone does not fit. */
function page(content: CachedContent, first: number, count: number): Line[] {
  const { index, lines } = content;
  const shown: Line[] = [];
  let budget = PAGE_CHARS;
  for (let at = first; at < Math.min(lines.length, first + count); at += 1) {
    const from = lines[at] ?? 0;
    const next = lines[at + 1] ?? index.text.length;
    const to = index.text.charAt(next - 1) === '\n' ? next - 1 : next;
    const start = index.toCodePoint(from);
    const end = index.toCodePoint(to);
    if (end - start > budget) {
      if (shown.length > 0) break;
      const cut = index.text.slice(from, index.toUnit(start + budget));
      return [{ line: at + 1, start, end: start + budget, text: cut, cut: true, line_end: end }];
    }
    shown.push({ line: at + 1, start, end, text: index.text.slice(from, to) });
    budget -= end - start + 1;
    if (budget <= 0) break;
  }
  return shown;
}

/** Only LF ends a line: `''` has none, and a final LF adds none. */
export async function readLines(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const id = reader.uuid('target_file_id');
  const startLine = reader.integer('start_line', 1, 1);
  const count = reader.clamped('line_count', DEFAULT_LINES, MAX_LINES);
  reader.end();
  if (reader.fault !== null) return invalidArgument(reader.fault);
  const held = await heldContent(context, id, options);
  if (held === null) return notFound(id);
  const total = held.content.lines.length;
  if (startLine > Math.max(1, total)) {
    return invalidArgument(
      reader.refuse(
        'start_line',
        `an integer from 1 to ${String(Math.max(1, total))}, the lines of the text at version ${String(held.head.version)}`,
      ),
    );
  }
  const lines = page(held.content, startLine - 1, count);
  const last = startLine - 1 + lines.length;
  const truncated = last < total || lines.some((line) => line['cut'] === true);
  return {
    ...headFields(id, held),
    start_line: startLine,
    returned_count: lines.length,
    total_lines: total,
    total_chars: held.content.index.length,
    final_newline: held.content.content.endsWith('\n'),
    lines,
    truncated,
    next_line: last < total ? last + 1 : null,
    ...soundness(held),
  };
}
