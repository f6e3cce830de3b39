import { argumentFault, boolean, integer, integerOrNull, statusOf, string } from '../answers.ts';
import { start, targetFileId } from '../arguments.ts';
import { input, output } from '../schema.ts';
import { READ_ONLY } from '../tool.ts';
import type { ToolDefinition } from '../tool.ts';
import { EXAMPLE_TARGET } from './example-target.ts';

export const readTarget: ToolDefinition = {
  name: 'patchdiff_read_target',
  title: 'Read text by offset',
  summary:
    'Returns version, current_hash and a piece of the text; use them as the guards of the next submission. ' +
    'Offsets and lengths count Unicode code points. start defaults to 0; length defaults to 4,000 and is cut to 8,000. ' +
    'When truncated is true, go on with start = next_start. For line numbers use patchdiff_read_lines.',
  annotations: READ_ONLY,
  inputSchema: input(
    {
      target_file_id: targetFileId,
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
    status: statusOf('ok', 'invalid_argument', 'not_found'),
    ...argumentFault,
    target_file_id: string,
    version: integer,
    current_hash: string,
    start: integer,
    end: integer,
    text: string,
    total_chars: integer,
    truncated: boolean,
    next_start: integerOrNull,
  }),
  example: { target_file_id: EXAMPLE_TARGET, start: 0, length: 100 },
  long: false,
  run: (service, args, options) => service.readTarget(args, options),
};
