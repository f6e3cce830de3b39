import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DIST = path.join(ROOT, 'dist');
const STAMP = path.join(DIST, '.built');

/**
 * Makes `dist` the build of the present sources, for tests that start the real process. Built aside and then swapped in, so
 * that a process which starts meanwhile never loads half a build. Throws with the compiler's words when it does not compile.
 */
export function buildDist(): void {
  if (isFresh()) return;
  const aside = path.join(ROOT, 'node_modules', `.dist-${process.pid}`);
  const old = `${aside}-old`;
  try {
    compile(aside);
    writeFileSync(path.join(aside, '.built'), '');
    if (existsSync(DIST)) renameSync(DIST, old);
    renameSync(aside, DIST);
  } finally {
    for (const folder of [aside, old]) rmSync(folder, { recursive: true, force: true });
  }
}

function compile(folder: string): void {
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', folder], { cwd: ROOT, encoding: 'utf8' });
  } catch (error) {
    throw new Error(`src does not compile:\n${(error as { stdout?: string }).stdout ?? ''}`, { cause: error });
  }
}

function isFresh(): boolean {
  if (!existsSync(STAMP)) return false;
  const built = statSync(STAMP).mtimeMs;
  const sources = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).map((name) => path.join('src', name));
  return [...sources, 'tsconfig.json', 'tsconfig.build.json'].every((name) => statSync(path.join(ROOT, name)).mtimeMs <= built);
}
