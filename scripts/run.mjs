// Runs one of the TypeScript scripts beside it: `node scripts/run.mjs <name> [arguments…]`.
// Node 20 cannot load TypeScript, and the tests' own compiler is there anyway.
import path from 'node:path';
import { createServer } from 'vite';

const [name, ...argv] = process.argv.slice(2);
// Open until the work ends: what is imported on the way is compiled too.
const compiler = await createServer({
  configFile: false,
  root: path.dirname(import.meta.dirname),
  appType: 'custom',
  logLevel: 'error',
  server: { middlewareMode: true, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true },
});
try {
  const module = await compiler.ssrLoadModule(path.join(import.meta.dirname, `${name}.ts`));
  process.exitCode = await module.main(argv);
} finally {
  await compiler.close();
}
