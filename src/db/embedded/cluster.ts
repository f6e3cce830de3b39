import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.ts';
import { EmbeddedServerError } from './error.ts';
import type { HomePaths } from './home.ts';

const run = promisify(execFile);

/** The environment of PostgreSQL's programs: nothing of the caller's may reach the server (PG* would). */
export function serverEnvironment(paths: HomePaths): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C', HOME: paths.root };
}

/**
 * Initialises the cluster with fresh passwords. It is built beside its place and moved there by one rename, so that an
 * interrupted attempt leaves no half of one; leftovers of such attempts are removed. Call it under the home's lock.
 */
export async function initialiseCluster(paths: HomePaths, native: string, account: Account, durable: boolean): Promise<void> {
  for (const name of readdirSync(paths.root)) {
    if (/^(init|copy)-/.test(name)) rmSync(path.join(paths.root, name), { recursive: true, force: true });
  }
  const stage = mkdtempSync(path.join(paths.root, 'init-'));
  chmodSync(stage, account.dropped ? 0o711 : 0o700);
  const data = path.join(stage, 'data');
  mkdirSync(data, { mode: 0o700 });
  const adminPassword = path.join(stage, path.basename(paths.adminPassword));
  writePassword(adminPassword);
  writePassword(path.join(stage, path.basename(paths.writerPassword)));
  if (account.dropped) {
    chownSync(data, account.uid, account.gid);
    chownSync(adminPassword, account.uid, account.gid);
  }
  try {
    await run(
      path.join(native, 'bin', 'initdb'),
      [
        '-D', data, '-U', 'postgres', '-E', 'UTF8',
        '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8',
        '--auth=scram-sha-256', `--pwfile=${adminPassword}`, '--no-instructions',
        ...(durable ? [] : ['--no-sync']),
      ],
      { ...account.spawn, cwd: '/', env: serverEnvironment(paths) },
    );
  } catch (error) {
    rmSync(stage, { recursive: true, force: true });
    const { stderr, message } = error as Error & { stderr?: string };
    throw new EmbeddedServerError(`initdb failed: ${(stderr || message).trim()}`, { cause: error });
  }
  if (account.dropped) chownSync(adminPassword, 0, 0);
  appendFileSync(path.join(data, 'postgresql.conf'), configuration(durable));
  renameSync(stage, paths.cluster);
}

/** Whether the home holds a cluster that was initialised to the end. */
export function isInitialised(paths: HomePaths): boolean {
  return existsSync(path.join(paths.data, 'PG_VERSION'));
}

function writePassword(file: string): void {
  writeFileSync(file, `${randomBytes(18).toString('base64url')}\n`, { mode: 0o600 });
}

function configuration(durable: boolean): string {
  const lines = [
    '',
    "listen_addresses = '127.0.0.1'",
    "unix_socket_directories = ''",
    'max_connections = 100',
    "timezone = 'UTC'",
    "log_timezone = 'UTC'",
  ];
  // A server that may lose everything: tests only.
  if (!durable) lines.push('fsync = off', 'synchronous_commit = off', 'full_page_writes = off', 'autovacuum = off');
  return `${lines.join('\n')}\n`;
}
