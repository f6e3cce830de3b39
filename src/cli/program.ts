import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addAuditCommands } from './commands/db-audit.ts';
import { addDemo } from './commands/db-demo.ts';
import { addDoctor } from './commands/db-doctor.ts';
import { addDatabaseCommands } from './commands/db-server.ts';
import { addVersionCommands } from './commands/db-versions.ts';
import { addDocumentCommands } from './commands/documents.ts';
import { addExport } from './commands/export.ts';
import { addFind } from './commands/find.ts';
import { addImport } from './commands/import.ts';
import { addLedger } from './commands/ledger.ts';
import { addMcpConfig } from './commands/mcp-config.ts';
import { addRebind } from './commands/rebind.ts';
import { addReconcile } from './commands/reconcile.ts';
import { addSave } from './commands/save.ts';
import { addSubmissionCommands } from './commands/submissions.ts';
import { EXIT, exitOfError } from './exit.ts';
import { createOutput, type Host } from './output.ts';
import type { Run } from './run.ts';

export interface ProgramDeps {
  host: Host;
  /** Serves MCP on the process's own pipes until the client leaves; resolves with the exit code. */
  serveMcp: (argv: readonly string[]) => Promise<number>;
}

const HELP = `
Start here:
  patchdiff demo                      see all of it work on a copy of a file
  patchdiff mcp --workspace <dir>     what an MCP host runs
  patchdiff doctor                    what is wrong, and which command mends it

The database is DATABASE_URL (or PGHOST, PGSERVICE …), else an embedded PostgreSQL below PATCHDIFF_HOME.

Exit codes: 0 done, 1 failed, 2 wrong command line or JSON, 3 file or workspace, 4 database unreachable, 5 database not at this
revision, 6 refused by a rule (nothing changed), 7 not found, 8 history and content disagree, 130 stopped by Ctrl-C.`;

/** Runs one command line and resolves with its exit code; nothing is thrown, and the process is left alone. */
export async function main(argv: readonly string[], deps: ProgramDeps): Promise<number> {
  const { host } = deps;
  let exit: number = EXIT.done;
  const program = new Command('patchdiff')
    .description('Guarded, logged, replayable edits of text documents, with PostgreSQL as the authority')
    .version(packageVersion(), '-V, --version')
    .option('--json', 'one JSON document on stdout instead of text for people')
    .addHelpText('after', HELP)
    .enablePositionalOptions()
    .showHelpAfterError('(patchdiff --help explains the commands)')
    .configureOutput({ writeOut: (text) => void host.stdout.write(text), writeErr: (text) => void host.stderr.write(text) })
    .exitOverride();

  const run: Run = (work) =>
    async function (this: Command, ...parameters: unknown[]) {
      // Commander appends the options and the command to the arguments.
      exit = await work(createOutput(host, wantsJson(this)), ...parameters.slice(0, -1));
    };

  program
    .command('mcp')
    .description('serve the Model Context Protocol on stdin and stdout')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .passThroughOptions()
    .argument('[options...]', 'patchdiff mcp --help lists them')
    .action(async (options: string[]) => {
      exit = await deps.serveMcp(options);
    });
  addMcpConfig(program, host, run);
  addDemo(program, host, run);
  addImport(program, host, run);
  addDocumentCommands(program, host, run);
  addFind(program, host, run);
  addSubmissionCommands(program, host, run);
  addLedger(program, host, run);
  addSave(program, host, run);
  addExport(program, host, run);
  addVersionCommands(program, host, run);
  addAuditCommands(program, host, run);
  addReconcile(program, host, run);
  addRebind(program, host, run);
  addDatabaseCommands(program, host, run);
  addDoctor(program, host, run);
  inherit(program, 'patchdiff');

  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exit;
  } catch (error) {
    exit = exitOfError(error);
    // Commander has printed its own errors already.
    if (!(error instanceof CommanderError)) report(error, exit, host, argv.includes('--json'));
    return exit;
  }
}

/** --json is accepted before and after the command's name. */
function inherit(command: Command, name: string): void {
  for (const child of command.commands) {
    const typed = `${name} ${child.name()}`;
    child.exitOverride().showHelpAfterError(`(see ${typed} --help)`);
    if (child.name() !== 'mcp') child.option('--json', 'one JSON document on stdout');
    inherit(child, typed);
  }
}

function wantsJson(command: Command): boolean {
  return command.optsWithGlobals()['json'] === true;
}

function report(error: unknown, exit: number, host: Host, json: boolean): void {
  const message = error instanceof Error ? error.message : String(error);
  if (json) host.stdout.write(`${JSON.stringify({ status: 'error', exit, message }, null, 2)}\n`);
  host.stderr.write(`patchdiff: ${message}\n`);
  if (host.env['PATCHDIFF_LOG_LEVEL'] === 'debug' && error instanceof Error) host.stderr.write(`${error.stack ?? ''}\n`);
}

function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
