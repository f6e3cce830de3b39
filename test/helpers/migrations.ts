import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Writes a `db` folder whose committed migrations are these bodies, hashed as graphile-migrate hashes them. */
export function migrationsFolder(bodies: readonly string[]): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-migrations-'));
  mkdirSync(path.join(folder, 'committed'));
  let previous: string | null = null;
  for (const [index, body] of bodies.entries()) {
    const hashed: string = createHash('sha1')
      .update(`${`${previous ?? ''}\n${body.trim()}`.trim()}\n`)
      .digest('hex');
    const hash = `sha1:${hashed}`;
    const name = `${String(index + 1).padStart(6, '0')}-step.sql`;
    const header = `--! Previous: ${previous ?? '-'}\n--! Hash: ${hash}\n--! Message: step\n`;
    writeFileSync(path.join(folder, 'committed', name), `${header}\n${body.trim()}\n`);
    previous = hash;
  }
  return folder;
}
