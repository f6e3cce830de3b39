import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverAccount, type Account } from './account.ts';
import { usableBinaries } from './binaries.ts';
import { initialiseCluster, isInitialised, serverEnvironment } from './cluster.ts';
import { EmbeddedServerError } from './error.ts';
import { homePaths, makeHome, type HomePaths } from './home.ts';
import { withDirectoryLock } from './lock.ts';
import { clearRecycledPid, isPostmasterOf, readPostmaster, type Postmaster } from './postmaster.ts';
import { answers, provision, serverUrls, type ServerUrls } from './provision.ts';

export interface RunningServer extends ServerUrls {
  how: 'initialised' | 'started' | 'attached';
  pid: number;
  port: number;
}

export interface ServerStatus {
  home: string;
  initialised: boolean;
  running: boolean;
  pid: number | null;
  port: number | null;
  log: string;
}

const LOCK_TIMEOUT_MS = 180_000;
const RECOVERY_TIMEOUT_MS = 150_000;
// The port was taken a moment ago, another server holds the pid file, or a killed server's backends still hold its memory.
const PASSING_FAULT = /Address already in use|lock file "postmaster.pid"|shared memory block/;
const LOG_LIMIT_BYTES = 8 * 1024 * 1024;

/**
 * The running embedded server of this home: attached to when it runs, else started, else initialised first. The server
 * outlives this process. Any number of processes may call it at once; one starts, the others attach.
 * `durable: false` trades every durability guarantee for speed (tests). Throws with the reason when it cannot run.
 */
export async function ensureServer(options: { home: string; durable?: boolean }): Promise<RunningServer> {
  const account = serverAccount();
  const paths = makeHome(options.home, account);
  const running = ours(paths);
  if (running?.status === 'ready') {
    const urls = serverUrls(paths, running.port);
    if (await answers(urls)) return { ...urls, how: 'attached', pid: running.pid, port: running.port };
  }
  return withDirectoryLock(paths.root, LOCK_TIMEOUT_MS, () => startOrAttach(paths, account, options.durable ?? true));
}

/** Stops the server of this home and waits for its end; false when none was running. */
export async function stopServer(options: { home: string }): Promise<boolean> {
  if (!existsSync(options.home)) return false;
  const paths = homePaths(options.home);
  return withDirectoryLock(paths.root, LOCK_TIMEOUT_MS, async () => {
    const running = ours(paths);
    if (!running) return false;
    // SIGINT is PostgreSQL's fast shutdown: sessions end, transactions roll back, everything is flushed.
    process.kill(running.pid, 'SIGINT');
    await gone(paths, running.pid, 60_000);
    return true;
  });
}

/** What is known of the server of this home, without starting or waiting for anything. */
export function serverStatus(options: { home: string }): ServerStatus {
  const absent = { home: options.home, initialised: false, running: false, pid: null, port: null };
  if (!existsSync(options.home)) return { ...absent, log: path.join(options.home, 'server.log') };
  const paths = homePaths(options.home);
  const running = ours(paths);
  return {
    home: paths.root,
    initialised: existsSync(paths.cluster),
    running: running?.status === 'ready',
    pid: running?.pid ?? null,
    port: running?.port ?? null,
    log: paths.log,
  };
}

/** The URLs of the server of this home when it runs, else null. */
export function runningUrls(options: { home: string }): ServerUrls | null {
  const { running, port } = serverStatus(options);
  return running && port !== null ? serverUrls(homePaths(options.home), port) : null;
}

async function startOrAttach(paths: HomePaths, account: Account, durable: boolean): Promise<RunningServer> {
  let how: RunningServer['how'] = 'attached';
  let running = await settled(paths);
  if (!running) {
    how = 'started';
    const native = await usableBinaries(paths.root, account);
    if (!isInitialised(paths)) {
      how = 'initialised';
      await initialiseCluster(paths, native, account, durable);
    }
    running = await start(paths, native, account);
  }
  const urls = serverUrls(paths, running.port);
  if (!(await answers(urls))) await provision(paths, urls);
  return { ...urls, how, pid: running.pid, port: running.port };
}

