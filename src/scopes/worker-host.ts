import { Worker } from 'node:worker_threads';
import type { Answer, Job } from './job.ts';
import { LIMITS } from './limits.ts';

/** Sources run only where the package was built before, in tests: a thread cannot load TypeScript on every supported Node. */
const WORKER = new URL(import.meta.url.endsWith('.ts') ? '../../dist/scopes/worker.js' : './worker.js', import.meta.url);

/** A thread that read this many units is replaced: memory that a module took is given back only with its thread. */
const UNITS_OF_A_THREAD = 1 << 23;
/** A text longer than this costs its thread right after the answer. */
const LARGE_UNITS = 1 << 18;
/** An idle thread ends by itself. */
const IDLE_MILLISECONDS = 60_000;

const TRAPPED: Answer = { ok: false, reason: 'parser_trapped' };

/** Runs jobs one after another in a thread that it starts when needed and replaces after every crash. */
export class WorkerHost {
  #worker: Worker | null = null;
  #units = 0;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #closed = false;
  #threads = 0;

  /** Threads started so far. */
  get threads(): number {
    return this.#threads;
  }

  /** Never rejects: a crash is the answer `parser_trapped`; null: the host was closed before the answer. */
  run(job: Job): Promise<Answer | null> {
    const answer = this.#last.then(async () => (this.#closed ? null : this.#ask(job)));
    this.#last = answer;
    return answer;
  }

  /** Ends the thread; what is still asked gets null. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#retire();
  }

  async #ask(job: Job): Promise<Answer | null> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    const answer = await answered(worker, job);
    this.#units += job.text.length;
    const spent = this.#units > UNITS_OF_A_THREAD || job.text.length > LARGE_UNITS;
    if (answer === null || spent || (!answer.ok && answer.reason === 'parser_trapped')) await this.#retire();
    else {
      worker.unref();
      this.#idle = setTimeout(() => void this.#retire(), IDLE_MILLISECONDS).unref();
    }
    return this.#closed ? null : (answer ?? TRAPPED);
  }

  #start(): Worker {
    this.#threads += 1;
    this.#units = 0;
    // A module that aborts says so before its thread is replaced. Its words stay unread: reading them would keep the process alive.
    return new Worker(WORKER, { resourceLimits: { maxOldGenerationSizeMb: 1024 }, execArgv: [], stdout: true, stderr: true });
  }

  async #retire(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}

/** Null when the thread ended, failed or was lost before it answered. */
function answered(worker: Worker, job: Job): Promise<Answer | null> {
  return new Promise((resolve) => {
    const done = (answer: Answer | null): void => {
      clearTimeout(lost);
      worker.off('message', done).off('error', failed).off('exit', failed);
      resolve(answer);
    };
    const failed = (): void => done(null);
    const lost = setTimeout(failed, LIMITS.lostMilliseconds(job.text.length));
    worker.on('message', done).on('error', failed).on('exit', failed);
    worker.postMessage(job);
  });
}
