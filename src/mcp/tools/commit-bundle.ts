import { receipt } from '../answers.ts';
import { bundleId, groups, submission, targetFileId } from '../arguments.ts';
import { input, output } from '../schema.ts';
import { APPENDS } from '../tool.ts';
import type { ToolDefinition } from '../tool.ts';
import { EXAMPLE_TARGET } from './example-target.ts';

export const commitBundle: ToolDefinition = {
  name: 'patchdiff_commit_bundle',
  title: 'Edit observed scopes',
  summary:
    'Edits scopes that patchdiff_observe_scopes returned, all in one commit: every group applies, or nothing does. ' +
    'Required: bundle_id, at least one guard (expected_target_version or expected_current_hash, from the last answer), intent, and groups: one {scope_id, operations} a scope. ' +
    'Operations are {op:"match", match, replace} and {op:"span", start, end, expected_text, replace}, in the scope\'s own text: a match must be unique there, and start and end count from the scope\'s first character. ' +
    'Each group starts from the text that was observed. Scopes that overlap cannot be edited together. When a scope no longer has its text, target_hash_mismatch names it: observe it again. ' +
    'status "rejected" is an answer with its reason and evidence (group_index, operation_index); a client_request_id makes a repeat safe.',
  annotations: APPENDS,
  inputSchema: input({ target_file_id: targetFileId, bundle_id: bundleId, ...submission, groups }, [
    'target_file_id',
    'bundle_id',
    'intent',
    'groups',
  ]),
  outputSchema: output(receipt),
  example: {
    target_file_id: EXAMPLE_TARGET,
    bundle_id: '00000000-0000-4000-8000-000000000000',
    intent: 'capitalise (send the bundle_id of your own observation)',
    expected_target_version: 0,
    groups: [{ scope_id: 'e8dacb57cd45afb050e53e79ea19fd19', operations: [{ op: 'match', match: 'alpha', replace: 'Alpha' }] }],
  },
  long: false,
  run: (service, args, options) => service.commitBundle(args, options),
};
