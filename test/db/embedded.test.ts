import { spawn, type SpawnOptions } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serverAccount, type Account } from '../../src/db/embedded/account.ts';
import { firstBarrier, makeHome } from '../../src/db/embedded/home.ts';
import { ensureServer, serverStatus, stopServer, type RunningServer } from '../../src/db/embedded/index.ts';
import { built } from '../helpers/build.ts';
import { restoreWritePermission, stageInstallation } from '../helpers/installation.ts';
import { runNode, startNode } from '../helpers/process.ts';

const asRoot = process.getuid?.() === 0;
const homes: string[] = [];
let base: string;
let dist: string;

beforeAll(async () => {
  base = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-embedded-'));
  chmodSync(base, 0o711);
  dist = await built();
});

afterAll(async () => {
  for (const home of homes) await stopServer({ home });
  restoreWritePermission(base);
  rmSync(base, { recursive: true, force: true });
});

function newHome(): string {
  const home = path.join(base, `home-${homes.length}`);
  homes.push(home);
  return home;
}

const start = (home: string) => ensureServer({ home, durable: false });

/** A process of its own that calls ensureServer and prints what it got. */
const ensureScript = (home: string, from = dist, then = '') => [
  '--input-type=module',
  '-e',
  `import { ensureServer } from ${JSON.stringify(path.join(from, 'db/embedded/index.js'))};
   console.log(JSON.stringify(await ensureServer({ home: ${JSON.stringify(home)}, durable: false })));
   ${then}`,
];

async function ensureInProcess(home: string, options: SpawnOptions = {}, from = dist): Promise<RunningServer> {
  const { stdout, stderr, code } = await runNode(ensureScript(home, from), options);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as RunningServer;
}

async function ask<T>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}

async function untilGone(pid: number): Promise<void> {
  while (existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '') await sleep(10);
}

test('initialises, attaches, stops, starts again on the same port', async () => {
  const home = newHome();
  expect(serverStatus({ home })).toMatchObject({ initialised: false, running: false, pid: null });
  expect(await stopServer({ home })).toBe(false);

  const first = await start(home);
  expect(first.how).toBe('initialised');
  expect(serverStatus({ home })).toMatchObject({ initialised: true, running: true, pid: first.pid, port: first.port });
  const second = await ensureInProcess(home);
  expect(second).toEqual({ ...first, how: 'attached' });

  expect(await stopServer({ home })).toBe(true);
  expect(serverStatus({ home })).toMatchObject({ initialised: true, running: false, pid: null });
  await expect(ask(first.writerUrl, 'select 1')).rejects.toThrow();

  const third = await start(home);
  expect(third).toMatchObject({ how: 'started', port: first.port, writerUrl: first.writerUrl });
});

