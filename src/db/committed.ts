import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A frozen migration as the package ships it. */
export interface CommittedMigration {
  /** The name that graphile-migrate records: the number alone, `000001.sql`. */
  filename: string;
  file: string;
  hash: string;
  /** False when the text does not hash to what its own header says, or does not follow its predecessor. */
  sound: boolean;
}

/** The package's `db` directory: beside `src` in a checkout, beside `dist` in an installation. */
export const DATABASE_FOLDER = fileURLToPath(new URL('../../db', import.meta.url));

/** The committed migrations in order. Their byte format and hash are graphile-migrate's (its FORMATS.md). */
export function committedMigrations(folder = DATABASE_FOLDER): CommittedMigration[] {
  const committed = path.join(folder, 'committed');
  if (!existsSync(committed)) return [];
  const files = readdirSync(committed).filter((name) => /^[0-9]+(-[-_a-zA-Z0-9]*)?\.sql$/.test(name)).sort();
  let previous = '';
  return files.map((name) => {
    const file = path.join(committed, name);
    const text = readFileSync(file, 'utf8');
    const header = /^(?:--! [A-Z][a-zA-Z0-9_]*(?::.*)?\n)*/.exec(text)?.[0] ?? '';
    const stated = /^--! Hash: *(\S+)$/m.exec(header)?.[1] ?? '';
    const statedPrevious = /^--! Previous: *(\S+)$/m.exec(header)?.[1] ?? '';
    const body = text.slice(header.length).trim();
    const hash = `sha1:${createHash('sha1').update(`${`${previous}\n${body}`.trim()}\n`).digest('hex')}`;
    const sound = hash === stated && statedPrevious === (previous || '-');
    previous = stated;
    return { filename: `${name.split(/[-.]/)[0]}.sql`, file, hash: stated, sound };
  });
}
