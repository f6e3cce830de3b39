import type { Command } from 'commander';
import type { JsonObject } from '../../service/common/types.ts';
import { EXIT, type Exit } from '../exit.ts';
import { plain, printable, short, table, type Host, type Output } from '../output.ts';
import type { Run } from '../run.ts';
import { rootOf, withSession } from './db-session.ts';

/** The command for after a crash: what became of publications that nobody closed. */
export function addReconcile(program: Command, host: Host, run: Run): void {
  program
    .command('reconcile')
    .description('say what became of saves that were interrupted, and record it on request')
    .option('--workspace <directory>', 'only those of this workspace root (default: every root, where it was)')
    .option('--finish', 'record what the disk proves; without it nothing is written')
    .addHelpText(
      'after',
      `
Compares the intent, the file and the database under the directory's lease, and never guesses:
  installed_not_recorded  the bytes to be written stand in the file
  nothing_installed       the file is what it was before
  overtaken               a later save or adoption of the file was recorded since
  recorded                somebody closed it meanwhile
  ambiguous               the file holds other bytes: all three digests are shown, and it stays open
  unreadable              the root, the directory or the file cannot be looked at

Exit codes: 0 none is open any more, 6 some are and --finish would close them, 8 some are ambiguous or the stored text is damaged,
3 some cannot be looked at.`,
    )
    .action(run(reconcileAll.bind(null, host)));
}

async function reconcileAll(host: Host, output: Output, options: { workspace?: string; finish?: boolean }): Promise<Exit> {
  const root = options.workspace === undefined ? null : rootOf(host, options.workspace);
  return withSession(host, output, null, async ({ database, actor }) => {
    const { reconcile } = await import('../../service/index.ts');
    const result = await reconcile({ database, root, finish: options.finish === true, actor: JSON.stringify(actor) });
    output.answer(result, () => render(output, result));
    return exitOf(result['intents'] as JsonObject[]);
  });
}

function exitOf(intents: readonly JsonObject[]): Exit {
  const open = intents.filter((intent) => intent['open'] === true);
  if (open.some(({ state }) => state === 'unreadable')) return EXIT.workspace;
  if (open.some((intent) => intent['state'] === 'ambiguous' || intent['failure_code'] === 'content_diverged')) return EXIT.unsound;
  return open.length === 0 ? EXIT.done : EXIT.refused;
}

function render(output: Output, result: JsonObject): string {
  const intents = result['intents'] as JsonObject[];
  if (intents.length === 0) return 'no save was interrupted';
  const digest = (value: unknown): string => (value === null || value === undefined ? '–' : short(value));
  const rows = intents.map((intent) => [
    intent['target_file_id'],
    intent['version'],
    plain(intent['state']) + (intent['outcome'] === undefined ? '' : ` → ${plain(intent['outcome'])}`),
    digest(intent['expected_disk_sha256']),
    digest(intent['written_sha256']),
    digest(intent['observed_disk_sha256']),
    intent['workspace_path'],
  ]);
  const steps = new Set(intents.map((intent) => intent['next_step']).filter((step) => typeof step === 'string'));
  const whole = (value: unknown): string => (typeof value === 'string' ? value : 'no file');
  const unclear = intents
    .filter(({ state }) => state === 'ambiguous')
    .map(
      (intent) =>
        `${plain(intent['publication_id'])}: before ${whole(intent['expected_disk_sha256'])}, to write ${whole(intent['written_sha256'])}, on disk ${intent['observed_bytes'] !== null && intent['observed_disk_sha256'] === null ? `${plain(intent['observed_bytes'])} bytes` : whole(intent['observed_disk_sha256'])}`,
    );
  const details = intents.map((intent) => intent['detail']).filter((detail) => typeof detail === 'string');
  return [
    table(output, ['target', 'version', 'state', 'before', 'to write', 'on disk', 'path'], rows),
    ...unclear,
    ...details.map(printable),
    ...steps,
  ].join('\n');
}
