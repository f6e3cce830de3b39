import { argumentFault, boolean, integer, integerOrNull, objects, statusOf, string } from '../answers.ts';
import { targetFileId } from '../arguments.ts';
import { input, output } from '../schema.ts';
import { READ_ONLY } from '../tool.ts';
import type { ToolDefinition } from '../tool.ts';
import { EXAMPLE_TARGET } from './example-target.ts';

export const findOccurrences: ToolDefinition = {
  name: 'patchdiff_find_occurrences',
  title: 'Find exact text',
  summary:
    'Finds every exact occurrence of a text (overlapping ones count) with its code-point start and end, its line and what stands around it, ' +
    'and returns version and current_hash. Use it before an edit to see whether a match is unique, and which occurrence_index to send. ' +
    'No patterns, no case folding; CRLF in text counts as LF. text is 1 to 65,536 characters. context_chars defaults to 40, at most 400; max_results defaults to 200, at most 200; ' +
    'when truncated is true, go on with start_occurrence = next_occurrence_index.',
  annotations: READ_ONLY,
  inputSchema: input(
    {
      target_file_id: targetFileId,
      text: { type: 'string', description: 'Exact text to find; 1 to 65,536 characters.', minLength: 1 },
      context_chars: {
        type: 'integer',
        description: 'Code points shown on each side: 0 to 400, default 40.',
        minimum: 0,
      },
      start_occurrence: {
        type: 'integer',
        description: 'First occurrence to return, counted from 1; default 1.',
        minimum: 1,
      },
      max_results: {
        type: 'integer',
        description: 'Occurrences to return: 1 to 200, default 200; more counts as 200.',
        minimum: 1,
      },
    },
    ['target_file_id', 'text'],
  ),
  outputSchema: output({
    status: statusOf('ok', 'invalid_argument', 'not_found'),
    ...argumentFault,
    target_file_id: string,
    version: integer,
    current_hash: string,
    occurrence_count: integer,
    returned_count: integer,
    start_occurrence: integer,
    occurrences: objects,
    truncated: boolean,
    next_occurrence_index: integerOrNull,
  }),
  example: { target_file_id: EXAMPLE_TARGET, text: 'beta' },
  long: false,
  run: (service, args, options) => service.findOccurrences(args, options),
};
