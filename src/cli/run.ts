import type { Command } from 'commander';
import type { Exit } from './exit.ts';
import type { Output } from './output.ts';

/** What a command does: it gets its output, then its arguments and its options as it declared them, and says how it ended. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- commander hands over whatever each command declared
export type Work = (output: Output, ...parameters: any[]) => Promise<Exit>;

/** Turns a command's work into what commander calls. */
export type Run = (work: Work) => (this: Command, ...parameters: unknown[]) => Promise<void>;