/** The living server of this home, whatever its state. */
function ours(paths: HomePaths): Postmaster | null {
  const postmaster = readPostmaster(paths.data);
  return postmaster && isPostmasterOf(postmaster.pid, paths.data) ? postmaster : null;
}

/** Waits until a living server is ready (its starter may have died meanwhile) or has gone: then null. */
async function settled(paths: HomePaths): Promise<Postmaster | null> {
  const deadline = Date.now() + RECOVERY_TIMEOUT_MS;
  for (let running = ours(paths); running; running = ours(paths)) {
    if (running.status === 'ready') return running;
    if (Date.now() > deadline) throw new EmbeddedServerError(`PostgreSQL (pid ${running.pid}) has not become ready; see ${paths.log}`);
    await sleep(30);
  }
  return null;
}

async function start(paths: HomePaths, native: string, account: Account): Promise<Postmaster> {
  if (existsSync(paths.log) && statSync(paths.log).size > LOG_LIMIT_BYTES) renameSync(paths.log, `${paths.log}.1`);
  let port = await usablePort(notedPort(paths));
  const deadline = Date.now() + 15_000;
  for (;;) {
    clearRecycledPid(paths.data);
    const logStart = existsSync(paths.log) ? statSync(paths.log).size : 0;
    const started = await launch(paths, native, account, port);
    if (started) {
      writeFileSync(paths.port, `${started.port}\n`);
      return started;
    }
    const said = readFileSync(paths.log).subarray(logStart).toString('utf8').trim();
    if (Date.now() > deadline || !PASSING_FAULT.test(said)) {
      throw new EmbeddedServerError(`PostgreSQL did not start. It said:\n${said}\n(${paths.log})`);
    }
    await sleep(200);
    port = await usablePort(0);
  }
}

/** Starts the server in a session of its own and waits until it is ready; null when it ended instead. */
async function launch(paths: HomePaths, native: string, account: Account, port: number): Promise<Postmaster | null> {
  const log = openSync(paths.log, 'a', 0o600);
  const child = spawn(path.join(native, 'bin', 'postgres'), ['-D', paths.data, '-p', String(port)], {
    ...account.spawn,
    cwd: '/',
    env: serverEnvironment(paths),
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let ended = false;
  child.once('error', () => (ended = true));
  child.once('exit', () => (ended = true));
  child.unref();
  const deadline = Date.now() + RECOVERY_TIMEOUT_MS;
  while (!ended) {
    const postmaster = readPostmaster(paths.data);
    if (postmaster?.pid === child.pid && postmaster?.status === 'ready') return postmaster;
    if (Date.now() > deadline) {
      child.kill('SIGINT');
      throw new EmbeddedServerError(`PostgreSQL has not become ready in ${RECOVERY_TIMEOUT_MS / 1000} s; see ${paths.log}`);
    }
    await sleep(15);
  }
  return null;
}

async function gone(paths: HomePaths, pid: number, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (isPostmasterOf(pid, paths.data)) {
    if (Date.now() > deadline) throw new EmbeddedServerError(`PostgreSQL (pid ${pid}) has not stopped in ${timeoutMs / 1000} s; see ${paths.log}`);
    await sleep(20);
  }
}

function notedPort(paths: HomePaths): number {
  const noted = existsSync(paths.port) ? Number(readFileSync(paths.port, 'utf8')) : 0;
  return Number.isInteger(noted) && noted > 0 && noted < 65_536 ? noted : 0;
}

/** The preferred port when it is free, else a free one; 0 asks for any. Free now is not reserved: a start may still fail on it. */
function usablePort(preferred: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', (error) => {
      if (preferred === 0) reject(error);
      else resolve(usablePort(0));
    });
    probe.listen({ port: preferred, host: '127.0.0.1', exclusive: true }, () => {
      const { port } = probe.address() as net.AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
