import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { migrateWithCurrent } from '../src/db/migrate.ts';
import { blocksOf } from '../test/docs/blocks.ts';
import { withThrowawayServer } from './throwaway.ts';

const GUIDES = path.join(import.meta.dirname, '../docs/guides');
const DATABASE = 'guide';
const PASSWORD = 'guide';

/** The Python of a page as one program, each block where it stands on the page, so that a traceback names the page's own lines. */
function programOf(page: string): string {
  const lines: string[] = [];
  for (const { language, text, line } of blocksOf(page)) {
    if (language !== 'python') continue;
    while (lines.length < line) lines.push('');
    lines.push(...text.split('\n'));
  }
  return lines.join('\n');
}

/** A fresh database of the throw-away server with a login that may write; the login's URL. */
async function prepared(url: (database: string) => string): Promise<string> {
  const admin = new pg.Client({ connectionString: url('postgres') });
  await admin.connect();
  await admin.query(`create database ${DATABASE} encoding 'UTF8' template template0`);
  await admin.end();
  await migrateWithCurrent(url(DATABASE));
  const owner = new pg.Client({ connectionString: url(DATABASE) });
  await owner.connect();
  await owner.query(`create role guide login password '${PASSWORD}' in role patchdiff_writer`);
  await owner.end();
  const writer = new URL(url(DATABASE));
  writer.username = 'guide';
  writer.password = PASSWORD;
  return writer.href;
}

/**
 * `node scripts/run.mjs guide-python <interpreter>`: runs the Python of every guide, page by page, against an embedded server that exists only
 * meanwhile. The interpreter must have psycopg2.
 */
export async function main([interpreter]: readonly string[]): Promise<number> {
  if (interpreter === undefined) {
    process.stderr.write('usage: node scripts/run.mjs guide-python <python with psycopg2>\n');
    return 2;
  }
  const pages = readdirSync(GUIDES)
    .map((name) => ({ name, program: programOf(readFileSync(path.join(GUIDES, name), 'utf8')) }))
    .filter(({ program }) => program !== '');
  return withThrowawayServer(async (url) => {
    const env = { ...process.env, DATABASE_URL: await prepared(url), PYTHONDONTWRITEBYTECODE: '1' };
    let failed = 0;
    for (const { name, program } of pages) {
      // Compiled under the page's name: the lines of a traceback are the page's.
      const run = `import sys; exec(compile(sys.stdin.read(), ${JSON.stringify(`docs/guides/${name}`)}, 'exec'), {'__name__': '__main__'})`;
      const { status, stderr, error } = spawnSync(interpreter, ['-c', run], { env, input: program, encoding: 'utf8', timeout: 120_000 });
      process.stdout.write(
        `${status === 0 ? 'ok  ' : 'FAIL'} the Python of docs/guides/${name}\n${status === 0 ? '' : (error?.message ?? stderr)}`,
      );
      if (status !== 0) failed += 1;
    }
    return failed + (pages.length === 0 ? 1 : 0);
  });
}
