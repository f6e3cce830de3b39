import { committedMigrations, DATABASE_FOLDER } from './committed.ts';

export type RevisionState = 'current' | 'missing' | 'behind' | 'ahead' | 'edited';

export interface Revision {
  state: RevisionState;
  /** What is the case, in a sentence. */
  explanation: string;
  /** The command that mends it; null when there is nothing to mend. */
  command: string | null;
  /** How many migrations the database has, and how many this package brings. */
  applied: number;
  committed: number;
}

/** The least that reading the revision needs of a connection. */
export type RunQuery = (text: string) => Promise<readonly Record<string, unknown>[]>;

/** The login may not do what the service needs; the message names the grant. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
}

/** The server or the database is of a kind that this package does not run on. */
export class UnsupportedServerError extends Error {
  override readonly name = 'UnsupportedServerError';
}

/** Refuses, by an UnsupportedServerError that says what to do, a server older than PostgreSQL 16 or a database not in UTF-8. */
export async function requireSupportedServer(run: RunQuery): Promise<void> {
  const [row] = await run(
    `select current_setting('server_version_num')::integer as number, current_setting('server_version') as version,
      current_setting('server_encoding') as encoding, current_database() as database`,
  );
  if (Number(row?.['number']) < 160_000) {
    throw new UnsupportedServerError(`PostgreSQL ${String(row?.['version'])} is too old: PatchDIFF needs 16 or newer`);
  }
  if (row?.['encoding'] !== 'UTF8') {
    throw new UnsupportedServerError(
      `database ${String(row?.['database'])} is encoded in ${String(row?.['encoding'])}: PatchDIFF needs UTF8; ` +
        `create one with: create database patchdiff template template0 encoding 'UTF8'`,
    );
  }
}

/**
 * Compares every row of graphile-migrate's table with the committed files, by name and hash. Nothing is locked or
 * written. The connection must be able to read graphile_migrate.migrations (the writer may).
 */
export async function checkRevision(run: RunQuery, folder = DATABASE_FOLDER): Promise<Revision> {
  const files = committedMigrations(folder);
  const [table] = await run(
    `select has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as readable, current_user as login
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where n.nspname = 'graphile_migrate' and c.relname = 'migrations'`,
  );
  if (table?.['readable'] === false) {
    const login = String(table['login']);
    throw new AccessError(
      `the login ${login} is not a member of patchdiff_writer, or the database was never migrated; ` +
        `run: patchdiff db migrate, and as a superuser: grant patchdiff_writer to "${login}"`,
    );
  }
  const rows = table ? await run('select filename, hash from graphile_migrate.migrations order by filename') : [];
  const answer = (state: RevisionState, explanation: string, command: string | null): Revision => ({
    state,
    explanation,
    command,
    applied: rows.length,
    committed: files.length,
  });
  const broken = files.find((file) => !file.sound);
  if (broken) {
    return answer('edited', `the committed migration ${broken.file} was edited: its text does not hash to its header`, 'git checkout -- db/committed');
  }
  if (!table || (rows.length === 0 && files.length > 0)) {
    return answer('missing', 'the database has no PatchDIFF schema yet', 'patchdiff db migrate');
  }
  for (const [index, row] of rows.entries()) {
    const file = files.find((candidate) => candidate.filename === row['filename']);
    if (!file) continue;
    if (file.hash !== row['hash'] || files[index] !== file) {
      return answer(
        'edited',
        `the database ran another text of migration ${file.filename} than this package brings`,
        'npm install patchdiff@<the version that migrated this database>',
      );
    }
  }
  if (rows.length > files.length) {
    return answer('ahead', `the database has ${rows.length} migrations, this package only ${files.length}`, 'npm install patchdiff@latest');
  }
  const unknown = rows.find((row) => !files.some((file) => file.filename === row['filename']));
  if (unknown) {
    return answer('ahead', `the database ran migration ${String(unknown['filename'])}, which this package does not know`, 'npm install patchdiff@latest');
  }
  if (rows.length < files.length) {
    return answer('behind', `the database has ${rows.length} of ${files.length} migrations`, 'patchdiff db migrate');
  }
  return answer('current', `all ${files.length} migrations are applied`, null);
}
