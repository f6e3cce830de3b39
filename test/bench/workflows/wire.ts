import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJSONRPCMessage } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/** Bytes of whole JSON-RPC lines, the line feed included. */
export interface Traffic {
  sent: number;
  received: number;
}

/** A server process on its two pipes, one JSON-RPC message a line, every byte of which is counted as it passes. */
export class Wire implements Transport {
  readonly traffic: Traffic = { sent: 0, received: 0 };
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #command: readonly string[];
  readonly #env: Record<string, string>;
  #child: ChildProcessWithoutNullStreams | null = null;
  #rest = Buffer.alloc(0);
  #stderr = '';

  /** `command` are arguments of Node; of our own environment the process gets PATH alone. */
  constructor(command: readonly string[], env: Record<string, string>) {
    this.#command = command;
    this.#env = { PATH: process.env['PATH'] ?? '', ...env };
  }

  /** What the process said on stderr so far. */
  get stderr(): string {
    return this.#stderr;
  }

  start(): Promise<void> {
    const child = spawn(process.execPath, this.#command, { env: this.#env });
    this.#child = child;
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => this.onerror?.(error));
    child.stdout.on('data', (bytes: Buffer) => this.#take(bytes));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    child.once('close', () => this.onclose?.());
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const line = `${JSON.stringify(message)}\n`;
    this.traffic.sent += Buffer.byteLength(line);
    this.#child?.stdin.write(line);
    return Promise.resolve();
  }

  /** Ends stdin and waits; a process that does not end by itself within five seconds is killed. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close').then(() => true);
    child.stdin.end();
    if (await Promise.race([closed, sleep(5000, false, { ref: false })])) return;
    child.kill('SIGKILL');
    await closed;
  }

  #take(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (let end = this.#rest.indexOf(10); end !== -1; end = this.#rest.indexOf(10)) {
      const line = this.#rest.subarray(0, end).toString('utf8');
      this.#rest = this.#rest.subarray(end + 1);
      this.traffic.received += end + 1;
      this.onmessage?.(parseJSONRPCMessage(JSON.parse(line)));
    }
  }
}
