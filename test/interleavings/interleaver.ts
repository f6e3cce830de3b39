import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { blockersOf } from '../helpers/blocked.ts';
import type { Order } from './orders.ts';

/** What a session does in one step; the answer is kept by the script that made it. */
export type Step = (client: pg.Client) => Promise<unknown>;

export interface Session {
  client: pg.Client;
  steps: readonly Step[];
}

/** A step that waited, with what PostgreSQL said of it meanwhile. */
export interface Wait {
  session: 0 | 1;
  step: number;
  /** Backends that it waited for. */
  blockers: number[];
}

/**
 * Makes the steps of two sessions in the given order, one after the other, and answers the steps that had to wait for a lock, each
 * with proof from pg_stat_activity. A session that waits makes its further steps as soon as it may go on. Never relies on time: a
 * step has either ended, or the database says that it waits.
 */
export async function interleave(watcher: pg.Client, sessions: readonly [Session, Session], order: Order): Promise<Wait[]> {
  const waits: Wait[] = [];
  const lanes = sessions.map((session) => new Lane(session));
  const started: [number, number] = [0, 0];
  for (const who of order) {
    const lane = lanes[who] as Lane;
    const step = started[who];
    started[who] += 1;
    lane.start(step);
    for (const [at, other] of lanes.entries()) {
      const wait = await other.settledOrWaiting(watcher);
      if (wait === null || waits.some(({ session, step: known }) => session === at && known === wait.step)) continue;
      waits.push({ session: at as 0 | 1, ...wait });
    }
  }
  await Promise.all(lanes.map((lane) => lane.settled()));
  return waits;
}

/** One session's steps, each begun when the one before has ended. */
class Lane {
  readonly #session: Session;
  #tail: Promise<unknown> = Promise.resolve();
  #running: number | null = null;
  #queued = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  start(step: number): void {
    this.#queued += 1;
    this.#tail = this.#tail.then(async () => {
      this.#running = step;
      await this.#session.steps[step]?.(this.#session.client);
      this.#queued -= 1;
    });
    this.#tail.catch(() => undefined);
  }

  async settled(): Promise<void> {
    await this.#tail;
  }

  /** Null when all that was started has ended; else the step that waits for a lock. */
  async settledOrWaiting(watcher: pg.Client): Promise<Omit<Wait, 'session'> | null> {
    for (;;) {
      await Promise.race([this.#tail, sleep(1)]);
      if (this.#queued === 0) return null;
      const blockers = await blockersOf(watcher, this.#session.client);
      if (blockers.length > 0) return { step: this.#running ?? -1, blockers };
    }
  }
}
