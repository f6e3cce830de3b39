import { historyAnswer } from '../answers.ts';
import { historyPage, targetFileId } from '../arguments.ts';
import { input, output } from '../schema.ts';
import { READ_ONLY } from '../tool.ts';
import type { ToolDefinition } from '../tool.ts';
import { EXAMPLE_TARGET } from './example-target.ts';

export const getManifestLedger: ToolDefinition = {
  name: 'patchdiff_get_manifest_ledger',
  title: 'Read the ledger of changes',
  summary:
    'Lists the accepted changes of a document with the facts that were derived for each: change id, operation, place, sizes, hashes, intent. ' +
    'A page holds the newest entries, shown oldest first: 50 unless limit says otherwise (1 to 200; more counts as 200). ' +
    'When has_more is true, go on with before_sequence = next_sequence. Only changes since the last save, unless include_previous_cycles is true.',
  annotations: READ_ONLY,
  inputSchema: input(
    {
      target_file_id: targetFileId,
      include_previous_cycles: { type: 'boolean', description: 'true: also the changes before the last save. Default false.' },
      ...historyPage,
    },
    ['target_file_id'],
  ),
  outputSchema: output(historyAnswer),
  example: { target_file_id: EXAMPLE_TARGET, include_previous_cycles: true },
  long: false,
  run: (service, args, options) => service.getManifestLedger(args, options),
};
