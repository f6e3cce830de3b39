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

process.exitCode = await main(process.argv.slice(2), {
  host: { env: process.env, cwd: process.cwd(), stdin: process.stdin, stdout: process.stdout, stderr: process.stderr },
  serveMcp: async (argv) => (await import('../mcp/main.ts')).main(argv),
});
