import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { withDirectoryLock } from '../../src/db/embedded/lock.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DIST = path.join(ROOT, 'dist');
// Not inside dist, which ships.
const STAMP = path.join(ROOT, 'node_modules', '.patchdiff-built');

/** The package's directory. */
export const PACKAGE_ROOT = ROOT;

/**
 * Compiles src to dist when dist is older, once for all test files that ask; types are another check's business.
 * Returns the directory: tests of real processes run what ships.
 */
export async function built(): Promise<string> {
  mkdirSync(DIST, { recursive: true });
  return withDirectoryLock(DIST, 120_000, async () => {
    const started = Date.now();
    if (existsSync(STAMP) && statSync(STAMP).mtimeMs >= newest(path.join(ROOT, 'src'))) return DIST;
    const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--noCheck'], { cwd: ROOT });
    writeFileSync(STAMP, '');
    const stamp = new Date(started);
    utimesSync(STAMP, stamp, stamp);
    return DIST;
  });
}

function newest(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return Math.max(0, ...entries.map((entry) => statSync(path.join(entry.parentPath, entry.name)).mtimeMs));
}
