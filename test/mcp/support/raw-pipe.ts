import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';

/** Command lines of Node: the border over a service that only answers, and the server as hosts start it. */
export const STUB: readonly string[] = [fileURLToPath(new URL('./stub-entry.mjs', import.meta.url))];
export const SERVER: readonly string[] = [fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url)), 'mcp'];

export interface Reply {
  jsonrpc: '2.0';
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

/** A server process and the raw bytes of its pipes: no SDK between the test and the wire. */
export class RawPipe {
  readonly child: ChildProcessWithoutNullStreams;
  /** Every line of stdout, as it came. */
  readonly lines: string[] = [];
  stderr = '';
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  #rest: string[] = [];
  #listeners = new Set<() => void>();

  constructor(command: readonly string[], args: readonly string[] = [], env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [...command, ...args], { env: { PATH: process.env['PATH'] ?? '', ...env } });
    this.child.stdin.on('error', () => undefined);
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = text.split('\n');
      const last = parts.pop() ?? '';
      for (const part of parts) {
        this.lines.push([...this.#rest, part].join(''));
        this.#rest = [];
      }
      if (last !== '') this.#rest.push(last);
      if (parts.length > 0) for (const listener of this.#listeners) listener();
    });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      for (const listener of this.#listeners) listener();
    });
    this.exited = once(this.child, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
    }));
  }

  write(bytes: string | Buffer): void {
    this.child.stdin.write(bytes);
  }

  send(message: unknown): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  /** Every line of stdout, from line `from` on, as a message; throws on one that is none. */
  replies(from = 0): Reply[] {
    return this.lines.slice(from).map((line) => {
      const value = JSON.parse(line) as Reply;
      if (value.jsonrpc !== '2.0') throw new Error(`not JSON-RPC on stdout: ${line}`);
      return value;
    });
  }

  /** The first reply, from line `from` on, that `wanted` accepts. */
  async reply(wanted: (reply: Reply) => boolean, from = 0, limitMs = 20_000): Promise<Reply> {
    return this.until(() => this.replies(from).find(wanted), limitMs);
  }

  async request(id: string | number, method: string, params?: unknown): Promise<Reply> {
    const from = this.lines.length;
    this.send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
    return this.reply((reply) => reply.id === id, from);
  }

  call(id: string | number, name: string, args: unknown): Promise<Reply> {
    return this.request(id, 'tools/call', { name, arguments: args });
  }

  /** Resolves with the first value of `probe` that is not undefined; looked at on every output. */
  until<T>(probe: () => T | undefined, limitMs = 20_000): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        try {
          const value = probe();
          if (value === undefined) return;
          finish();
          resolve(value);
        } catch (error) {
          finish();
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      const timer = setTimeout(() => {
        finish();
        reject(
          new Error(
            `nothing came within ${limitMs} ms; stdout: ${this.lines.join('\n').slice(-2000)}; stderr: ${this.stderr.slice(-2000)}`,
          ),
        );
      }, limitMs);
      const finish = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(look);
      };
      this.#listeners.add(look);
      look();
    });
  }

  /** The 2025-era handshake. */
  async initialize(protocolVersion = '2025-06-18'): Promise<Reply> {
    const reply = await this.request('init', 'initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'raw-host', version: '1.2.3' },
    });
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return reply;
  }

  /** The exit, or an error when the process still lives after the limit. */
  async exit(limitMs = 10_000): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const late = sleep(limitMs, null, { ref: false });
    const ended = await Promise.race([this.exited, late]);
    if (ended === null) throw new Error(`the process still lives after ${limitMs} ms; stderr: ${this.stderr.slice(-2000)}`);
    return ended;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}
