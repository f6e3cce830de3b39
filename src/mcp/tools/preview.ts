import { argumentFault, booleanOrNull, integerOrNull, object, statusOf, stringOrNull } from '../answers.ts';
import { edits, operations, replacement, submission, targetFileId } from '../arguments.ts';
import { input, output } from '../schema.ts';
import { READ_ONLY } from '../tool.ts';
import type { ToolDefinition } from '../tool.ts';
import { EXAMPLE_TARGET } from './example-target.ts';

export const preview: ToolDefinition = {
  name: 'patchdiff_preview',
  title: 'Preview a submission',
  summary:
    'Says what a submission would answer now, with a unified diff, without writing or reserving anything: ' +
    'status would_accept or would_reject, the same evidence, near misses when a match is absent. It authorises nothing; submit with the same guards afterwards. ' +
    'format says which body you send: patchdiff-tx/1 with edits, patchdiff-tx/2 with operations, patchdiff-tx/3 with replacement; the other fields are those of the submission. ' +
    'The diff is cut at 32,768 bytes and says what was left out.',
  annotations: READ_ONLY,
  inputSchema: input(
    {
      target_file_id: targetFileId,
      format: {
        type: 'string',
        description: 'patchdiff-tx/1 (edits), patchdiff-tx/2 (operations) or patchdiff-tx/3 (replacement).',
        enum: ['patchdiff-tx/1', 'patchdiff-tx/2', 'patchdiff-tx/3'],
      },
      ...submission,
      edits,
      operations,
      replacement,
    },
    ['target_file_id', 'format', 'intent'],
  ),
  outputSchema: output({
    status: statusOf('would_accept', 'would_reject', 'would_recover', 'rejected', 'invalid_argument', 'not_found'),
    ...argumentFault,
    target_file_id: stringOrNull,
    version: integerOrNull,
    current_hash: stringOrNull,
    would_recover: booleanOrNull,
    diff: stringOrNull,
    evidence: object,
    failure_reason: stringOrNull,
    diagnostic: object,
  }),
  example: {
    target_file_id: EXAMPLE_TARGET,
    format: 'patchdiff-tx/1',
    intent: 'rename beta',
    expected_target_version: 0,
    edits: [{ match: 'beta', replace: 'gamma' }],
  },
  long: false,
  run: (service, args, options) => service.preview(args, options),
};
