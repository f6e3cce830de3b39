import { argumentFault, boolean, objects, statusOf, stringOrNull } from '../answers.ts';
import { input, output } from '../schema.ts';
import { READ_ONLY } from '../tool.ts';
import type { ToolDefinition } from '../tool.ts';

export const listTargets: ToolDefinition = {
  name: 'patchdiff_list_targets',
  title: 'List documents',
  summary:
    'Finds documents under authority: id, name, version, hash, workspace path. Call it when you do not have a target_file_id. ' +
    'filter keeps those whose name or workspace path contains it (at most 1,000 characters). ' +
    'Pages hold 50 documents unless limit says otherwise (1 to 200; more counts as 200); newest first. ' +
    'When has_more is true, send next_cursor back as cursor.',
  annotations: READ_ONLY,
  inputSchema: input(
    {
      filter: { type: 'string', description: 'Part of the name or the workspace path; at most 1,000 characters.', maxLength: 1000 },
      limit: { type: 'integer', description: 'Documents a page: 1 to 200, default 50; more counts as 200.', minimum: 1 },
      cursor: { type: 'string', description: 'next_cursor of the page before, unchanged.' },
    },
    [],
  ),
  outputSchema: output({
    status: statusOf('ok', 'invalid_argument'),
    ...argumentFault,
    targets: objects,
    has_more: boolean,
    next_cursor: stringOrNull,
  }),
  example: { filter: 'notes' },
  long: false,
  run: (service, args, options) => service.listTargets(args, options),
};
