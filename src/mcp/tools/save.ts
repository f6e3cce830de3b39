import { argumentFault, boolean, booleanOrNull, integer, integerOrNull, object, statusOf, string, stringOrNull } from '../answers.ts';
import { clientRequestId, guards, targetFileId } from '../arguments.ts';
import { input, output } from '../schema.ts';
import type { ToolDefinition } from '../tool.ts';
import { EXAMPLE_TARGET } from './example-target.ts';

export const save: ToolDefinition = {
  name: 'patchdiff_save',
  title: 'Save a document',
  summary:
    'Checkpoints the document and starts a new editing cycle; with sync_workspace: true it also writes the file it was imported from, ' +
    'replacing it in one step, with its own line ends, BOM and permissions. The file is written only while it is still what was last imported or saved: ' +
    'otherwise the save is rejected as drift and nothing changes; next_step says how to take over the text of the file (adopt_disk). ' +
    'Where line ends are mixed, each line keeps its own, and a new line takes that of the line before it. Send the guards of the last read so that you save what you saw. ' +
    'Not idempotent without a client_request_id (1 to 128 visible ASCII characters). Note chain_head elsewhere to be able to prove the history later.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  inputSchema: input(
    {
      target_file_id: targetFileId,
      sync_workspace: { type: 'boolean', description: 'true: also write the workspace file. Default false.' },
      expected_target_version: {
        ...guards.expected_target_version,
        description: 'Guard: the version that the last read returned; 0 or more.',
      },
      expected_current_hash: {
        ...guards.expected_current_hash,
        description: 'Guard: the current_hash that the last read returned; exactly 64 lowercase hexadecimal digits.',
      },
      client_request_id: clientRequestId,
    },
    ['target_file_id'],
  ),
  outputSchema: output({
    status: statusOf('published', 'checkpointed', 'unchanged', 'rejected', 'partial', 'invalid_argument', 'not_found'),
    ...argumentFault,
    deduplicated: boolean,
    failure_reason: stringOrNull,
    failure_code: stringOrNull,
    facts: object,
    target_file_id: string,
    snapshot_id: stringOrNull,
    publication_id: stringOrNull,
    version: integerOrNull,
    current_hash: stringOrNull,
    editing_cycle: integerOrNull,
    chain_sequence: integerOrNull,
    chain_head: stringOrNull,
    workspace_path: { type: 'string', description: 'published: the file that was written; a repeat under the same key says the same.' },
    disk_sha256: { type: 'string', description: 'published: SHA-256 of the bytes written.' },
    written_bytes: integer,
    durable: booleanOrNull,
    owner_kept: booleanOrNull,
    leftover: stringOrNull,
  }),
  example: {
    target_file_id: EXAMPLE_TARGET,
    expected_current_hash: '204a5040898434c8ac5eb3a89479d7611b8b6f61a565d8cb55a2ef9259e044b9',
  },
  long: true,
  run: (service, args, options) => service.save(args, options),
};
