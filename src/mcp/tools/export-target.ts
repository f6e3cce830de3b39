import { argumentFault, boolean, integer, integerOrNull, statusOf, string, stringOrNull } from '../answers.ts';
import { start, targetFileId } from '../arguments.ts';
import { input, output } from '../schema.ts';
import { READ_ONLY } from '../tool.ts';
import type { ToolDefinition } from '../tool.ts';
import { EXAMPLE_TARGET } from './example-target.ts';

export const exportTarget: ToolDefinition = {
  name: 'patchdiff_export_target',
  title: 'Export the text',
  summary:
    'Returns the text for use elsewhere, page by page, with the chain head that proves its history: ' +
    'format "canonical" (lines end with LF) or "original_eol" (each line ends as in its file; refused when that is not known). ' +
    'start and length count code points of the canonical text in both formats: start defaults to 0; length defaults to 4,000 and is cut to 8,000. ' +
    'When truncated is true, go on with start = next_start and check that version did not move.',
  annotations: READ_ONLY,
  inputSchema: input(
    {
      target_file_id: targetFileId,
      format: { type: 'string', description: 'canonical (default) or original_eol.', enum: ['canonical', 'original_eol'] },
      start,
      length: {
        type: 'integer',
        description: 'Code points to return: 1 to 8,000, default 4,000; more counts as 8,000.',
        minimum: 1,
      },
    },
    ['target_file_id'],
  ),
  outputSchema: output({
    status: statusOf('ok', 'rejected', 'invalid_argument', 'not_found'),
    ...argumentFault,
    failure_code: string,
    target_file_id: string,
    format: string,
    version: integer,
    current_hash: string,
    start: integer,
    end: integer,
    text: string,
    total_chars: integer,
    truncated: boolean,
    next_start: integerOrNull,
    chain_sequence: integerOrNull,
    chain_head: stringOrNull,
  }),
  example: { target_file_id: EXAMPLE_TARGET, format: 'canonical' },
  long: false,
  run: (service, args, options) => service.exportTarget(args, options),
};
