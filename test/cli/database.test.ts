import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT, exitOfError } from '../../src/cli/exit.ts';
import { requireSupportedServer } from '../../src/db/revision.ts';
import { built } from '../helpers/build.ts';
import { commandLine, type Cli } from '../helpers/cli.ts';
import { useDatabase } from '../helpers/database.ts';
import { startNode } from '../helpers/process.ts';

const database = useDatabase();
let cwd: string;
let cli: Cli;

beforeAll(async () => {
  cwd = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-cli-'));
  chmodSync(cwd, 0o711);
  cli = await commandLine(() => ({ PATCHDIFF_HOME: path.join(cwd, 'home') }), cwd);
});

afterAll(async () => {
  await cli(['db', 'stop']);
  rmSync(cwd, { recursive: true, force: true });
});

test('exit codes are part of the interface', () => {
  const codes = {
    done: 0,
    failed: 1,
    usage: 2,
    workspace: 3,
    database: 4,
    revision: 5,
    refused: 6,
    notFound: 7,
    unsound: 8,
    interrupted: 130,
  };
  expect(EXIT).toEqual(codes);
});

test('help teaches, and a wrong command line is 2', async () => {
  const help = await cli(['--help']);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toMatch(/Start here:\n {2}patchdiff demo/);
  expect(help.stdout).toMatch(/Exit codes: 0 done/);
  expect((await cli(['db', 'migrate', '--help'])).stdout).toMatch(/PATCHDIFF_ADMIN_URL/);
  for (const flag of ['--help', '-h'])
    expect(await cli(['mcp', flag])).toMatchObject({ code: 0, stdout: expect.stringMatching(/--workspace/) as string, stderr: '' });
  expect((await cli(['db', 'url', '--nonsense'])).stderr).toMatch(/\n\(see patchdiff db url --help\)\n$/);
  expect((await cli([])).code).toBe(2);
  for (const args of [['nonsense'], ['read'], ['list', '--nonsense'], ['db', 'nonsense']]) {
    const { code, stderr } = await cli(args);
    expect(code, args.join(' ')).toBe(2);
    expect(stderr).toMatch(/^error: /);
  }
  expect((await cli(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('the embedded server is started, found, told about and stopped by commands', async () => {
  expect(await cli(['db', 'status'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^not initialised\n/) as string });
  expect((await cli(['db', 'url'])).code).toBe(4);
  const started = await cli(['db', 'start', '--json']);
  expect(started.code, started.stderr).toBe(0);
  const { port, how } = JSON.parse(started.stdout) as { port: number; how: string };
  expect(how).toBe('initialised');
  expect((await cli(['db', 'start'])).stdout).toMatch(/^attached: PostgreSQL on 127\.0\.0\.1:\d+/);
  expect((await cli(['db', 'url'])).stdout).toMatch(new RegExp(`^postgres://patchdiff_writer:[^@]+@127\\.0\\.0\\.1:${port}/patchdiff\n$`));
  expect((await cli(['db', 'url', '--admin'])).stdout).toMatch(/^postgres:\/\/postgres:/);
  expect((await cli(['db', 'migrate'])).code).toBe(0);
  expect(JSON.parse((await cli(['db', 'status', '--json'])).stdout)).toMatchObject({ initialised: true, running: true, port });
  expect(await cli(['db', 'stop'])).toMatchObject({ code: 0, stdout: 'stopped\n' });
  expect(await cli(['db', 'stop'])).toMatchObject({ code: 0, stdout: 'not running\n' });
});

test('doctor passes on a sound database, as text and as JSON', async () => {
  const env = { DATABASE_URL: database.url('writer') };
  const { code, stdout } = await cli(['doctor'], env);
  expect(code, stdout).toBe(0);
  expect(stdout).toMatch(
    /^ok +node: v\d+.*\nok +connection: PostgreSQL \d+.*\nok +revision: .*\nok +DDL guards: 3 event triggers are active\n$/,
  );
  const checks = (JSON.parse((await cli(['doctor', '--json'], env)).stdout) as { checks: { state: string }[] }).checks;
  expect(checks.map((check) => check.state)).toEqual(['ok', 'ok', 'ok', 'ok']);
});

test('an unreachable database is 4 and named without its password', async () => {
  const env = { DATABASE_URL: 'postgres://someone:secret@127.0.0.1:1/nowhere' };
  const { code, stderr, stdout } = await cli(['list', '--json'], env);
  expect(code).toBe(4);
  expect(stderr).toMatch(/cannot connect to someone@127\.0\.0\.1:1\/nowhere/);
  expect(stderr).toMatch(/; start that server, or correct what names it/);
  expect(stderr + stdout).not.toContain('secret');
  expect(JSON.parse(stdout)).toMatchObject({ status: 'error', exit: 4 });
  expect((await cli(['doctor'], env)).code).toBe(4);
  const migrate = await cli(['db', 'migrate'], env);
  expect(migrate.code).toBe(4);
  expect(migrate.stderr).toMatch(/^patchdiff: cannot connect to someone@127\.0\.0\.1:1\/nowhere: .*\n$/);
  const wrong = new URL(database.url('writer'));
  wrong.username = 'nobody_of_this_name';
  expect((await cli(['db', 'migrate'], { DATABASE_URL: wrong.href })).code).toBe(4);
});

test('a database that PatchDIFF cannot run on is 4', async () => {
  const admin = await database.client('admin');
  const name = `${database.name}_ascii`;
  await admin.query(`create database ${name} template template0 encoding 'SQL_ASCII' locale_provider libc locale 'C'`);
  try {
    const url = new URL(database.url('admin'));
    url.pathname = `/${name}`;
    for (const args of [['list'], ['demo'], ['db', 'migrate'], ['doctor']]) {
      const { code, stderr, stdout } = await cli(args, { DATABASE_URL: url.href });
      expect(code, args.join(' ')).toBe(4);
      expect(stderr + stdout).toMatch(/is encoded in SQL_ASCII: PatchDIFF needs UTF8/);
    }
  } finally {
    await admin.query(`drop database ${name} with (force)`);
  }
  const old = () => Promise.resolve([{ number: 150_010, version: '15.10', encoding: 'UTF8', database: 'x' }]);
  const error: unknown = await requireSupportedServer(old).catch((thrown: unknown) => thrown);
  expect((error as Error).message).toMatch(/15\.10 is too old/);
  expect(exitOfError(error)).toBe(4);
});

test('a URL of no use is said by its variable and shape, never by its value', async () => {
  for (const url of [
    'nonsense',
    'host=a port=1 password=secret',
    'mysql://u:secret@h/d',
    'postgres://h/d',
    'postgres://u:secret#@h/d',
    'postgres://u:%zzsecret@h/d',
  ]) {
    const { code, stderr } = await cli(['db', 'migrate'], { DATABASE_URL: url });
    expect(code, url).toBe(4);
    expect(stderr).toMatch(/^patchdiff: DATABASE_URL must look like postgres:\/\/user:password@host:port\/database .*\n$/);
    expect(stderr).not.toContain('secret');
  }
  expect((await cli(['db', 'migrate'], { PATCHDIFF_ADMIN_URL: 'nonsense' })).stderr).toMatch(/^patchdiff: PATCHDIFF_ADMIN_URL must look/);
  expect((await cli(['doctor'], { DATABASE_URL: 'nonsense' })).stdout).toMatch(/fault +connection: DATABASE_URL must look like/);
});

test('a home that cannot be one is 4 and named', async () => {
  const file = path.join(cwd, 'file');
  writeFileSync(file, '');
  for (const home of [file, path.join(file, 'below'), ...(process.platform === 'linux' ? ['/proc/patchdiff'] : [])]) {
    const { code, stderr } = await cli(['db', 'start'], { PATCHDIFF_HOME: home });
    expect(code, home).toBe(4);
    expect(stderr).toContain(`patchdiff: PATCHDIFF_HOME ${home} cannot be used`);
  }
  expect((await cli(['db', 'status'], { PATCHDIFF_HOME: file })).code).toBe(4);
});

test('doctor makes no database, and names the command that does', async () => {
  const home = path.join(cwd, 'untouched');
  const { code, stdout } = await cli(['doctor'], { PATCHDIFF_HOME: home });
  expect(code).toBe(0);
  expect(stdout).toMatch(/warning +embedded server: .*: no embedded database yet\n +run: patchdiff db start\n$/);
  expect(existsSync(home)).toBe(false);
});

test('with a database named, commands about the embedded server say so, and --admin gives the admin its URL', async () => {
  const env = { DATABASE_URL: database.url('writer'), PATCHDIFF_HOME: path.join(cwd, 'untouched') };
  for (const command of ['status', 'stop']) {
    expect((await cli(['db', command], env)).stderr).toMatch(/^DATABASE_URL is set .* concerns the embedded server only/);
  }
  const admin = 'postgres://boss:p@127.0.0.1:1/x';
  expect(await cli(['db', 'url', '--admin'], { ...env, PATCHDIFF_ADMIN_URL: admin })).toMatchObject({
    code: 0,
    stdout: `${admin}\n`,
    stderr: '',
  });
  const same = await cli(['db', 'url', '--admin'], env);
  expect(same.stdout).toBe(`${env.DATABASE_URL}\n`);
  expect(same.stderr).toMatch(/PATCHDIFF_ADMIN_URL is not set/);
});

test('a database that is not at this revision is 5, with the command that mends it', async () => {
  const admin = await database.client('admin');
  await admin.query("insert into graphile_migrate.migrations (hash, filename) values ('sha1:future', '999999.sql')");
  try {
    const env = { DATABASE_URL: database.url('writer') };
    const { code, stderr } = await cli(['list'], env);
    expect(code).toBe(5);
    expect(stderr).toMatch(/run: npm install patchdiff@latest/);
    expect((await cli(['doctor'], env)).code).toBe(5);
    expect((await cli(['db', 'migrate'], { DATABASE_URL: database.url('admin') })).code).toBe(5);
  } finally {
    await admin.query("delete from graphile_migrate.migrations where filename = '999999.sql'");
  }
});

test('a superuser or an owner is served as a writer, with a warning; an owner that may not be one is told the grant', async () => {
  const superuser = await cli(['list'], { DATABASE_URL: database.url('admin') });
  expect(superuser.stderr).toMatch(/logs in as a superuser \(\w+\); serving with "set role patchdiff_writer"/);
  expect(superuser.code).toBe(0);

  const env = { DATABASE_URL: database.url('owner').replace(/\?options=.*/, '') };
  const refused = await cli(['list'], env);
  expect(refused.code).toBe(4);
  const grant = /grant patchdiff_writer to "(\w+)"/.exec(refused.stderr)?.[0] as string;
  const admin = await database.client('admin');
  await admin.query(grant);
  const served = await cli(['list'], env);
  expect(served.stderr).toMatch(/logs in as an owner/);
  expect(served.code).toBe(0);
  await admin.query(grant.replace('grant', 'revoke').replace(' to ', ' from '));
});

test('libpq variables and a service file name a database too', async () => {
  const url = new URL(database.url('writer'));
  const env = { PGHOST: url.hostname, PGPORT: url.port, PGUSER: url.username, PGPASSWORD: url.password, PGDATABASE: database.name };
  expect((await cli(['list'], env)).stdout).toBe('no documents\n');
  const file = path.join(cwd, 'services.conf');
  const lines = [
    '[other]',
    'host=nowhere',
    '',
    '[ours]',
    `host=${url.hostname}`,
    `port=${url.port}`,
    `user=${url.username}`,
    `password=${url.password}`,
    `dbname=${database.name}`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  expect((await cli(['list'], { PGSERVICE: 'ours', PGSERVICEFILE: file })).stdout).toBe('no documents\n');
  expect((await cli(['list'], { PGSERVICE: 'none', PGSERVICEFILE: file })).stderr).toMatch(/PGSERVICE names "none"/);
});

test('psql is said to be missing when it is', async () => {
  const { code, stderr } = await cli(['db', 'psql'], { DATABASE_URL: database.url('writer'), PATH: cwd });
  expect(code).toBe(1);
  expect(stderr).toMatch(/psql is not installed/);
});

test('a reader that goes away is no error', async () => {
  const program = path.join(await built(), 'cli', 'main.js');
  const { child, ended } = startNode([program, '--help'], { env: { PATH: process.env['PATH'] } });
  child.stdout?.destroy();
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});
