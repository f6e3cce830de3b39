import path from 'node:path';
import type { Command } from 'commander';
import type { JsonObject } from '../../service/common/types.ts';
import { answer } from '../answer.ts';
import { EXIT, type Exit } from '../exit.ts';
import { plain, printable, type Host, type Output } from '../output.ts';
import type { Run } from '../run.ts';
import { targetNamed } from '../target-name.ts';
import { hash, wholeNumber } from '../values.ts';
import { TARGET, rootOf, withSession } from './db-session.ts';

interface Options {
  workspace?: string;
  expectedVersion?: number;
  expectedHash?: string;
}

/** Refusals of the workspace root itself, which a caller mends outside the product. */
const OF_THE_ROOT = new Set(['root_missing', 'root_not_directory', 'root_unreadable', 'root_changed', 'unsupported_platform']);

/** The command for files that were moved. */
export function addRebind(program: Command, host: Host, run: Run): void {
  program
    .command('rebind')
    .description('bind a document to another file: where its own was moved, or where none stands yet')
    .argument('<target>', TARGET)
    .argument('<path>', 'the new path, relative to the workspace root')
    .option('--workspace <directory>', 'the new workspace root (default: the one the document is bound to)')
    .option('--expected-version <n>', 'only while the document has this version', wholeNumber(0))
    .option('--expected-hash <sha256>', 'only while its text has this hash', hash)
    .addHelpText(
      'after',
      `
The file is looked at, not changed. It must be the one that was last imported or saved, byte for byte, or absent: then the next save creates
it. Any other file is refused with both digests. What still stands at the old place belongs to no document any more.
Once the document is bound there, the command answers "unchanged" and may be repeated.

Exit codes: 0 bound there, 6 refused (nothing changed), 7 no such document, 3 the workspace root cannot be used.`,
    )
    .action(run(rebindOne.bind(null, host)));
}

async function rebindOne(host: Host, output: Output, target: string, newPath: string, options: Options): Promise<Exit> {
  const root = options.workspace === undefined ? null : rootOf(host, options.workspace);
  return withSession(host, output, null, async ({ service, database, actor }) => {
    const { rebind } = await import('../../service/index.ts');
    const result = await rebind({
      database,
      targetFileId: await targetNamed(service, target),
      root,
      path: newPath,
      expectedVersion: options.expectedVersion ?? null,
      expectedHash: options.expectedHash ?? null,
      actor: JSON.stringify(actor),
    });
    const exit = answer(output, result, () => render(result));
    return OF_THE_ROOT.has(plain(result['failure_code'])) ? EXIT.workspace : exit;
  });
}

function render(result: JsonObject): string {
  const place = (root: string, name: string): string => printable(path.join(plain(result[root]), plain(result[name])));
  const next = result['next_step'];
  return [
    `${plain(result['status'])}: ${place('from_root', 'from_path')} → ${place('workspace_root', 'workspace_path')}`,
    ...(typeof next === 'string' ? [next.replace('patchdiff_save with sync_workspace', 'patchdiff save --sync')] : []),
  ].join('\n  ');
}
