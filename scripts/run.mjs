// Runs one of the TypeScript scripts beside it: `node scripts/run.mjs <name> [arguments…]`.
// Node 20 cannot load TypeScript, and the tests' own compiler is there anyway.
import path from 'node:path';
import { runnerImport } from 'vite';

const [name, ...argv] = process.argv.slice(2);
const { module } = await runnerImport(path.join(import.meta.dirname, `${name}.ts`), { logLevel: 'error' });
process.exitCode = await module.main(argv);
