import { receipt } from '../answers.ts';
import { replacement, submission, targetFileId } from '../arguments.ts';
import { input, output } from '../schema.ts';
import { APPENDS } from '../tool.ts';
import type { ToolDefinition } from '../tool.ts';
import { EXAMPLE_TARGET } from './example-target.ts';

export const submitReplacement: ToolDefinition = {
  name: 'patchdiff_submit_replacement',
  title: 'Replace the whole document',
  summary:
    'Replaces the whole text at once; use it only when most of the document changes, after reading all of it. ' +
    'Required: at least one guard (expected_target_version or expected_current_hash, from the last read), intent, and replacement: ' +
    'the complete new text, at most 1,000,000 characters and 1,048,576 bytes of UTF-8. ' +
    'status "rejected" is an answer with its reason. The text before stays in the history. ' +
    'A client_request_id makes a repeat safe; a hash guard alone does not identify a request.',
  annotations: APPENDS,
  inputSchema: input({ target_file_id: targetFileId, ...submission, replacement }, ['target_file_id', 'intent', 'replacement']),
  outputSchema: output(receipt),
  example: {
    target_file_id: EXAMPLE_TARGET,
    intent: 'rewrite the list as it was',
    expected_target_version: 2,
    replacement: '# Notes\n\nAlpha\nbeta\n',
  },
  long: false,
  run: (service, args, options) => service.submit('patchdiff-tx/3', args, options),
};
