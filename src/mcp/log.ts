import type { Writable } from 'node:stream';

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LEVELS)[number];

/** Lines for the operator. Never content of documents, never connection strings. */
export type Log = Record<Exclude<LogLevel, 'silent'>, (message: string) => void>;

/** Long messages (an SDK error may quote what it was sent) are cut to this many UTF-16 units. */
const MAX_MESSAGE = 500;

export function isLogLevel(value: string): value is LogLevel {
  return (LEVELS as readonly string[]).includes(value);
}

export const LOG_LEVELS: readonly string[] = LEVELS;

/** Writes one line a message to `sink` (stderr), from `level` upwards. A sink whose reader is gone is ignored. */
export function createLog(sink: Writable, level: LogLevel): Log {
  const threshold = LEVELS.indexOf(level);
  const at = (name: Exclude<LogLevel, 'silent'>) => (message: string) => {
    if (LEVELS.indexOf(name) < threshold || sink.destroyed) return;
    const cut = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
    sink.write(`patchdiff ${name}: ${cut.replaceAll('\n', ' ')}\n`);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
