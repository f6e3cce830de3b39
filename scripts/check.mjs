// Every check that is not a test: runs them all, two at a time, whatever fails, and shows what the ones that did had to say.
// `--only name,name` runs some, `--without name,name` the others.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';

const ROOT = join(import.meta.dirname, '..');
const BIN = join(ROOT, 'node_modules/.bin');

// Git keeps no empty folder: while the first migration is open, a clone has none.
const frozen = join(ROOT, 'db/committed');
const committed = existsSync(frozen) ? readdirSync(frozen).filter((name) => name.endsWith('.sql')) : [];

// The longest first, so that the others run beside it.
const CHECKS = [
  ['lint', ['eslint', '--max-warnings', '0', '.']],
  ['format', ['prettier', '--check', '--log-level', 'warn', '.']],
  ['types', ['tsc', '--noEmit', '-p', 'tsconfig.json']],
  ['rooms', ['depcruise', '--config', '.dependency-cruiser.mjs', 'src']],
  ['conventions', ['vitest', 'run', '--reporter=dot', 'test/conventions']],
  ['dead code', ['knip', '--no-progress']],
  ['near-miss kernel', [process.execPath, 'scripts/run.mjs', 'kernel', '--check']],
  ['db/schema.sql', [process.execPath, 'scripts/run.mjs', 'schema', '--check']],
  ['data model page', [process.execPath, 'scripts/run.mjs', 'data-model', '--check']],
  ...(committed.length === 0 ? [] : [['migrations', ['squawk', ...committed.map((name) => `db/committed/${name}`)]]]),
];

/** The names behind an option; null: it was not given. */
const namesOf = (option) => (process.argv.includes(option) ? (process.argv[process.argv.indexOf(option) + 1]?.split(',') ?? []) : null);
const [only, without] = [namesOf('--only'), namesOf('--without')];
const wanted = CHECKS.filter(([name]) => (only?.includes(name) ?? true) && !(without?.includes(name) ?? false));
const unknown = [...(only ?? []), ...(without ?? [])].filter((name) => !CHECKS.some(([known]) => known === name));
if (wanted.length === 0 || unknown.length > 0) {
  console.error(`check: --only and --without take some of: ${CHECKS.map(([name]) => name).join(', ')}`);
  process.exit(2);
}

const failed = [];
const queue = wanted.values();

/** Runs one check to its end; never rejects. */
function run(name, [command, ...args]) {
  const started = Date.now();
  return new Promise((done) => {
    execFile(resolve(BIN, command), args, { cwd: ROOT, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      console.log(`${error === null ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
      if (error !== null) {
        failed.push(name);
        console.log(`${stdout}${stderr}` || error.message);
      }
      done();
    });
  });
}

/** One iterator serves both lanes, so each check is taken once. */
async function lane() {
  for (const [name, command] of queue) await run(name, command);
}

await Promise.all([lane(), lane()]);
console.log(failed.length === 0 ? `check: all ${String(wanted.length)} hold` : `check: failed: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
