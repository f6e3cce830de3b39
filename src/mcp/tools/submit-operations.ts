import { receipt } from '../answers.ts';
import { operations, submission, targetFileId } from '../arguments.ts';
import { input, output } from '../schema.ts';
import { APPENDS } from '../tool.ts';
import type { ToolDefinition } from '../tool.ts';
import { EXAMPLE_TARGET } from './example-target.ts';

export const submitOperations: ToolDefinition = {
  name: 'patchdiff_submit_operations',
  title: 'Submit spans and matches',
  summary:
    'Edits by place or by text; use spans for repeated or long text, and to insert (start = end). All operations apply, in order, or none does. ' +
    'Required: at least one guard (expected_target_version or expected_current_hash, from the last read), intent, and operations: 1 to 2,000. ' +
    '{op:"span", start, end, expected_text, replace}: start and end count code points of the text as the operations before it left it, ' +
    'and expected_text must be what stands there. {op:"match", match, replace}: match, 1 to 65,536 characters, must occur exactly once, or occurrence_index or an anchor chooses. ' +
    'status "rejected" is an answer with its reason and evidence; read again and send a new proposal when retryable. ' +
    'A client_request_id makes a repeat safe; a hash guard alone does not identify a request.',
  annotations: APPENDS,
  inputSchema: input({ target_file_id: targetFileId, ...submission, operations }, ['target_file_id', 'intent', 'operations']),
  outputSchema: output(receipt),
  example: {
    target_file_id: EXAMPLE_TARGET,
    intent: 'capitalise',
    expected_target_version: 0,
    operations: [{ op: 'span', start: 9, end: 14, expected_text: 'alpha', replace: 'Alpha' }],
  },
  long: false,
  run: (service, args, options) => service.submit('patchdiff-tx/2', args, options),
};
