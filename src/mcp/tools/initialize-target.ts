import { argumentFault, integer, object, objectOrNull, statusOf, string, stringOrNull } from '../answers.ts';
import { guards, targetFileId } from '../arguments.ts';
import { input, output } from '../schema.ts';
import { APPENDS } from '../tool.ts';
import type { ToolDefinition } from '../tool.ts';
import { EXAMPLE_TARGET } from './example-target.ts';

export const initializeTarget: ToolDefinition = {
  name: 'patchdiff_initialize_target',
  title: 'Start a document',
  summary:
    'Puts a document under authority at version 0 and returns its target_file_id, current_hash and line-ending facts. Two ways: ' +
    'content + display_name (the text itself; at most 16 MiB of UTF-8), or from_workspace: true + path (a regular UTF-8 file below the workspace root, ' +
    'at most 16 MiB; no absolute path, no ".."). Lines end with LF from then on; the original line ends, of each line its own where they are mixed, and a BOM come back when the file is saved. ' +
    'A target_file_id of your choice (UUID) makes content + display_name safe to repeat: the same id with the same content answers "existing". ' +
    'Importing the same path twice answers "existing" while the file on disk is the one last saved, and drift once it is not: ' +
    'adopt_disk: true then takes the text of the file over as the next version of its target, guarded by what you last read. ' +
    'from_workspace + path + content starts a file that ' +
    'does not exist yet. No file is written before patchdiff_save.',
  annotations: APPENDS,
  inputSchema: input(
    {
      content: { type: 'string', description: 'The text of the document; at most 16 MiB of UTF-8.' },
      display_name: {
        type: 'string',
        description: 'Name shown in lists, not empty, at most 1,024 bytes of UTF-8; default with path: the path.',
        minLength: 1,
      },
      target_file_id: { ...targetFileId, description: 'Optional id of your choice (UUID) for the new document.' },
      from_workspace: {
        type: 'boolean',
        description: 'true: import the file at path; path is then required. Default false: content and display_name are then required.',
      },
      path: {
        type: 'string',
        description: 'Path of the file, relative to the workspace root, not empty. Required with from_workspace: true, refused without it.',
        minLength: 1,
      },
      adopt_disk: {
        type: 'boolean',
        description:
          'true, with from_workspace and path: the file was changed by others; its text becomes the next version of the target it belongs to. Default false.',
      },
      expected_target_version: {
        ...guards.expected_target_version,
        description:
          'Guard of adopt_disk: the version that the last read returned; 0 or more. One guard is required when the target was edited since its file was written.',
      },
      expected_current_hash: {
        ...guards.expected_current_hash,
        description: 'Guard of adopt_disk: the current_hash that the last read returned; exactly 64 lowercase hexadecimal digits.',
      },
    },
    [],
  ),
  outputSchema: output({
    status: statusOf('created', 'existing', 'adopted', 'rejected', 'invalid_argument'),
    ...argumentFault,
    failure_code: {
      type: 'string',
      description:
        'rejected: which rule refused it; facts says more. Nothing was created; an adoption that a guard refused is in the log of attempts.',
    },
    facts: object,
    target_file_id: string,
    display_name: string,
    version: integer,
    current_hash: string,
    total_chars: integer,
    content_bytes: integer,
    source_line_endings: objectOrNull,
    workspace_path: stringOrNull,
    created_at: string,
    chain_sequence: integer,
    chain_head: string,
    before_version: { type: 'integer', description: 'adopted: the version whose text was replaced.' },
    previous_disk_sha256: stringOrNull,
    disk_sha256: { type: 'string', description: 'adopted: SHA-256 of the bytes that are synced now.' },
    adoption_id: { type: 'string', description: 'adopted: the row of the chain that records it.' },
    pdcp_log_id: stringOrNull,
    superseded_publications: { type: 'array', description: 'adopted: interrupted saves that were closed with it.', items: string },
  }),
  example: { target_file_id: EXAMPLE_TARGET, display_name: 'notes.md', content: '# Notes\n\nalpha\nbeta\n' },
  long: true,
  run: (service, args, options) => service.initializeTarget(args, options),
};
