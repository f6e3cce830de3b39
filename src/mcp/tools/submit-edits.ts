import { receipt } from '../answers.ts';
import { edits, submission, targetFileId } from '../arguments.ts';
import { input, output } from '../schema.ts';
import { APPENDS } from '../tool.ts';
import type { ToolDefinition } from '../tool.ts';
import { EXAMPLE_TARGET } from './example-target.ts';

export const submitEdits: ToolDefinition = {
  name: 'patchdiff_submit_edits',
  title: 'Submit exact edits',
  summary:
    'Replaces exact texts; use it for small changes to text that you have read. All edits apply, in order, or none does. ' +
    'Required: at least one guard (expected_target_version or expected_current_hash, from the last read), intent, and edits: 1 to 2,000 of {match, replace}. ' +
    'A match must occur exactly once, or choose one with occurrence_index (from 1) or anchor_before / anchor_after. match is 1 to 65,536 characters; "" as replace deletes. ' +
    'status "rejected" is an answer: failure_reason and diagnostic say why, current_context and near_misses show what stands there; read again and send a new proposal when retryable. ' +
    'Send a client_request_id to make a repeat safe (a hash guard alone does not identify a request: hashes come back). ' +
    'Every attempt is recorded; an accepted one raises the version by one.',
  annotations: APPENDS,
  inputSchema: input({ target_file_id: targetFileId, ...submission, edits }, ['target_file_id', 'intent', 'edits']),
  outputSchema: output(receipt),
  example: {
    target_file_id: EXAMPLE_TARGET,
    intent: 'rename beta',
    expected_target_version: 1,
    client_request_id: 'example-1',
    edits: [{ match: 'beta', replace: 'gamma' }],
  },
  long: false,
  run: (service, args, options) => service.submit('patchdiff-tx/1', args, options),
};
