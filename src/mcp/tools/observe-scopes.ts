import { argumentFault, boolean, integer, objectOrNull, objects, statusOf, string, stringOrNull } from '../answers.ts';
import { language, scopeIdPattern, targetFileId } from '../arguments.ts';
import { input, output } from '../schema.ts';
import { APPENDS } from '../tool.ts';
import type { ToolDefinition } from '../tool.ts';
import { EXAMPLE_TARGET } from './example-target.ts';

export const observeScopes: ToolDefinition = {
  name: 'patchdiff_observe_scopes',
  title: 'Read scopes to edit them',
  summary:
    'Returns the exact texts of some scopes and one bundle_id under which patchdiff_commit_bundle edits them together; the observation is recorded for ever and does not expire. ' +
    'scope_ids: 1 to 100 ids of one patchdiff_list_scopes answer; together at most 100,000 characters of text. ' +
    'Observe only what you mean to edit or must read; scopes may lie inside one another, but only disjoint ones can be edited in one bundle. ' +
    'When the document has moved on since the listing, scope_unknown names the ids that no longer hold: list again. ' +
    'Send language when patchdiff_list_scopes was sent one.',
  annotations: APPENDS,
  inputSchema: input(
    {
      target_file_id: targetFileId,
      scope_ids: {
        type: 'array',
        description: 'Ids from patchdiff_list_scopes, 1 to 100, each once, as a JSON array.',
        items: { type: 'string', description: 'A scope_id: 32 lowercase hexadecimal digits.', pattern: scopeIdPattern },
        minItems: 1,
        maxItems: 100,
      },
      language,
    },
    ['target_file_id', 'scope_ids'],
  ),
  outputSchema: output({
    status: statusOf('observed', 'refused', 'invalid_argument', 'not_found'),
    ...argumentFault,
    failure_code: stringOrNull,
    unknown_scope_ids: {
      type: 'array',
      items: { type: 'string' },
      description: 'scope_unknown: the ids that are none of the text as it is now.',
    },
    target_file_id: string,
    bundle_id: string,
    version: integer,
    current_hash: string,
    language: stringOrNull,
    grammar: objectOrNull,
    fallback: boolean,
    has_errors: boolean,
    scopes: objects,
  }),
  // The one section of the document of all examples, as it stands at version 0.
  example: { target_file_id: EXAMPLE_TARGET, scope_ids: ['e8dacb57cd45afb050e53e79ea19fd19'] },
  long: false,
  run: (service, args, options) => service.observeScopes(args, options),
};
