import type { Host, Output } from './output.ts';

/** Told how far long work is: done of total (null: not known yet), and what is being done. */
export type OnProgress = (done: number, total: number | null, message: string) => void;

/**
 * Runs long work with a bar on stderr, where a person watches and nothing is parsed: only on a terminal, never with --json.
 * The bar is gone when the work ends, however it ends.
 */
export async function withProgress<T>(host: Host, output: Output, work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  if (output.json || host.stderr.isTTY !== true) return work(() => undefined);
  const { Presets, SingleBar } = await import('cli-progress');
  const bar = new SingleBar(
    { stream: host.stderr, format: '{bar} {percentage} % {message}', clearOnComplete: true, hideCursor: true },
    Presets.shades_classic,
  );
  let started = false;
  try {
    return await work((done, total, message) => {
      if (total === null) return;
      if (started) bar.update(done, { message });
      else bar.start(total, done, { message });
      started = true;
    });
  } finally {
    bar.stop();
  }
}
