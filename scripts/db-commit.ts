import { chmodSync, readdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { DATABASE_FOLDER } from '../src/db/committed.ts';
import { commitCurrent } from '../src/db/migrate.ts';
import { withThrowawayServer } from './throwaway.ts';

/**
 * `npm run db:commit -- "<message>"`: freezes db/current with its includes as the next file of db/committed, after running
 * it on a throw-away server, and leaves db/current with one empty file. A migration that fails changes nothing.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const message = argv.join(' ').trim();
  if (message === '') {
    process.stderr.write('usage: npm run db:commit -- "<what the migration does>"\n');
    return 2;
  }
  await withThrowawayServer((url) => commitCurrent({ main: url('patchdiff'), shadow: url('shadow'), root: url('postgres') }, message));
  const current = path.join(DATABASE_FOLDER, 'current');
  for (const name of readdirSync(current)) {
    if (/^\d+-current\.sql$/.test(name)) renameSync(path.join(current, name), path.join(current, '001-current.sql'));
  }
  const newest = readdirSync(path.join(DATABASE_FOLDER, 'committed'))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .at(-1);
  // graphile-migrate leaves it unreadable for other accounts.
  if (newest !== undefined) chmodSync(path.join(DATABASE_FOLDER, 'committed', newest), 0o444);
  process.stdout.write(`db/committed/${newest ?? ''}\n`);
  return 0;
}