test('is UTF-8 with a fixed locale, scram only, on the loopback address only, with private passwords', async () => {
  const home = newHome();
  const server = await start(home);
  const [row] = await ask<Record<string, string>>(
    server.adminUrl,
    `select current_setting('server_encoding') as encoding, d.datlocprovider as provider, d.datlocale as locale,
      current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
      current_setting('password_encryption') as password, (select string_agg(distinct auth_method, ',') from pg_hba_file_rules) as methods
    from pg_database as d where d.datname = current_database()`,
  );
  expect(row).toEqual({
    encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8', addresses: '127.0.0.1', sockets: '', password: 'scram-sha-256', methods: 'scram-sha-256',
  });
  for (const name of ['admin-password', 'writer-password']) {
    expect(statSync(path.join(home, 'cluster', name)).mode & 0o777).toBe(0o600);
  }
  expect(statSync(path.join(home, 'cluster', 'data')).mode & 0o777).toBe(0o700);
  expect(new URL(server.adminUrl).password).not.toBe(new URL(server.writerUrl).password);
  await expect(ask(server.writerUrl.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow(/password authentication failed/);
});

test('the server logs in as a writer that is no superuser, and open transactions end', async () => {
  const server = await start(newHome());
  const [login] = await ask(
    server.writerUrl,
    `select current_user as name, r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolbypassrls, r.rolreplication,
      current_setting('idle_in_transaction_session_timeout') as idle from pg_roles as r where r.rolname = current_user`,
  );
  expect(login).toEqual({
    name: 'patchdiff_writer', rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolbypassrls: false, rolreplication: false, idle: '1min',
  });
});

test('survives the death of the process that started it', async () => {
  const home = newHome();
  const { child, ended } = startNode(ensureScript(home, dist, 'setInterval(() => {}, 1000);'));
  const server = await new Promise<RunningServer>((resolve) => {
    child.stdout?.on('data', (text: string) => resolve(JSON.parse(text) as RunningServer));
  });
  process.kill(child.pid as number, 'SIGKILL');
  expect((await ended).signal).toBe('SIGKILL');
  expect(await ask(server.writerUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(await start(home)).toMatchObject({ how: 'attached', pid: server.pid });
});

test('recovers what was committed when PostgreSQL itself is killed', async () => {
  const home = newHome();
  const server = await ensureServer({ home });
  await ask(server.adminUrl, 'create table kept as select 7 as n');
  process.kill(server.pid, 'SIGKILL');
  await untilGone(server.pid);
  const again = await start(home);
  expect(again.how).toBe('started');
  expect(await ask(again.adminUrl, 'select n from kept')).toEqual([{ n: 7 }]);
});

test('of several processes that start at once on an empty home one initialises and the others attach', async () => {
  const home = newHome();
  const servers = await Promise.all([1, 2, 3].map(() => ensureInProcess(home)));
  expect(servers.map((server) => server.how).sort()).toEqual(['attached', 'attached', 'initialised']);
  expect(new Set(servers.map((server) => server.pid)).size).toBe(1);
  await Promise.all(servers.map((server) => ask(server.writerUrl, 'select 1')));
});

test('of several processes that start at once on a stopped server one starts it', async () => {
  const home = newHome();
  await start(home);
  await stopServer({ home });
  const servers = await Promise.all([1, 2, 3].map(() => ensureInProcess(home)));
  expect(servers.map((server) => server.how).sort()).toEqual(['attached', 'attached', 'started']);
});

test('the lock of a killed holder is free', async () => {
  const home = newHome();
  mkdirSync(home, { mode: 0o711 });
  const { child, ended } = startNode([
    '--input-type=module',
    '-e',
    `import { withDirectoryLock } from ${JSON.stringify(path.join(dist, 'db/embedded/lock.js'))};
     await withDirectoryLock(${JSON.stringify(home)}, 1000, () => { console.log('held'); return new Promise((never) => setTimeout(never, 600000)); });`,
  ]);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  const waiting = start(home);
  await sleep(200);
  expect(existsSync(path.join(home, 'cluster'))).toBe(false);
  process.kill(child.pid as number, 'SIGKILL');
  await ended;
  expect((await waiting).how).toBe('initialised');
});

test('a pid file whose number another process has now does not keep the server down', async () => {
  const home = newHome();
  const server = await start(home);
  const file = path.join(home, 'cluster', 'data', 'postmaster.pid');
  const content = readFileSync(file, 'utf8');
  process.kill(server.pid, 'SIGKILL');
  await untilGone(server.pid);
  // Owned by the server's account, because PostgreSQL ignores numbers that it may not signal.
  const account = serverAccount();
  const bystander = spawn('sleep', ['600'], { ...account.spawn });
  try {
    writeFileSync(file, content.replace(/^\d+/, () => String(bystander.pid)));
    expect(serverStatus({ home })).toMatchObject({ running: false, pid: null });
    const again = await start(home);
    expect(again.how).toBe('started');
    expect(bystander.exitCode).toBeNull();
  } finally {
    bystander.kill();
  }
});

test('an interrupted first initialisation leaves nothing in the way', async () => {
  const home = newHome();
  mkdirSync(path.join(home, 'init-dead', 'data'), { recursive: true, mode: 0o711 });
  chmodSync(home, 0o711);
  expect((await start(home)).how).toBe('initialised');
  expect(existsSync(path.join(home, 'init-dead'))).toBe(false);
});

test('runs from an installation whose install scripts were blocked and which is read-only, as an ordinary user', async () => {
  const installation = await stageInstallation(path.join(base, 'read-only'), { readOnly: true });
  const account = serverAccount();
  const home = newHome();
  mkdirSync(home, { mode: 0o700 });
  chownSync(home, account.uid, account.gid);
  const user = { ...account.spawn, cwd: '/', env: { PATH: process.env['PATH'], HOME: home } };
  const server = await ensureInProcess(home, user, path.join(installation, 'dist'));
  expect(server.how).toBe('initialised');
  expect(statSync(path.join(home, 'cluster', 'data')).uid).toBe(account.uid);
  expect(await ask(server.writerUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  // The library links could not be made in the installation, so a private copy has them.
  expect(existsSync(path.join(home, 'postgresql-18.4.0-beta.17', 'native', 'bin', 'postgres'))).toBe(true);
});

test('an installation in a directory that is closed to others serves by a private copy when the account drops', async () => {
  const closed = path.join(base, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  const installation = await stageInstallation(path.join(closed, 'package'));
  const home = newHome();
  const server = await ensureInProcess(home, {}, path.join(installation, 'dist'));
  expect(server.how).toBe('initialised');
  expect(statSync(path.join(home, 'cluster', 'data')).uid).toBe(serverAccount().uid);
  const [program] = readFileSync(`/proc/${server.pid}/cmdline`, 'utf8').split('\0');
  expect(program?.startsWith(asRoot ? `${home}/postgresql-` : installation)).toBe(true);
});

test('a home that the dropped account cannot reach is refused, naming the directory that is in the way', () => {
  const closed = path.join(base, 'closed-home');
  mkdirSync(closed, { mode: 0o700 });
  const stranger: Account = { name: 'stranger', uid: 4_000_001, gid: 4_000_001, dropped: true, spawn: {} };
  expect(() => makeHome(path.join(closed, 'home'), stranger)).toThrow(`${closed} may be entered by others only`);
  expect(firstBarrier(base, stranger)).toBeNull();
});

test('says what PostgreSQL said when it cannot start', async () => {
  const home = newHome();
  await start(home);
  await stopServer({ home });
  const configuration = path.join(home, 'cluster', 'data', 'postgresql.conf');
  const sound = readFileSync(configuration, 'utf8');
  writeFileSync(configuration, `${sound}\nno_such_parameter = 1\n`);
  await expect(start(home)).rejects.toThrow(/unrecognized configuration parameter "no_such_parameter"/);
  writeFileSync(configuration, sound);
});
