import os from 'node:os';
import pg from 'pg';
import { ensureServer, resolveHome } from './embedded/index.ts';
import { migrateDatabase, RevisionError } from './migrate.ts';
import { AccessError, checkRevision, requireSupportedServer, type RunQuery } from './revision.ts';
import { serviceSettings } from './service-file.ts';
import { SettingError } from './setting-error.ts';

export interface ResolvedDatabase {
  /** The login to serve with: always acting as a writer, see `warnings`. */
  url: string;
  /** The login to migrate with: a superuser or the database's owner. */
  adminUrl: string;
  kind: 'embedded' | 'url';
  /** Sentences for stderr. */
  warnings: string[];
}

/**
 * The database that the environment names: `DATABASE_URL`, else libpq's variables (`PGHOST` …, `PGSERVICE`), else the
 * embedded server, which is started when it does not run and migrated when it is behind. `.pgpass` is read by the driver.
 * Throws when a named database cannot be reached or is unsupported, or an embedded one cannot run.
 */
export async function resolveDatabase(env: NodeJS.ProcessEnv): Promise<ResolvedDatabase> {
  const named = namedUrl(env);
  if (named === null) {
    const { adminUrl, writerUrl } = await ensureServer({ home: resolveHome(env) });
    const revision = await withQueries(adminUrl, checkRevision);
    if (revision.state === 'missing' || revision.state === 'behind') await migrateDatabase(adminUrl);
    return { url: writerUrl, adminUrl, kind: 'embedded', warnings: [] };
  }
  const adminUrl = namedAdminUrl(env) ?? named;
  return { adminUrl, kind: 'url', ...(await asWriter(named)) };
}

/** The same, refusing a database that this package cannot serve: RevisionError carries the command that mends it. */
export async function resolveServableDatabase(env: NodeJS.ProcessEnv): Promise<ResolvedDatabase> {
  const resolved = await resolveDatabase(env);
  await withQueries(resolved.url, async (run) => {
    const revision = await checkRevision(run);
    if (revision.state !== 'current') throw new RevisionError(revision);
  });
  return resolved;
}

/** The URL that `PATCHDIFF_ADMIN_URL` names, for the login that migrates; null when it is absent or empty. Throws SettingError. */
export function namedAdminUrl(env: NodeJS.ProcessEnv): string | null {
  return checkedUrl('PATCHDIFF_ADMIN_URL', env);
}

/** The URL that `DATABASE_URL` or libpq's variables name; null when neither names anything. Throws SettingError for one of no use. */
export function namedUrl(env: NodeJS.ProcessEnv): string | null {
  const whole = checkedUrl('DATABASE_URL', env);
  if (whole !== null) return whole;
  const names = ['PGHOST', 'PGHOSTADDR', 'PGPORT', 'PGDATABASE', 'PGUSER', 'PGSERVICE'];
  if (!names.some((name) => env[name])) return null;
  // As in libpq, a service's settings win over the variables.
  const service = env['PGSERVICE'] ? serviceSettings(env['PGSERVICE'], env) : {};
  const setting = (key: string, variable: string) => service[key] ?? (env[variable] || undefined);
  const user = setting('user', 'PGUSER') ?? os.userInfo().username;
  const host = setting('host', 'PGHOST') ?? setting('hostaddr', 'PGHOSTADDR') ?? 'localhost';
  const url = new URL(`postgres://${host.startsWith('/') ? 'socket' : host.includes(':') ? `[${host}]` : host}`);
  url.username = encodeURIComponent(user);
  url.password = encodeURIComponent(setting('password', 'PGPASSWORD') ?? '');
  url.port = setting('port', 'PGPORT') ?? '5432';
  url.pathname = `/${encodeURIComponent(setting('dbname', 'PGDATABASE') ?? user)}`;
  if (host.startsWith('/')) url.searchParams.set('host', host);
  for (const [key, variable] of [['sslmode', 'PGSSLMODE'], ['options', 'PGOPTIONS'], ['application_name', 'PGAPPNAME']] as const) {
    const value = setting(key, variable);
    if (value) url.searchParams.set(key, value);
  }
  return url.href;
}

/** The driver would read nearly any text as a URL of some host, so that the fault would show far from its cause. */
function checkedUrl(variable: string, env: NodeJS.ProcessEnv): string | null {
  const value = env[variable];
  if (!value) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  const user = url?.username || url?.searchParams.get('user') || env['PGUSER'];
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol) || !user || !isDecodable(`${url.username}${url.password}${url.pathname}`)) {
    throw new SettingError(
      `${variable} must look like postgres://user:password@host:port/database (other signs than letters and digits percent-encoded)`,
    );
  }
  return value;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const MEND = 'start that server, or correct what names it (DATABASE_URL, PATCHDIFF_ADMIN_URL, PGHOST …)';

/** The database that was named does not answer, or refuses the login. The message names it, without its password. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** Runs `work` over a connection of its own. Throws UnreachableError when there is none to be had. */
export async function withQueries<T>(url: string, work: (run: RunQuery) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'patchdiff', connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    const place = `${client.user ?? ''}@${client.host}:${client.port}/${client.database ?? ''}`;
    throw new UnreachableError(`cannot connect to ${place}: ${message || (code ?? 'no answer')}; ${MEND}`, { cause: error });
  }
  try {
    return await work(async (text) => (await client.query<Record<string, unknown>>(text)).rows);
  } finally {
    await client.end();
  }
}

/** An owner or superuser could do what no writer may, so it serves as the writer role, and says so. */
async function asWriter(url: string): Promise<{ url: string; warnings: string[] }> {
  return withQueries(url, async (run) => {
    await requireSupportedServer(run);
    const [login] = await run(
      `select current_user as name, r.rolsuper as superuser,
        exists (select from pg_roles as o where o.rolname = 'patchdiff_owner' and pg_has_role(r.oid, o.oid, 'MEMBER')) as owner,
        (select pg_has_role(r.oid, w.oid, 'SET') from pg_roles as w where w.rolname = 'patchdiff_writer') as writer
      from pg_roles as r where r.rolname = current_user`,
    );
    if (login?.['superuser'] !== true && login?.['owner'] !== true) return { url, warnings: [] };
    const kind = login['superuser'] === true ? 'a superuser' : 'an owner';
    const name = String(login['name']);
    // Before the first migration there is no writer to be.
    if (login['writer'] === null) return { url, warnings: [] };
    if (login['writer'] === false) {
      throw new AccessError(`DATABASE_URL logs in as ${kind} that may not act as the writer; run as a superuser: grant patchdiff_writer to "${name}"`);
    }
    const lowered = new URL(url);
    lowered.searchParams.set('options', `${lowered.searchParams.get('options') ?? ''} -c role=patchdiff_writer`.trim());
    return {
      url: lowered.href,
      warnings: [
        `DATABASE_URL logs in as ${kind} (${name}); serving with "set role patchdiff_writer". ` +
          `Give the server a login of its own: create role … login password … in role patchdiff_writer`,
      ],
    };
  });
}
