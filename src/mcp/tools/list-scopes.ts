import { argumentFault, boolean, integer, integerOrNull, objectOrNull, objects, statusOf, string, stringOrNull } from '../answers.ts';
import { language, targetFileId } from '../arguments.ts';
import { input, output } from '../schema.ts';
import { READ_ONLY } from '../tool.ts';
import type { ToolDefinition } from '../tool.ts';
import { EXAMPLE_TARGET } from './example-target.ts';

export const listScopes: ToolDefinition = {
  name: 'patchdiff_list_scopes',
  title: 'List functions, classes, sections',
  summary:
    'Lists the scopes of the document as it stands now: functions, classes, methods, keys, headings, rules, whatever its language has, each with scope_id, kind, name, ' +
    'qualified_path, start and end in code points, first_line, last_line, sha256 of its text and parent_scope_id. Use it first, then patchdiff_observe_scopes with the scope_ids to edit. ' +
    'The language comes from the file name, or send language. With syntax errors has_errors is true and the sound scopes are still listed; ' +
    'a language without a parser, or a text that a parser cannot take, is divided into plain regions: fallback is true and fallback_reason says why. ' +
    'Filters: kind and name are exact, path is a part of qualified_path. max_results defaults to 100, at most 500; when truncated is true, go on with start_scope = next_scope_index. ' +
    'Writes nothing; a scope_id holds for this text alone and is the same after a restart.',
  annotations: READ_ONLY,
  inputSchema: input(
    {
      target_file_id: targetFileId,
      language,
      kind: {
        type: 'string',
        description: 'Only scopes of this kind, as an answer names it (function, class, method, section, …); not empty.',
        minLength: 1,
      },
      name: { type: 'string', description: 'Only scopes of exactly this name; not empty.', minLength: 1 },
      path: { type: 'string', description: 'Only scopes whose qualified_path contains this text; not empty.', minLength: 1 },
      start_scope: {
        type: 'integer',
        description: 'First scope to return, counted from 1 over those that the filters leave; default 1.',
        minimum: 1,
      },
      max_results: { type: 'integer', description: 'Scopes to return: 1 to 500, default 100; more counts as 500.', minimum: 1 },
    },
    ['target_file_id'],
  ),
  outputSchema: output({
    status: statusOf('ok', 'invalid_argument', 'not_found'),
    ...argumentFault,
    target_file_id: string,
    version: integer,
    current_hash: string,
    language: stringOrNull,
    grammar: objectOrNull,
    fallback: boolean,
    fallback_reason: stringOrNull,
    has_errors: boolean,
    scope_count: integer,
    returned_count: integer,
    start_scope: integer,
    scopes: objects,
    truncated: boolean,
    next_scope_index: integerOrNull,
  }),
  example: { target_file_id: EXAMPLE_TARGET },
  long: false,
  run: (service, args, options) => service.listScopes(args, options),
};
