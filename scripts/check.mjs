// Every check that is not a test: runs them all, whatever fails, and shows what the ones that did had to say. `--only name,name` runs some.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';

const ROOT = join(import.meta.dirname, '..');
const BIN = join(ROOT, 'node_modules/.bin');

// Git keeps no empty folder: while the first migration is open, a clone has none.
const frozen = join(ROOT, 'db/committed');
const committed = existsSync(frozen) ? readdirSync(frozen).filter((name) => name.endsWith('.sql')) : [];

const CHECKS = [
  ['format', ['prettier', '--check', '--log-level', 'warn', '.']],
  ['lint', ['eslint', '--max-warnings', '0', '.']],
  ['types', ['tsc', '--noEmit', '-p', 'tsconfig.json']],
  ['rooms', ['depcruise', '--config', '.dependency-cruiser.mjs', 'src']],
  ['conventions', ['vitest', 'run', '--reporter=dot', 'test/conventions']],
  ['dead code', ['knip', '--no-progress']],
  ['near-miss kernel', [process.execPath, 'scripts/run.mjs', 'kernel', '--check']],
  ['db/schema.sql', [process.execPath, 'scripts/run.mjs', 'schema', '--check']],
  ['data model page', [process.execPath, 'scripts/run.mjs', 'data-model', '--check']],
  ...(committed.length === 0 ? [] : [['migrations', ['squawk', ...committed.map((name) => `db/committed/${name}`)]]]),
];

const only = process.argv.indexOf('--only');
const wanted = only === -1 ? CHECKS : CHECKS.filter(([name]) => process.argv[only + 1]?.split(',').includes(name));
if (wanted.length === 0) {
  console.error(`check: --only takes some of: ${CHECKS.map(([name]) => name).join(', ')}`);
  process.exit(2);
}

const failed = [];
for (const [name, [command, ...args]] of wanted) {
  const started = Date.now();
  const { status, error, stdout, stderr } = spawnSync(resolve(BIN, command), args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)${error === undefined ? '' : `: ${error.message}`}`);
  if (status === 0) continue;
  failed.push(name);
  console.log(`${stdout ?? ''}${stderr ?? ''}`);
}
console.log(failed.length === 0 ? `check: all ${String(wanted.length)} hold` : `check: failed: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
