import type { Readable } from 'node:stream';

import { isJSONRPCRequest, isJSONRPCResponse, serializeMessage } from '@modelcontextprotocol/server';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

import { judgeLine } from './border.ts';
import type { Verdict } from './border.ts';
import { LineSplitter } from './lines.ts';
import type { Log } from './log.ts';

/** Longer lines are refused: the largest legal document (16 MiB) fits, with every line end and quote of it escaped. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** How long calls that are still running may take to finish once the input has ended. Milliseconds. */
const DRAIN_MS = 2_000;

/** Writes one line of protocol; calls back when it is handed over, with the error when the reader is gone. */
export type WriteLine = (line: string, done: (error?: Error | null) => void) => void;

export interface BorderOptions {
  input: Readable;
  write: WriteLine;
  log: Log;
  maxLineBytes?: number;
  drainMs?: number;
}

/**
 * The stdio transport with a strict border: what is no message is answered here, by its code, and the session goes on.
 * The input's end lets running calls finish (bounded), then closes; `stop` closes at once. A failed write closes.
 */
export class StrictStdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Called once, when the connection is over, whatever ended it. The protocol layer owns `onclose`. */
  onended?: () => void;

  readonly #options: BorderOptions;
  readonly #lines: LineSplitter;
  /** Ids of requests handed on and not answered yet. */
  readonly #running = new Set<string | number>();
  #state: 'new' | 'open' | 'draining' | 'closed' = 'new';
  #drainTimer: NodeJS.Timeout | undefined;

  constructor(options: BorderOptions) {
    this.#options = options;
    this.#lines = new LineSplitter(options.maxLineBytes ?? MAX_LINE_BYTES);
  }

  start(): Promise<void> {
    if (this.#state !== 'new') return Promise.reject(new Error('the transport was already started'));
    this.#state = 'open';
    const { input } = this.#options;
    input.on('data', this.#onData);
    input.on('end', this.#onEnd);
    input.on('close', this.#onEnd);
    input.on('error', this.#onInputError);
    if (input.readableEnded || input.destroyed) setImmediate(this.#onEnd);
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#state === 'closed') return Promise.reject(new Error('the connection is closed'));
    const line = this.#serialize(message);
    return new Promise((resolve, reject) => {
      this.#options.write(line, (error) => {
        if (isJSONRPCResponse(message)) this.#settle(message.id);
        if (error === undefined || error === null) {
          resolve();
          return;
        }
        void this.close();
        reject(error);
      });
    });
  }

  close(): Promise<void> {
    if (this.#state === 'closed') return Promise.resolve();
    this.#state = 'closed';
    clearTimeout(this.#drainTimer);
    const { input } = this.#options;
    input.off('data', this.#onData);
    input.off('end', this.#onEnd);
    input.off('close', this.#onEnd);
    input.pause();
    this.onclose?.();
    this.onended?.();
    return Promise.resolve();
  }

  readonly #onData = (chunk: Buffer): void => {
    for (const line of this.#lines.push(chunk)) {
      if (this.#state !== 'open') return;
      const limit = this.#options.maxLineBytes ?? MAX_LINE_BYTES;
      this.#act(
        line.ok
          ? judgeLine(line.bytes)
          : {
              kind: 'refuse',
              id: null,
              code: -32600,
              message: `Invalid Request: the line is longer than ${limit} bytes (${line.droppedBytes})`,
            },
      );
    }
  };

  readonly #onEnd = (): void => {
    if (this.#state !== 'open') return;
    this.#state = 'draining';
    if (this.#running.size === 0) {
      void this.close();
      return;
    }
    this.#options.log.debug(`input ended; waiting for ${this.#running.size} running call(s)`);
    this.#drainTimer = setTimeout(() => void this.close(), this.#options.drainMs ?? DRAIN_MS);
  };

  readonly #onInputError = (error: Error): void => {
    this.onerror?.(error);
    void this.close();
  };

  #act(verdict: Verdict): void {
    switch (verdict.kind) {
      case 'message':
        this.#deliver(verdict.message);
        return;
      case 'refuse':
        this.#options.log.warn(`refused a line: ${verdict.message}`);
        this.#answer(verdict.id, verdict.code, verdict.message);
        return;
      case 'drop':
        this.#options.log.warn(`dropped a line: ${verdict.why}`);
        return;
      case 'blank':
        return;
    }
  }

  #deliver(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#running.add(message.id);
    else if ('method' in message && message.method === 'notifications/cancelled') this.#settle(message.params?.['requestId']);
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      if (isJSONRPCRequest(message)) this.#answer(message.id, -32603, 'Internal error');
    }
  }

  #answer(id: string | number | null, code: number, message: string): void {
    // The protocol's type has no null id; JSON-RPC asks for it where a line's id cannot be told.
    const line = `${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`;
    this.#options.write(line, (error) => {
      if (id !== null) this.#settle(id);
      if (error !== undefined && error !== null) void this.close();
    });
  }

  #serialize(message: JSONRPCMessage): string {
    try {
      return serializeMessage(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      const id = 'id' in message ? (message.id ?? null) : null;
      return `${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32603, message: 'Internal error: the result cannot be written as JSON' } })}\n`;
    }
  }

  #settle(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.#running.delete(id);
    if (this.#state === 'draining' && this.#running.size === 0) void this.close();
  }
}
