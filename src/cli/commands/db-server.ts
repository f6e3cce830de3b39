import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { namedAdminUrl, namedUrl, resolveDatabase, withQueries } from '../../db/connect.ts';
import { ensureServer, resolveHome, runningUrls, serverStatus, stopServer } from '../../db/embedded/index.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { requireSupportedServer } from '../../db/revision.ts';
import { EXIT, ExitError, type Exit } from '../exit.ts';
import type { Host, Output } from '../output.ts';
import type { Run } from '../run.ts';

/** `patchdiff db …`: the database's life. `start`, `stop` and `status` are about the embedded server only. */
export function addDatabaseCommands(program: Command, host: Host, run: Run): void {
  const db = program.command('db').description('start, stop, migrate and reach the database');

  db.command('start')
    .description('start the embedded PostgreSQL (initialising it the first time) and migrate it')
    .action(
      run(async (output) => {
        noteOther(host, output);
        const server = await ensureServer({ home: resolveHome(host.env) });
        const { after } = await migrateDatabase(server.adminUrl);
        output.answer(
          { how: server.how, pid: server.pid, port: server.port, migrations: after.applied },
          () => `${server.how}: PostgreSQL on 127.0.0.1:${server.port} (pid ${server.pid}), ${after.explanation}`,
        );
        return EXIT.done;
      }),
    );

  db.command('stop')
    .description('stop the embedded PostgreSQL; its data stays')
    .action(
      run(async (output) => {
        noteOther(host, output);
        const stopped = await stopServer({ home: resolveHome(host.env) });
        output.answer({ stopped }, () => (stopped ? 'stopped' : 'not running'));
        return EXIT.done;
      }),
    );

  db.command('status')
    .description('say where the embedded server is and whether it runs')
    .action(
      run((output) => {
        noteOther(host, output);
        const status = serverStatus({ home: resolveHome(host.env) });
        output.answer(status, () =>
          [
            status.running
              ? `running on 127.0.0.1:${status.port} (pid ${status.pid})`
              : status.initialised
                ? 'not running'
                : 'not initialised',
            `home  ${status.home}`,
            `log   ${status.log}`,
          ].join('\n'),
        );
        return Promise.resolve(EXIT.done);
      }),
    );

  db.command('migrate')
    .description("bring the database to this package's revision (forward only; safe to repeat)")
    .addHelpText('after', '\nUses PATCHDIFF_ADMIN_URL, else DATABASE_URL, else the embedded server.')
    .action(
      run(async (output) => {
        const url = await adminUrl(host);
        // A database that does not answer is told apart from a migration that fails.
        await withQueries(url, requireSupportedServer);
        const { before, after } = await migrateDatabase(url);
        output.answer({ before: before.state, after: after.state, applied: after.applied - before.applied }, () =>
          before.state === 'current' ? after.explanation : `${after.applied - before.applied} applied: ${after.explanation}`,
        );
        return EXIT.done;
      }),
    );

  db.command('url')
    .description("print the connection URL: the writer's, or with --admin the migrating login's")
    .option('--admin', 'the login that migrates (of the embedded server: its superuser)')
    .action(
      run(async (output, options: { admin?: boolean }) => {
        const url = await knownUrl(host, output, options.admin === true);
        output.answer({ url }, () => url);
        return EXIT.done;
      }),
    );

  db.command('psql')
    .description('open psql on the database; arguments after -- go to psql')
    .option('--admin', 'as the login that migrates')
    .argument('[arguments...]')
    .addHelpText('after', '\nThe embedded server brings no psql of its own: one must be installed.')
    .action(
      run(async (output, arguments_: string[], options: { admin?: boolean }) =>
        psql(await knownUrl(host, output, options.admin === true), arguments_, host),
      ),
    );
}

async function adminUrl(host: Host): Promise<string> {
  const named = namedAdminUrl(host.env) ?? namedUrl(host.env);
  return named ?? (await ensureServer({ home: resolveHome(host.env) })).adminUrl;
}

/** Says that the embedded server is not the database in force. */
function noteOther(host: Host, output: Output): void {
  if (namedUrl(host.env) === null) return;
  const variable = host.env['DATABASE_URL'] ? 'DATABASE_URL' : 'PGHOST or another variable of libpq';
  output.warn(`${variable} is set and names the database in force; this concerns the embedded server only, which is not used meanwhile`);
}

/** Starts nothing: a URL of a server that does not run helps nobody. */
async function knownUrl(host: Host, output: Output, admin: boolean): Promise<string> {
  const adminUrl = admin ? namedAdminUrl(host.env) : null;
  if (adminUrl !== null) return adminUrl;
  const named = namedUrl(host.env);
  if (named !== null) {
    if (!admin) return (await resolveDatabase(host.env)).url;
    output.warn('PATCHDIFF_ADMIN_URL is not set: this is the login that the database is named with');
    return named;
  }
  const urls = runningUrls({ home: resolveHome(host.env) });
  if (!urls) throw new ExitError(EXIT.database, 'the embedded server is not running; run: patchdiff db start');
  return admin ? urls.adminUrl : urls.writerUrl;
}

function psql(url: string, arguments_: readonly string[], host: Host): Promise<Exit> {
  return new Promise((resolve, reject) => {
    // By the environment, since every user may read another's command line.
    const child = spawn('psql', [...arguments_], { stdio: 'inherit', env: { ...host.env, ...libpqEnvironment(url) } });
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? new ExitError(EXIT.failed, 'psql is not installed; install the PostgreSQL client') : error),
    );
    child.once('exit', (code) => resolve(code === 0 ? EXIT.done : EXIT.failed));
  });
}

function libpqEnvironment(url: string): NodeJS.ProcessEnv {
  const address = new URL(url);
  const options = address.searchParams.get('options');
  return {
    PGHOST: address.searchParams.get('host') ?? address.hostname,
    PGPORT: address.port || '5432',
    PGUSER: decodeURIComponent(address.username),
    PGPASSWORD: decodeURIComponent(address.password) || undefined,
    PGDATABASE: decodeURIComponent(address.pathname.slice(1)),
    ...(options === null ? {} : { PGOPTIONS: options }),
  };
}
