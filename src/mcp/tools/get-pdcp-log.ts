import { historyAnswer } from '../answers.ts';
import { historyPage, targetFileId } from '../arguments.ts';
import { input, output } from '../schema.ts';
import { READ_ONLY } from '../tool.ts';
import type { ToolDefinition } from '../tool.ts';
import { EXAMPLE_TARGET } from './example-target.ts';

export const getPdcpLog: ToolDefinition = {
  name: 'patchdiff_get_pdcp_log',
  title: 'Read the log of attempts',
  summary:
    'Lists the attempts on a document, accepted and rejected, newest first: outcome, reason, versions, hashes, request key, diagnostic. ' +
    'Pages hold 50 entries unless limit says otherwise (1 to 200; more counts as 200). When has_more is true, go on with before_sequence = next_sequence. ' +
    'Filters: status, content_hash (hash of the submitted payload, 64 lowercase hexadecimal digits), client_request_id (exact). ' +
    'include_content: true adds each payload as it was submitted.',
  annotations: READ_ONLY,
  inputSchema: input(
    {
      target_file_id: targetFileId,
      ...historyPage,
      status: { type: 'string', description: 'Only accepted or only rejected attempts.', enum: ['accepted', 'rejected'] },
      content_hash: {
        type: 'string',
        description: 'Only attempts with this pdcp_content_hash: 64 lowercase hexadecimal digits.',
        pattern: '^[0-9a-f]{64}$',
      },
      client_request_id: { type: 'string', description: 'Only the attempt stored under this request key, compared exactly.' },
      include_content: { type: 'boolean', description: 'true: add the submitted payloads. Default false.' },
    },
    ['target_file_id'],
  ),
  outputSchema: output(historyAnswer),
  example: { target_file_id: EXAMPLE_TARGET, limit: 2 },
  long: false,
  run: (service, args, options) => service.getPdcpLog(args, options),
};
