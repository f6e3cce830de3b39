import type { Readable, Writable } from 'node:stream';

import type { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

import type { Log } from './log.ts';
import { StrictStdioTransport } from './transport.ts';
import type { WriteLine } from './transport.ts';

/** Once the connection is over the process ends within this time, whatever still runs or is unread. Milliseconds. */
const HARD_EXIT_MS = 3_000;

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** The parts of a process that a stdio server lives on. */
export interface StdioProcess {
  stdin: Readable;
  stdout: Writable;
  stderr: Writable;
  on: (signal: (typeof SIGNALS)[number], listener: () => void) => unknown;
  exit: (code: number) => void;
}

/**
 * Keeps stdout for the protocol: whatever else writes to it from now on (console.log, a library) lands on stderr.
 * Returns the only way in.
 */
export function claimStdout(host: Pick<StdioProcess, 'stdout' | 'stderr'>): WriteLine {
  const { stdout, stderr } = host;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // From here on a broken pipe ends the connection, and only that; each write's own callback reports it. An error that
  // nobody hears would end the process.
  stdout.removeAllListeners('error');
  stdout.on('error', () => undefined);
  stderr.on('error', () => undefined);
  return (line, done) => void write(line, 'utf8', done);
}

export interface ServeOptions {
  host: StdioProcess;
  write: WriteLine;
  createServer: () => McpServer;
  log: Log;
}

/**
 * Serves one client over the process's own pipes, both protocol eras, until the input ends, the output breaks or a signal comes.
 * Resolves when the connection is closed; running calls were finished or cancelled by then. What the caller does after that
 * (closing its pool) has a hard limit: then the process exits with 0.
 */
export async function serveConnection({ host, write, createServer, log }: ServeOptions): Promise<void> {
  const transport = new StrictStdioTransport({ input: host.stdin, write, log });
  const closed = new Promise<string>((resolve) => {
    for (const signal of SIGNALS) host.on(signal, () => resolve(signal));
    host.stdout.on('error', () => resolve('stdout broke'));
    host.stdout.on('close', () => resolve('stdout closed'));
    transport.onended = () => resolve('input ended');
  });
  const handle = serveStdio(createServer, { transport, onerror: (error) => log.warn(error.message) });
  log.info('ready');
  const why = await closed;
  log.info(`closing: ${why}`);
  setTimeout(() => host.exit(0), HARD_EXIT_MS).unref();
  await handle.close();
}
