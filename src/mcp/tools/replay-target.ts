import { argumentFault, booleanOrNull, integerOrNull, objectOrNull, statusOf, string, stringOrNull } from '../answers.ts';
import { targetFileId } from '../arguments.ts';
import { input, output } from '../schema.ts';
import { READ_ONLY } from '../tool.ts';
import type { ToolDefinition } from '../tool.ts';
import { EXAMPLE_TARGET } from './example-target.ts';

export const replayTarget: ToolDefinition = {
  name: 'patchdiff_replay_target',
  title: 'Replay the history',
  summary:
    'Rebuilds the document from its first text and every accepted attempt, and compares the result with what is stored: ' +
    'reconstructed version and hash, materialized_state_matches (true when all four checks hold), the first failing step otherwise. ' +
    'Changes nothing and repairs nothing. up_to_version (0 to the current version) stops earlier; the checks are null then.',
  annotations: READ_ONLY,
  inputSchema: input(
    {
      target_file_id: targetFileId,
      up_to_version: {
        type: 'integer',
        description: 'Stop at this version, 0 or more; default: the current one.',
        minimum: 0,
      },
    },
    ['target_file_id'],
  ),
  outputSchema: output({
    status: statusOf('success', 'failed', 'invalid_argument', 'not_found'),
    ...argumentFault,
    target_file_id: string,
    reconstructed_version: integerOrNull,
    reconstructed_hash: stringOrNull,
    materialized_state_matches: booleanOrNull,
    materialized_state_checks: objectOrNull,
    first_failing_step: objectOrNull,
  }),
  example: { target_file_id: EXAMPLE_TARGET },
  long: true,
  run: (service, args, options) => service.replayTarget(args, options),
};
