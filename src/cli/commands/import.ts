import path from 'node:path';
import type { Command } from 'commander';
import type { JsonObject, Service } from '../../service/common/types.ts';
import { EXIT, exitOfError, exitOfResult, ExitError, type Exit } from '../exit.ts';
import { isSkipped, renderCounts, renderItem } from '../import/render.ts';
import { isWalk, itemsOf, readArguments, type Item, type Selection } from '../import/select.ts';
import { printable, type Host, type Output } from '../output.ts';
import { withProgress } from '../progress.ts';
import type { Run } from '../run.ts';
import { hash, wholeNumber } from '../values.ts';
import { realWorkspace, withSession } from './db-session.ts';

interface ImportOptions {
  workspace?: string;
  adopt?: boolean;
  expectedVersion?: number;
  expectedHash?: string;
  ignore: boolean;
  hidden?: boolean;
  dryRun?: boolean;
}

const HELP = `
A path is a file, a directory (with all below it) or a pattern such as 'docs/**/*.md', in quotes so that the shell leaves it alone.
No file is changed. What was imported before is "existing" while it still is what was last imported or saved.

Found by walking, and therefore left out with a count: what .gitignore, .ignore and .git/info/exclude leave out (of every level, from
the top of the git working tree or else the workspace on), .git itself, hidden names, symbolic links, and what is no text: NUL bytes,
bytes that are not UTF-8, more than 16 MiB, pipes, sockets and devices. A file that is named itself is imported whatever an ignore
file says, and when it cannot be, that is a failure.

Drift (others changed the file since): --adopt makes their text the document's next version. Documents with versions that were never
saved need a guard, for one file: --expected-version, or --expected-hash.

  patchdiff import notes.md
  patchdiff import . --dry-run
  patchdiff import 'docs/**/*.{md,txt}' --workspace .`;

/** The command that puts files under authority. */
export function addImport(program: Command, host: Host, run: Run): void {
  program
    .command('import')
    .description('put files under authority, bound to their place on disk')
    .argument('<path...>', 'files, directories, or patterns in quotes')
    .option(
      '--workspace <directory>',
      'the workspace they belong to (default: PATCHDIFF_WORKSPACE_ROOT, else the current directory, and for what lies outside it its own directory)',
    )
    .option('--adopt', 'take the text of files that others changed over as the next version')
    .option('--expected-version <n>', 'with --adopt and one file: the version that its text may replace', wholeNumber(0))
    .option('--expected-hash <sha256>', 'with --adopt and one file: the hash of the text that it may replace', hash)
    .option('--no-ignore', 'walk without ignore files')
    .option('--hidden', 'take names that begin with a dot too')
    .option('--dry-run', 'say what would come of it; nothing is written')
    .addHelpText('after', HELP)
    .action(run(importAll.bind(null, host)));
}

async function importAll(host: Host, output: Output, paths: string[], options: ImportOptions): Promise<Exit> {
  const workspace = options.workspace ?? (host.env['PATCHDIFF_WORKSPACE_ROOT'] || null);
  const selection: Selection = {
    cwd: host.cwd,
    workspace: workspace === null ? null : realWorkspace(path.resolve(host.cwd, workspace)),
    ignoreFiles: options.ignore,
    hidden: options.hidden === true,
  };
  const args = await readArguments(paths, selection);
  const guarded = options.expectedVersion !== undefined || options.expectedHash !== undefined;
  if (guarded && (options.adopt !== true || args.length !== 1 || args.some(isWalk))) {
    throw new ExitError(EXIT.usage, '--expected-version and --expected-hash go with --adopt and exactly one file');
  }
  const results: JsonObject[] = [];
  let interrupted = false;
  let failure: ExitError | null = null;
  const release = host.onInterrupt(() => (interrupted = true));
  try {
    await withSession(host, output, null, (session) =>
      withProgress(host, output, async (onProgress) => {
        const total = await countFor(host, output, () => itemsOf(args, selection));
        const services = new Map<string, Service>();
        for await (const item of itemsOf(args, selection)) {
          if (interrupted) break;
          onProgress(results.length, total, printable(item.shown));
          const service = services.get(item.root) ?? session.serviceOn(item.root);
          services.set(item.root, service);
          results.push({ ...(await resultOf(service, item, options)), path: item.shown });
        }
      }),
    );
  } catch (error) {
    if (results.length === 0) throw error;
    failure = new ExitError(exitOfError(error), (error as Error).message);
  } finally {
    release();
  }
  // Also when the database went away in between: what was imported is said.
  report(output, results, args.some(isWalk), interrupted, failure);
  if (failure !== null) return failure.exit;
  if (interrupted) return EXIT.interrupted;
  return results.map((result) => exitOfResult(result)).find((exit) => exit !== EXIT.done) ?? EXIT.done;
}

/** How many there will be, walked once more, only where a bar shows it. */
async function countFor(host: Host, output: Output, items: () => AsyncIterable<Item>): Promise<number | null> {
  if (output.json || host.stderr.isTTY !== true) return null;
  let count = 0;
  for await (const item of items()) if (item.root !== '') count += 1;
  return count;
}

async function resultOf(service: Service, { found, root, named }: Item, options: ImportOptions): Promise<JsonObject> {
  if (found.kind === 'skip') return { status: 'skipped', failure_code: found.code, detail: found.detail, facts: { ...found.facts } };
  if (found.kind === 'missing') {
    const next_step = 'Name a file, a directory or a pattern that is there, inside the workspace.';
    return { status: 'rejected', failure_code: found.code, detail: found.detail, next_step, facts: { ...found.facts } };
  }
  const result = await importOne(service, path.relative(root, found.absolute), options);
  return !named && isSkipped(result) ? { ...result, status: 'skipped' } : result;
}

async function importOne(service: Service, relative: string, options: ImportOptions): Promise<JsonObject> {
  const { expectedVersion, expectedHash } = options;
  const adoption = {
    adopt_disk: true,
    ...(expectedVersion === undefined ? {} : { expected_target_version: expectedVersion }),
    ...(expectedHash === undefined ? {} : { expected_current_hash: expectedHash }),
  };
  if (options.dryRun === true) return service.foreseeImport({ path: relative, ...(options.adopt === true ? adoption : {}) });
  const file = { from_workspace: true, path: relative };
  const result = await service.initializeTarget(file);
  return options.adopt === true && result['failure_code'] === 'drift' ? service.initializeTarget({ ...file, ...adoption }) : result;
}

function report(output: Output, results: readonly JsonObject[], walked: boolean, interrupted: boolean, failure: ExitError | null): void {
  if (output.json) {
    const last = failure === null ? [] : [{ status: 'error', exit: failure.exit, message: failure.message }];
    output.answer([...results, ...last], () => '');
  }
  for (const result of output.json ? [] : results) {
    const { line, refused } = renderItem(output, result);
    if (refused) output.warn(line);
    else if (line !== '') output.say(line);
  }
  if (interrupted) output.warn('stopped; what is listed was done, and the same command goes on from there');
  if (failure !== null) output.warn(`stopped; what is listed was done: ${failure.message}`);
  if (!output.json && (walked || interrupted)) output.warn(renderCounts(results));
}
