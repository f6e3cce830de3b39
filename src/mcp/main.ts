import { readFileSync } from 'node:fs';

import { resolveServableDatabase } from '../db/connect.ts';
import type { ResolvedDatabase } from '../db/connect.ts';
import { ensureServer, resolveHome } from '../db/embedded/index.ts';
import { RevisionError } from '../db/migrate.ts';
import { openDatabase } from '../db/pool.ts';
import type { Database } from '../db/port.ts';
import { revivingDatabase } from '../db/reviving.ts';
import { createService } from '../service/index.ts';
import { openWorkspace } from '../workspace/index.ts';
import { createLog } from './log.ts';
import type { Log } from './log.ts';
import { createServer } from './server.ts';
import { readSettings, USAGE } from './settings.ts';
import type { Settings } from './settings.ts';
import { claimStdout, serveConnection } from './stdio.ts';

/** How this command ends; every way has its own number. */
export const EXIT = { done: 0, usage: 2, workspace: 3, database: 4, revision: 5 } as const;
type Exit = (typeof EXIT)[keyof typeof EXIT];

/**
 * Serves one client over stdio; resolves with the exit code. What can be wrong with the settings, the workspace and the
 * database is found before the first message is read, and said on stderr; stdout carries nothing but protocol, or the help that was asked for.
 */
export async function main(argv: readonly string[], host: NodeJS.Process = process): Promise<number> {
  // Nobody is served yet, so help goes where that of every other command goes.
  if (argv.includes('--help') || argv.includes('-h')) {
    host.stdout.write(USAGE);
    return EXIT.done;
  }
  const write = claimStdout(host);
  const read = readSettings(argv, host.env);
  if (!read.ok) return fail(host, EXIT.usage, `${read.message}\n\n${USAGE}`);
  const { settings } = read;
  const log = createLog(host.stderr, settings.logLevel);
  const opened = await start(settings, host.env, log);
  if ('exit' in opened) return fail(host, opened.exit, opened.message);
  const { database, workspaceRoot } = opened;
  await serveConnection({
    host,
    write,
    log,
    createServer: () =>
      createServer({
        serviceFor: (actor) => createService({ database, workspaceRoot, actor }),
        profile: settings.profile,
        responseMode: settings.responseMode,
        agent: settings.agent,
        version: packageVersion(),
        log,
      }),
  });
  await database.close();
  return EXIT.done;
}

type Started = { database: Database; workspaceRoot: string | null } | { exit: Exit; message: string };

async function start(settings: Settings, env: NodeJS.ProcessEnv, log: Log): Promise<Started> {
  let workspaceRoot: string | null = null;
  if (settings.workspaceRoot !== null) {
    const workspace = await openWorkspace(settings.workspaceRoot);
    if (!workspace.ok) return { exit: EXIT.workspace, message: `the workspace cannot be used: ${workspace.message}` };
    workspaceRoot = workspace.facts.root;
  }
  try {
    const resolved = await resolveServableDatabase(env);
    for (const warning of resolved.warnings) log.warn(warning);
    return { database: open(resolved, env, log), workspaceRoot };
  } catch (error) {
    if (error instanceof RevisionError) return { exit: EXIT.revision, message: error.message };
    return { exit: EXIT.database, message: `the database cannot be used: ${words(error)}` };
  }
}

/** The embedded server is ours to start again when it is gone; a server that was named is not. */
function open(resolved: ResolvedDatabase, env: NodeJS.ProcessEnv, log: Log): Database {
  const pool = (connectionString: string): Database =>
    openDatabase({ connectionString, onIdleError: (error) => log.warn(`an idle connection broke: ${error.message}`) });
  if (resolved.kind === 'url') return pool(resolved.url);
  return revivingDatabase({
    url: resolved.url,
    open: pool,
    revive: async () => {
      const { how, writerUrl } = await ensureServer({ home: resolveHome(env) });
      if (how !== 'attached') log.warn('the embedded database was gone; it was started again');
      return writerUrl;
    },
    onFailure: (error) => log.error(`the embedded database cannot be started: ${words(error)}`),
  });
}

function fail(host: NodeJS.Process, exit: Exit, message: string): number {
  host.stderr.write(`patchdiff mcp: ${message}\n`);
  return exit;
}

/** An attempt on several addresses fails with an empty message and the reasons inside. */
function words(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return [...new Set(error.errors.map(words))].join('; ');
  return error instanceof Error ? error.message : String(error);
}

function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
