import type { Command } from 'commander';
import type { JsonObject } from '../../service/common/types.ts';
import { answer } from '../answer.ts';
import { plain, table, type Host, type Output } from '../output.ts';
import type { Run } from '../run.ts';
import { wholeNumber } from '../values.ts';
import { TARGET, withDocument } from './db-session.ts';

/** The command that lists what was changed, change by change, since the last SAVE or from the beginning. */
export function addLedger(program: Command, host: Host, run: Run): void {
  program
    .command('ledger')
    .description("list a document's applied changes, oldest first")
    .argument('<target>', TARGET)
    .option('--all', 'those before the last SAVE too')
    .option('--limit <n>', 'changes a page, 1 to 200', wholeNumber(1, 200), 50)
    .option('--before <sequence>', 'the page below this sequence', wholeNumber(1))
    .addHelpText(
      'after',
      '\nThe page holds the newest changes. patchdiff log lists attempts, refused ones too; patchdiff show gives one in full.',
    )
    .action(
      run((output, target: string, options: { all?: true; limit: number; before?: number }) =>
        withDocument(host, output, target, async ({ service }, id) => {
          const { all, limit, before } = options;
          const result = await service.getManifestLedger({
            target_file_id: id,
            include_previous_cycles: all === true,
            limit,
            ...(before === undefined ? {} : { before_sequence: before }),
          });
          const none = all !== true && (result['entries'] as unknown[]).length === 0;
          const earlier = none ? await service.getManifestLedger({ target_file_id: id, include_previous_cycles: true, limit: 1 }) : result;
          const isSaved = none && (earlier['entries'] as unknown[]).length > 0;
          return answer(output, result, () => renderLedger(output, result, isSaved));
        }),
      ),
    );
}

function renderLedger(output: Output, result: JsonObject, isSaved: boolean): string {
  const entries = result['entries'] as Record<string, unknown>[];
  const rows = entries.map((entry) => [
    entry['ledger_sequence'],
    `${plain(entry['before_version'])} → ${plain(entry['after_version'])}`,
    entry['change_id'],
    entry['operation'],
    entry['risk'],
    entry['affected_region'],
    entry['intent'],
  ]);
  const more = result['has_more'] === true ? `\nmore: --before ${plain(result['next_sequence'])}` : '';
  const headings = ['#', 'version', 'change', 'operation', 'risk', 'region', 'intent'];
  return (table(output, headings, rows) || (isSaved ? 'no changes since the last SAVE; --all lists those before it' : 'no changes')) + more;
}
