import type { JsonObject } from '../service/common/types.ts';
import { EXIT, exitOfResult, type Exit } from './exit.ts';
import { plain, printable, type Output } from './output.ts';

/** The command that does what a tool does: steps are written for agents, who have tools. */
const COMMANDS: readonly (readonly [RegExp, string])[] = [
  [/patchdiff_read_lines\b/g, 'patchdiff read --json'],
  [/patchdiff_find_occurrences\b/g, 'patchdiff find'],
  [/patchdiff_list_targets\b/g, 'patchdiff list'],
  [/patchdiff_initialize_target\b/g, 'patchdiff import'],
  [/patchdiff_submit_edits\b/g, 'format patchdiff-tx/1'],
  [/patchdiff_submit_operations\b/g, 'format patchdiff-tx/2'],
  [/patchdiff_submit_replacement\b/g, 'format patchdiff-tx/3'],
];

function forTerminal(step: string): string {
  return COMMANDS.reduce((words, [tool, command]) => words.replace(tool, () => command), step);
}

/** Prints a result and names its exit code; what is not done is explained in words, `evidence` between the reason and the next step. */
export function answer(output: Output, result: JsonObject, text: () => string, evidence: () => string[] = () => []): Exit {
  const exit = exitOfResult(result);
  if (exit === EXIT.done) output.answer(result, text);
  else output.refuse(result, () => refusal(output, result, evidence()));
  return exit;
}

/** Says that there is no such document. */
export function answerUnknown(output: Output, target: string): Exit {
  const result = { status: 'not_found', target_file_id: target };
  return answer(output, result, () => '');
}

/** Why something was not done, and below it what to do. */
export function refusal(output: Output, result: JsonObject, evidence: readonly string[] = []): string {
  if (result['status'] === 'not_found')
    return `there is no document ${plain(result['target_file_id'])}; patchdiff list shows those there are`;
  const words = ['failure_reason', 'failure_code', 'failure_detail', 'detail']
    .map((name) => result[name])
    .filter((value): value is string => typeof value === 'string');
  const why = words.length > 0 ? `: ${printable([...new Set(words)].join('; '))}` : '';
  const next = typeof result['next_step'] === 'string' ? [printable(forTerminal(result['next_step']))] : [];
  return [`${output.colors.red(plain(result['status']))}${why}`, ...evidence, ...next].join('\n  ');
}
