#!/usr/bin/env node
import { EXIT } from './exit.ts';
import { main } from './program.ts';

// The process of the command line: streams, signals, exit code. Everything else is main's.

// A reader that has gone (`patchdiff log … | head`) is no error of ours: nothing more can be said, so end quietly.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  process.stderr.write(`patchdiff: the answer could not be written to stdout: ${error.message}\n`);
  process.exit(EXIT.failed);
});

/** The first Ctrl-C asks; a second one ends the process as it always does. */
function onInterrupt(stop: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const asked = (): void => {
    release();
    stop();
  };
  const release = (): void => {
    for (const signal of signals) process.off(signal, asked);
  };
  for (const signal of signals) process.on(signal, asked);
  return release;
}

process.exitCode = await main(process.argv.slice(2), {
  host: { env: process.env, cwd: process.cwd(), stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, onInterrupt },
  serveMcp: async (argv) => (await import('../mcp/main.ts')).main(argv),
});
