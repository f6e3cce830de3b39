import type { Command } from 'commander';
import { namedUrl, resolveDatabase, withQueries } from '../../db/connect.ts';
import { resolveHome, serverStatus } from '../../db/embedded/index.ts';
import { checkRevision, UnsupportedServerError } from '../../db/revision.ts';
import { EXIT, type Exit } from '../exit.ts';
import type { Host, Output } from '../output.ts';
import type { Run } from '../run.ts';

interface Check {
  name: string;
  state: 'ok' | 'warning' | 'fault';
  detail: string;
  /** The command that mends it. */
  command: string | null;
}

/** `patchdiff doctor`: everything between this command and a database that can be served, each with its remedy. */
export function addDoctor(program: Command, host: Host, run: Run): void {
  program
    .command('doctor')
    .description('check Node, the database, its revision and its guards; say which command mends what')
    .action(
      run(async (output) => {
        const { checks, exit } = await examine(host);
        output.answer({ checks, exit }, () => checks.map((check) => render(output, check)).join('\n'));
        return exit;
      }),
    );
}

async function examine(host: Host): Promise<{ checks: Check[]; exit: Exit }> {
  const checks: Check[] = [{ name: 'node', state: 'ok', detail: process.version, command: null }];
  let embedded;
  try {
    embedded = namedUrl(host.env) === null;
  } catch (error) {
    checks.push({ name: 'connection', state: 'fault', detail: (error as Error).message, command: null });
    return { checks, exit: EXIT.database };
  }
  if (embedded) {
    const status = serverStatus({ home: resolveHome(host.env) });
    if (!status.initialised) {
      const detail = `${status.home}: no embedded database yet`;
      checks.push({ name: 'embedded server', state: 'warning', detail, command: 'patchdiff db start' });
      return { checks, exit: EXIT.done };
    }
    const state = status.running ? `running, pid ${status.pid}` : 'stopped, will be started';
    checks.push({ name: 'embedded server', state: 'ok', detail: `${status.home}: ${state}`, command: null });
  }
  let resolved;
  try {
    resolved = await resolveDatabase(host.env);
  } catch (error) {
    const name = error instanceof UnsupportedServerError ? 'server' : 'connection';
    const command = embedded ? 'patchdiff db start' : null;
    checks.push({ name, state: 'fault', detail: (error as Error).message, command });
    return { checks, exit: EXIT.database };
  }
  for (const warning of resolved.warnings) checks.push({ name: 'login', state: 'warning', detail: warning, command: null });
  return withQueries(resolved.url, async (query): Promise<{ checks: Check[]; exit: Exit }> => {
    const [server] = await query(`select current_setting('server_version') as version, current_user as login, current_database() as name`);
    checks.push({
      name: 'connection',
      state: 'ok',
      detail: `PostgreSQL ${String(server?.['version'])}, database ${String(server?.['name'])}, as ${String(server?.['login'])}`,
      command: null,
    });
    const revision = await checkRevision(query);
    checks.push({
      name: 'revision',
      state: revision.state === 'current' ? 'ok' : 'fault',
      detail: revision.explanation,
      command: revision.command,
    });
    if (revision.state !== 'current') return { checks, exit: EXIT.revision };
    const [guards] = await query(
      `select count(*)::integer as active from pg_event_trigger where evtname like 'patchdiff%' and evtenabled <> 'D'`,
    );
    const active = Number(guards?.['active']);
    checks.push(
      active > 0
        ? { name: 'DDL guards', state: 'ok', detail: `${active} event triggers are active`, command: null }
        : {
            name: 'DDL guards',
            state: 'warning',
            detail: 'no event triggers: the migrating login was no superuser, so the owner could alter the logs',
            command: 'as a superuser in psql: select patchdiff_guard.guard_ddl(true)',
          },
    );
    return { checks, exit: EXIT.done };
  });
}

function render(output: Output, check: Check): string {
  const { green, yellow, red } = output.colors;
  const mark = { ok: green('ok      '), warning: yellow('warning '), fault: red('fault   ') }[check.state];
  return `${mark} ${check.name}: ${check.detail}${check.command === null ? '' : `\n         run: ${check.command}`}`;
}
