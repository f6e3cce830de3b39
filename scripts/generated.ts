import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { migrateWithCurrent } from '../src/db/migrate.ts';
import { withThrowawayServer } from './throwaway.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

/**
 * Makes a generated file of the repository from a freshly migrated database, or with `--check` only compares: exit code 1
 * and the first differing line when the committed file is not what would be generated.
 */
export async function generateFile(name: string, argv: readonly string[], make: (client: pg.Client) => Promise<string>): Promise<number> {
  const made = await withThrowawayServer(async (url) => {
    await migrateWithCurrent(url('patchdiff'));
    const client = new pg.Client({ connectionString: url('patchdiff') });
    await client.connect();
    try {
      return await make(client);
    } finally {
      await client.end();
    }
  });
  const file = path.join(ROOT, name);
  if (argv.includes('--check')) {
    const stored = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (stored === made) return 0;
    process.stderr.write(`${name} is not what the migrations give: ${firstDifference(stored, made)}\n`);
    return 1;
  }
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, made);
  process.stdout.write(`${name}\n`);
  return 0;
}

function firstDifference(stored: string, made: string): string {
  const [one, other] = [stored.split('\n'), made.split('\n')];
  const at = one.findIndex((line, index) => line !== other[index]);
  const line = at < 0 ? one.length : at;
  return `line ${line + 1} is ${JSON.stringify(one[line] ?? '')}, and would be ${JSON.stringify(other[line] ?? '')}`;
}
