import path from 'node:path';
import type { Command } from 'commander';
import type { JsonObject } from '../../service/common/types.ts';
import { answer } from '../answer.ts';
import type { Exit } from '../exit.ts';
import { plain, printable, type Host, type Output } from '../output.ts';
import { withProgress } from '../progress.ts';
import type { Run } from '../run.ts';
import { targetNamed } from '../target-name.ts';
import { hash, requestKey, wholeNumber } from '../values.ts';
import { realWorkspace, TARGET, withSession } from './db-session.ts';

interface SaveOptions {
  sync?: boolean;
  expectedVersion?: number;
  expectedHash?: string;
  requestId?: string;
  workspace?: string;
}

const HELP = `
With --sync the file that the document was imported from is replaced in one step, with its own line ends, byte order mark and
permissions, and only while it still is what was last imported or saved. If others changed it, that is drift: nothing is written, exit
code 6. The way out is patchdiff import <file> --adopt, or to put those bytes back.

  patchdiff save notes.md --sync --expected-version 3`;

/** The command that checkpoints a document and writes its file. */
export function addSave(program: Command, host: Host, run: Run): void {
  program
    .command('save')
    .description('checkpoint a document, and with --sync write its file')
    .argument('<target>', TARGET)
    .option('--sync', 'write the file too')
    .option('--expected-version <n>', 'only while the document is at this version', wholeNumber(0))
    .option('--expected-hash <sha256>', 'only while its text has this hash', hash)
    .option('--request-id <key>', 'makes a repeat safe: the same key gives the first outcome, for ever', requestKey)
    .option('--workspace <directory>', 'the workspace root (default: PATCHDIFF_WORKSPACE_ROOT, else the one that the document is bound to)')
    .addHelpText('after', HELP)
    .action(run(save.bind(null, host)));
}

async function save(host: Host, output: Output, target: string, options: SaveOptions): Promise<Exit> {
  return withSession(host, output, null, async ({ service, serviceOn, boundRoot }) => {
    const named = options.workspace ?? (host.env['PATCHDIFF_WORKSPACE_ROOT'] || null);
    const workspace = named === null ? null : realWorkspace(path.resolve(host.cwd, named));
    const id = await targetNamed(service, target, async (one) => workspace !== null && (await boundRoot(one)) === workspace);
    const root = workspace ?? (await boundRoot(id));
    const on = options.sync === true && root !== null ? serviceOn(root) : service;
    const result = await withProgress(host, output, (onProgress) =>
      on.save(
        {
          target_file_id: id,
          sync_workspace: options.sync === true,
          ...(options.expectedVersion === undefined ? {} : { expected_target_version: options.expectedVersion }),
          ...(options.expectedHash === undefined ? {} : { expected_current_hash: options.expectedHash }),
          ...(options.requestId === undefined ? {} : { client_request_id: options.requestId }),
        },
        { onProgress },
      ),
    );
    const gone = (result['facts'] as JsonObject | undefined)?.['observed_bytes'] === null;
    const drift =
      'To go on from the text of the file: patchdiff import <file> --adopt. To keep this text instead: put the bytes last imported or saved back at the path, then save again.';
    return answer(output, result['failure_code'] === 'drift' && !gone && !output.json ? { ...result, next_step: drift } : result, () =>
      render(result),
    );
  });
}

function render(result: JsonObject): string {
  const where = typeof result['workspace_path'] === 'string' ? `  ${printable(result['workspace_path'])}` : '';
  const again = result['deduplicated'] === true ? ', as recorded for this key' : '';
  const head = `chain head to note elsewhere: ${plain(result['chain_sequence'])}:${plain(result['chain_head'])}`;
  return `${plain(result['target_file_id'])}  ${plain(result['status'])} at version ${plain(result['version'])}${again}${where}\n${head}`;
}
