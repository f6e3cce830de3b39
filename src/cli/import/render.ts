import type { JsonObject } from '../../service/common/types.ts';
import { refusal } from '../answer.ts';
import { EXIT, exitOfResult } from '../exit.ts';
import { plain, printable, type Output } from '../output.ts';

/** Why a file that a walk came upon is left out: it is no text, or not there to be read. Everything else that refuses it is a refusal. */
const SKIPPED: ReadonlySet<string> = new Set([
  'contains_nul',
  'invalid_utf8',
  'file_too_large',
  'not_regular_file',
  'is_symlink',
  'is_directory',
  'path_leaves_root',
  'path_not_found',
  'path_not_utf8',
  'path_too_long',
  'path_changed',
  'file_changed_while_reading',
  'permission_denied',
  'symlink_dangling',
  'symlink_loop',
]);

/** Left out on purpose: counted, not listed. */
const UNLISTED: ReadonlySet<unknown> = new Set(['hidden', 'ignored']);

const READ_FOR_GUARD =
  'Read the document (patchdiff read <target> --json); when its text may be replaced, import this one file with --adopt and --expected-version as read.';

/** Ways out of a refusal that the command line has words of its own for; the rest is what an agent is told. */
const STEPS: Readonly<Record<string, string>> = {
  drift:
    "To go on from the file's text: the same command with --adopt. To keep the document's text instead: put the bytes last imported or saved back at the path.",
  guard_missing: `The document has versions that were never saved to the file. ${READ_FOR_GUARD}`,
  target_version_mismatch: READ_FOR_GUARD,
  target_hash_mismatch: READ_FOR_GUARD,
};

export function isSkipped(result: JsonObject): boolean {
  // A file that is gone but belongs to a document is no stray.
  const bound = (result['facts'] as JsonObject | undefined)?.['bound_target_file_id'] !== undefined;
  return result['status'] === 'rejected' && !bound && SKIPPED.has(plain(result['failure_code']));
}

/** One line for one result: of what was done for stdout, of what was not for stderr; '' for what is only counted. */
export function renderItem(output: Output, result: JsonObject): { line: string; refused: boolean } {
  const shown = printable(plain(result['path']));
  if (exitOfResult(result) !== EXIT.done) {
    const step = STEPS[plain(result['failure_code'])];
    return { line: `${shown}: ${refusal(output, step === undefined ? result : { ...result, next_step: step })}`, refused: true };
  }
  if (result['status'] === 'skipped') {
    if (UNLISTED.has(result['failure_code'])) return { line: '', refused: false };
    return { line: `${shown}: skipped: ${plain(result['failure_code'])}; ${printable(plain(result['detail']))}`, refused: true };
  }
  const id = plain(result['target_file_id']) || '-';
  return { line: `${id}  ${plain(result['status'])} at version ${plain(result['version'])}  ${shown}`, refused: false };
}

/** How many ended how, and of those left out how many why. */
export function renderCounts(results: readonly JsonObject[]): string {
  const tally = (field: string, of: readonly JsonObject[]): string[] => {
    const counts = new Map<string, number>();
    for (const result of of) counts.set(plain(result[field]), (counts.get(plain(result[field])) ?? 0) + 1);
    return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `${count} ${name}`);
  };
  if (results.length === 0) return 'nothing to import';
  const why = tally(
    'failure_code',
    results.filter(({ status }) => status === 'skipped'),
  );
  return tally('status', results).join(', ') + (why.length === 0 ? '' : ` (${why.join(', ')})`);
}
