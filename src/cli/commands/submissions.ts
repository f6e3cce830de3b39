import { Option, type Command } from 'commander';
import type { Format, JsonObject } from '../../service/common/types.ts';
import { answer } from '../answer.ts';
import { EXIT, ExitError } from '../exit.ts';
import { readJsonInput } from '../json-input.ts';
import { printable, type Host } from '../output.ts';
import { renderAccepted, renderEvidence, renderForeseen } from '../render-submission.ts';
import type { Run } from '../run.ts';
import { withSession } from './db-session.ts';

const FORMATS = ['patchdiff-tx/1', 'patchdiff-tx/2', 'patchdiff-tx/3'] as const satisfies readonly Format[];

const INPUT = `
The file holds one JSON object: the arguments of the submission, with "format" beside them or given as --format.

  patchdiff-tx/1   edits: [{"match": "old text", "replace": "new text"}]
  patchdiff-tx/2   operations: [{"op": "span", "start": 0, "end": 3, "expected_text": "old", "replace": "new"}]
  patchdiff-tx/3   replacement: "the whole new text"

Each needs target_file_id, intent, and a guard: expected_target_version or expected_current_hash, from the last read.`;

const EXAMPLE = `
  {"format": "patchdiff-tx/1", "target_file_id": "…", "expected_target_version": 0,
   "intent": "oat milk", "edits": [{"match": "buy milk", "replace": "buy oat milk"}]}`;

/** The commands that take a submission: one sends it, one says what it would come to. */
export function addSubmissionCommands(program: Command, host: Host, run: Run): void {
  program
    .command('submit')
    .description('apply one submission, whole or not at all, and record it')
    .argument('<file.json>', 'the submission; "-" reads it from stdin')
    .addOption(new Option('--format <format>', 'what the object is').choices(FORMATS))
    .addHelpText(
      'after',
      `${INPUT}\n${EXAMPLE}\n\nA client_request_id in it makes a repeat safe. Exit code 6 and its words on stderr: refused and recorded.`,
    )
    .action(
      run(async (output, file: string, options: { format?: Format }) => {
        const { format, body } = formatOf(await readJsonInput(host, file), options.format);
        return withSession(host, output, null, async ({ service }) => {
          const result = await service.submit(format, body);
          return answer(
            output,
            result,
            () => renderAccepted(output, result),
            () => renderEvidence(output, result),
          );
        });
      }),
    );

  program
    .command('preview')
    .description('say what a submission would come to now; nothing is written')
    .argument('<file.json>', 'the submission, as for submit; "-" reads it from stdin')
    .addOption(new Option('--format <format>', 'what the object is').choices(FORMATS))
    .addHelpText(
      'after',
      `${INPUT}\n\nShows the change as a unified diff. It ends as submit would: 0 when it would be accepted, 6 when refused.`,
    )
    .action(
      run(async (output, file: string, options: { format?: Format }) => {
        const { format, body } = formatOf(await readJsonInput(host, file), options.format);
        return withSession(host, output, null, async ({ service }) => {
          const result = await service.preview({ ...body, format });
          return answer(
            output,
            result,
            () => renderForeseen(output, result),
            () => renderEvidence(output, result),
          );
        });
      }),
    );
}

/** What the object is, said in it or on the command line, and the arguments without that. */
function formatOf(object: JsonObject, option: Format | undefined): { format: Format; body: JsonObject } {
  const { format: own, ...body } = object;
  const stated = own ?? option;
  const format = FORMATS.find((known) => known === stated);
  if (format === undefined) {
    const said =
      own === undefined || own === null ? 'the object has no "format"' : `"format" is ${printable(JSON.stringify(own).slice(0, 80))}`;
    throw new ExitError(EXIT.usage, `${said}; it is one of ${FORMATS.join(', ')}, in the object or as --format`);
  }
  if (option !== undefined && option !== format)
    throw new ExitError(EXIT.usage, `the object's "format" is ${format}, --format says ${option}; say one`);
  return { format, body };
}
