import { argumentFault, boolean, integerOrNull, object, objects, receipt, statusOf, stringOrNull } from '../answers.ts';
import { edits, operations, replacement, submission, targetFileId } from '../arguments.ts';
import { input, orNull, output } from '../schema.ts';
import { READ_ONLY } from '../tool.ts';
import type { ToolDefinition } from '../tool.ts';
import { EXAMPLE_TARGET } from './example-target.ts';

export const preview: ToolDefinition = {
  name: 'patchdiff_preview',
  title: 'Preview a submission',
  summary:
    'Says what a submission would answer now, with a unified diff, without writing or reserving anything: ' +
    'status would_accept or would_reject with the same evidence and near misses, or would_recover when the client_request_id has its outcome already. It authorises nothing; submit with the same guards afterwards. ' +
    'format says which body you send: patchdiff-tx/1 with edits, patchdiff-tx/2 with operations, patchdiff-tx/3 with replacement; the other fields are those of the submission. ' +
    'The answer (the JSON of the result) is at most 32,768 bytes; omitted counts what was left out, null when nothing was.',
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
    status: statusOf('would_accept', 'would_reject', 'would_recover', 'invalid_argument', 'not_found'),
    ...argumentFault,
    target_file_id: stringOrNull,
    version: integerOrNull,
    current_hash: stringOrNull,
    would_recover: boolean,
    validity: object,
    after_version: integerOrNull,
    after_hash: stringOrNull,
    evidence: { type: 'object', description: 'would_accept: changes[], the facts of each change.' },
    warnings: objects,
    diff: { type: 'string', description: 'would_accept: unified diff, cut after a whole line when omitted says so.' },
    diff_coarse: {
      type: 'boolean',
      description:
        'would_accept: true when the texts differ too much for the shortest diff; unchanged lines may be shown as removed and added.',
    },
    omitted: orNull({ type: 'object', description: 'How many entries, lines and bytes did not fit; null when everything did.' }),
    recorded: { type: 'object', description: 'would_recover: the receipt that the request key stands for.' },
    failure_reason: receipt.failure_reason,
    failure_code: receipt.failure_code,
    failure_detail: receipt.failure_detail,
    failed_change_id: receipt.failed_change_id,
    diagnostic: receipt.diagnostic,
    current_context: receipt.current_context,
    near_misses: receipt.near_misses,
    near_miss_search: receipt.near_miss_search,
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
