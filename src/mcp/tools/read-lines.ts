import { argumentFault, boolean, integer, integerOrNull, objects, statusOf, string } from '../answers.ts';
import { targetFileId } from '../arguments.ts';
import { input, output } from '../schema.ts';
import { READ_ONLY } from '../tool.ts';
import type { ToolDefinition } from '../tool.ts';
import { EXAMPLE_TARGET } from './example-target.ts';

export const readLines: ToolDefinition = {
  name: 'patchdiff_read_lines',
  title: 'Read numbered lines',
  summary:
    'Returns version, current_hash and numbered lines, each with its start and end in code points of the document, ready for span operations. ' +
    'start_line counts from 1 (default 1); line_count defaults to 200, at most 2,000; at most 8,000 code points a call. ' +
    'Go on with start_line = next_line until it is null. A line longer than the budget is cut and says so; read the rest by code points, where a tool for that is offered. ' +
    'Line numbers are no part of the text: never copy them into a match. Only LF ends a line.',
  annotations: READ_ONLY,
  inputSchema: input(
    {
      target_file_id: targetFileId,
      start_line: { type: 'integer', description: 'First line, 1 or more; default 1.', minimum: 1 },
      line_count: { type: 'integer', description: 'Lines to return: 1 to 2,000, default 200.', minimum: 1 },
    },
    ['target_file_id'],
  ),
  outputSchema: output({
    status: statusOf('ok', 'invalid_argument', 'not_found'),
    ...argumentFault,
    target_file_id: string,
    version: integer,
    current_hash: string,
    total_lines: integer,
    lines: objects,
    truncated: boolean,
    next_line: integerOrNull,
  }),
  example: { target_file_id: EXAMPLE_TARGET, start_line: 1, line_count: 3 },
  long: false,
  run: (service, args, options) => service.readLines(args, options),
};
