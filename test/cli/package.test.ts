import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { committedMigrations } from '../../src/db/committed.ts';
import { built, PACKAGE_ROOT } from '../helpers/build.ts';
import { runNode } from '../helpers/process.ts';

let base: string;
let installed: string;

const cli = (...args: string[]) =>
  runNode([path.join(installed, 'dist/cli/main.js'), ...args], {
    cwd: base,
    env: { PATH: process.env['PATH'], HOME: base, PATCHDIFF_HOME: path.join(base, 'home'), NO_COLOR: '1' },
  });

beforeAll(async () => {
  await built();
  base = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-package-'));
  chmodSync(base, 0o711);
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', base], { cwd: PACKAGE_ROOT });
  const { version } = JSON.parse(readFileSync(path.join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string };
  execFileSync('tar', ['-xzf', path.join(base, `patchdiff-${version}.tgz`), '-C', base]);
  installed = path.join(base, 'package');
  symlinkSync(path.join(PACKAGE_ROOT, 'node_modules'), path.join(installed, 'node_modules'));
});

afterAll(async () => {
  await cli('db', 'stop');
  rmSync(base, { recursive: true, force: true });
});

test('the package has what it needs to run and nothing of the workshop', () => {
  for (const part of ['dist/cli/main.js', 'dist/index.js', 'db/committed', 'docs/samples/field-notes.md', 'README.md', 'LICENSE']) {
    expect(existsSync(path.join(installed, part)), part).toBe(true);
  }
  for (const part of ['src', 'test', 'scripts', 'db/current', 'db/procedures', '.ci']) {
    expect(existsSync(path.join(installed, part)), part).toBe(false);
  }
  expect(readFileSync(path.join(installed, 'dist/cli/main.js'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
});

test('from the package alone the embedded database is initialised, migrated and found sound, and the demo holds', async () => {
  const started = await cli('db', 'start', '--json');
  expect(started.code, started.stderr).toBe(0);
  expect(JSON.parse(started.stdout)).toMatchObject({ how: 'initialised', migrations: committedMigrations().length });
  const doctor = await cli('doctor');
  expect(doctor.code, doctor.stdout).toBe(0);
  const demo = await cli('demo');
  expect(demo.code, demo.stdout + demo.stderr).toBe(0);
  expect((await cli('verify')).stdout).toBe('sound\n');
});
