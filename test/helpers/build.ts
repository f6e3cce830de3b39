import { execFile } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { withDirectoryLock } from '../../src/db/embedded/lock.ts';

/** The package's directory. */
export const PACKAGE_ROOT = path.resolve(import.meta.dirname, '../..');

const DIST = path.join(PACKAGE_ROOT, 'dist');
const MODULES = path.join(PACKAGE_ROOT, 'node_modules');
// Not inside dist, which ships.
const STAMP = path.join(MODULES, '.patchdiff-built');

/**
 * The directory `dist`, built of the present sources: tests of real processes run what ships. Built aside and swapped in, so
 * that a process which starts meanwhile never loads half a build; one process builds, others wait. Types are another check's
 * business. Throws with the compiler's words when it cannot emit.
 */
export async function built(): Promise<string> {
  return withDirectoryLock(MODULES, 120_000, async () => {
    if (isFresh()) return DIST;
    const started = new Date();
    const [aside, old] = [path.join(MODULES, '.dist-new'), path.join(MODULES, '.dist-old')];
    const tsc = path.join(MODULES, 'typescript', 'bin', 'tsc');
    try {
      await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--noCheck', '--outDir', aside], {
        cwd: PACKAGE_ROOT,
      });
      if (existsSync(DIST)) renameSync(DIST, old);
      renameSync(aside, DIST);
    } finally {
      for (const folder of [aside, old]) rmSync(folder, { recursive: true, force: true });
    }
    writeFileSync(STAMP, '');
    utimesSync(STAMP, started, started);
    return DIST;
  });
}

function isFresh(): boolean {
  if (!existsSync(STAMP) || !existsSync(path.join(DIST, 'cli', 'main.js'))) return false;
  const since = statSync(STAMP).mtimeMs;
  const sources = readdirSync(path.join(PACKAGE_ROOT, 'src'), { recursive: true, encoding: 'utf8' }).map((name) => path.join('src', name));
  return [...sources, 'tsconfig.json', 'tsconfig.build.json'].every((name) => statSync(path.join(PACKAGE_ROOT, name)).mtimeMs <= since);
}
