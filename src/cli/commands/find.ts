import type { Command } from 'commander';
import type { JsonObject } from '../../service/common/types.ts';
import { answer } from '../answer.ts';
import { clipped, plain, printable, type Host, type Output } from '../output.ts';
import type { Run } from '../run.ts';
import { wholeNumber } from '../values.ts';
import { TARGET, withDocument } from './db-session.ts';

/** The command that finds exact text: what it prints as a place can be sent back as a span. */
export function addFind(program: Command, host: Host, run: Run): void {
  program
    .command('find')
    .description('show where a text stands in a document, exactly as a match would find it')
    .argument('<target>', TARGET)
    .argument('<text>', 'the text; its line ends may be of any kind')
    .option('--context <n>', 'code points shown beside each place, 0 to 400', wholeNumber(0, 400), 40)
    .option('--from <k>', 'first occurrence to show, counted from 1', wholeNumber(1), 1)
    .option('--limit <n>', 'occurrences a page, 1 to 200', wholeNumber(1, 200), 200)
    .addHelpText(
      'after',
      `
Places are start..end in code points, the end excluded: the start and end of a span. Overlapping occurrences count, as they do
for occurrence_index. A text that begins with a dash comes behind "--".

  patchdiff find <target> 'buy milk'
  patchdiff find <target> -- '- call Ada'`,
    )
    .action(
      run((output, target: string, text: string, options: { context: number; from: number; limit: number }) =>
        withDocument(host, output, target, async ({ service }, id) => {
          const { context, from, limit } = options;
          const result = await service.findOccurrences({
            target_file_id: id,
            text,
            context_chars: context,
            start_occurrence: from,
            max_results: limit,
          });
          return answer(output, result, () => renderFound(output, result, text));
        }),
      ),
    );
}

function renderFound(output: Output, result: JsonObject, text: string): string {
  const { bold, dim } = output.colors;
  const shown = bold(`⟦${clipped(text)}⟧`);
  const found = (result['occurrences'] as Record<string, unknown>[]).map((place) => {
    const where = `${plain(place['occurrence_index'])}  line ${plain(place['line'])}  ${plain(place['start'])}..${plain(place['end'])}`;
    return `${where}  ${dim(printable(plain(place['before'])))}${shown}${dim(printable(plain(place['after'])))}`;
  });
  const count = Number(result['occurrence_count']);
  const total = `${count === 1 ? '1 occurrence' : `${count} occurrences`} in version ${plain(result['version'])}`;
  const more = result['truncated'] === true ? [`more: --from ${plain(result['next_occurrence_index'])}`] : [];
  return [total, ...found, ...more].join('\n');
}
