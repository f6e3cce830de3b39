import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type * as Graphile from 'graphile-migrate';
import pg from 'pg';
import { DATABASE_FOLDER } from './committed.ts';
import { checkRevision, requireSupportedServer, type Revision } from './revision.ts';

// The only file that knows graphile-migrate, whose programmatic interface is not a supported one.

/** Any number, the same in every release: it makes concurrent migrations of one database queue. */
const MIGRATION_LOCK = 5_794_113_046;
/** graphile-migrate's own, which it only tries. A killed migrator's backend keeps it until it notices. */
const GRAPHILE_LOCK = '4727445306447283';
const BLANK = '-- The open migration: one include per changed routine, then grants.\n';
const PG_SETTINGS = { search_path: 'pg_catalog', client_connection_check_interval: '1s' };

export interface MigrationOutcome {
  before: Revision;
  after: Revision;
}

/** A database that no migration can mend: it is ahead of this package, or either was edited. */
export class RevisionError extends Error {
  override readonly name = 'RevisionError';
  readonly revision: Revision;
  constructor(revision: Revision) {
    super(`${revision.explanation}${revision.command ? `; run: ${revision.command}` : ''}`);
    this.revision = revision;
  }
}

/**
 * Brings the database to this package's revision; forward only, and nothing to do when it is there. Concurrent calls
 * queue on an advisory lock that ends with its holder's connection. Throws RevisionError for a database that is ahead or
 * edited, and an Error with file, line and SQLSTATE when a migration fails (its transaction is then rolled back).
 */
export async function migrateDatabase(adminUrl: string, options: { folder?: string } = {}): Promise<MigrationOutcome> {
  const folder = options.folder ?? DATABASE_FOLDER;
  return underMigrationLock(adminUrl, async (client) => {
    const run = async (text: string) => (await client.query<Record<string, unknown>>(text)).rows;
    await requireSupportedServer(run);
    const before = await checkRevision(run, folder);
    if (before.state === 'ahead' || before.state === 'edited') throw new RevisionError(before);
    if (before.state === 'current') return { before, after: before };
    await withGraphile(adminUrl, folder, ({ migrate }, settings) => migrate(settings));
    return { before, after: await checkRevision(run, folder) };
  });
}

/** Development: runs the committed migrations, then the open one in `db/current` with its includes. */
export async function migrateWithCurrent(adminUrl: string, options: { folder?: string } = {}): Promise<void> {
  const folder = options.folder ?? DATABASE_FOLDER;
  await underMigrationLock(adminUrl, () => withGraphile(adminUrl, folder, ({ watch }, settings) => watch(settings, true)));
}

/**
 * Development: freezes `db/current`, its includes expanded, as the next committed migration. Runs it on both databases:
 * `shadow` is dropped and made anew through `root`, `main` must be at the last committed revision. A failure changes no file.
 * Refuses a text that holds graphile-migrate's placeholders, which would be replaced even inside routines.
 */
export async function commitCurrent(
  urls: { main: string; shadow: string; root: string },
  message: string,
  options: { folder?: string } = {},
): Promise<void> {
  const folder = options.folder ?? DATABASE_FOLDER;
  const placeholder = sqlFiles(folder).find((file) => /:DATABASE_(NAME|OWNER)\b/.test(readFileSync(file, 'utf8')));
  if (placeholder !== undefined) throw new Error(`${placeholder} holds :DATABASE_NAME or :DATABASE_OWNER, which would be replaced`);
  await withGraphile(urls.main, folder, ({ migrate }, settings) => migrate(settings));
  await withGraphile(urls.main, folder, ({ commit }, settings) =>
    commit({ ...settings, shadowConnectionString: urls.shadow, rootConnectionString: urls.root, blankMigrationContent: BLANK }, message),
  );
}

function sqlFiles(folder: string): string[] {
  return ['current', 'procedures'].flatMap((part) => {
    const root = path.join(folder, part);
    return existsSync(root)
      ? readdirSync(root, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.sql'))
          .map((name) => path.join(root, name))
      : [];
  });
}

async function underMigrationLock<T>(adminUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: adminUrl, application_name: 'patchdiff migrate' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    // Session-level, because a migration may need minutes and an open transaction would hold back vacuum meanwhile.
    await client.query(`select set_config('idle_session_timeout', '0', false), set_config('statement_timeout', '0', false)`);
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query('select pg_advisory_lock($1), pg_advisory_unlock($1)', [GRAPHILE_LOCK]);
    return await work(client);
  } finally {
    await client.end();
  }
}

type Settings = NonNullable<Parameters<typeof Graphile.migrate>[0]>;
type Work = (graphile: typeof Graphile, settings: Settings) => Promise<void>;

async function withGraphile(url: string, folder: string, work: Work): Promise<void> {
  // Loaded when something is migrated: it costs every other command more than all else that starting takes.
  const graphile = await import('graphile-migrate');
  const { clearAllPools } = await import('graphile-migrate/dist/pgReal.js');
  const said: string[] = [];
  const logger = new graphile.Logger(() => (level, message) => {
    if (level === 'error') said.push(stripVTControlCharacters(message).trim());
  });
  try {
    await work(graphile, { connectionString: url, migrationsFolder: folder, pgSettings: PG_SETTINGS, logger });
  } catch (error) {
    const { code, detail, hint, _gmMessageOverride: place } = error as Error & Record<string, string | undefined>;
    const lines = [place && stripVTControlCharacters(place), ...(place ? [] : [(error as Error).message]), ...said.slice(0, place ? 0 : 1)];
    if (detail) lines.push(`detail: ${detail}`);
    if (hint) lines.push(`hint: ${hint}`);
    throw Object.assign(new Error(`migration failed: ${lines.filter(Boolean).join('\n')}`, { cause: error }), { code });
  } finally {
    // It keeps idle connections for 200 ms, which would block a copy of the database, and exits the process when one fails.
    clearAllPools();
  }
}
