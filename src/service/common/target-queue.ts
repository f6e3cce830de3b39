import type { Database } from '../../db/port.ts';
import { DatabaseError } from '../../db/sqlstate.ts';

/** Most works that share a transaction: enough to share the cost of a commit, few enough to hold the target's lock shortly. */
const GROUP = 8;

/** One submission as the queue sees it. */
export interface Work<T> {
  database: Database;
  /** Makes its statements over the database given here, which may be bound to a transaction. */
  attempt: (database: Database) => Promise<T>;
  /** Told that statements which had succeeded were undone, or may have been; `attempt` may follow once more. */
  undone: () => void;
  signal: AbortSignal | undefined;
}

interface Waiting extends Work<unknown> {
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Runs the works of one target one after another, in the order they came, and those of different targets side by side.
 * Many clients of one process on one hot target then each find the cached head current, where optimistic retries
 * would waste most of their round trips. Works that had to wait share a transaction, up to eight of them, and are answered after its
 * COMMIT. It guards nothing: other processes are held off by the procedure's lock.
 */
export class TargetQueue {
  readonly #waiting = new Map<string, Waiting[]>();

  run<T>(targetFileId: string, work: Work<T>): Promise<T> {
    return new Promise<unknown>((resolve, reject) => {
      const entry: Waiting = { ...work, resolve, reject };
      const waiting = this.#waiting.get(targetFileId);
      if (waiting !== undefined) {
        waiting.push(entry);
        return;
      }
      const line = [entry];
      this.#waiting.set(targetFileId, line);
      void this.#drain(targetFileId, line);
    }) as Promise<T>;
  }

  async #drain(targetFileId: string, line: Waiting[]): Promise<void> {
    for (;;) {
      const group = takeGroup(line);
      const [first] = group;
      if (first === undefined) {
        // At once: a work that came between the last look and this would wait for ever.
        this.#waiting.delete(targetFileId);
        return;
      }
      await (group.length === 1 ? runAlone(first) : runTogether(first.database, group));
    }
  }
}

/** The next works that may share a transaction. One that is cancelled already goes alone: it would undo the others. */
function takeGroup(line: Waiting[]): Waiting[] {
  const [first] = line;
  const fits = (entry: Waiting): boolean => entry.database === first?.database && entry.signal?.aborted !== true;
  const end = line.slice(0, GROUP).findIndex((entry) => !fits(entry));
  return line.splice(0, end === -1 ? GROUP : Math.max(1, end));
}

async function runAlone(entry: Waiting): Promise<void> {
  try {
    entry.resolve(await entry.attempt(entry.database));
  } catch (error) {
    entry.reject(error);
  }
}

/** A failure of one undoes all, so that each then runs alone and has its own end; unless nobody knows whether they were committed. */
async function runTogether(database: Database, group: readonly Waiting[]): Promise<void> {
  let values: unknown[];
  try {
    values = await database.transaction(async (bound) => {
      const made: unknown[] = [];
      for (const entry of group) made.push(await entry.attempt(bound));
      return made;
    });
  } catch (error) {
    for (const entry of group) entry.undone();
    if (error instanceof DatabaseError && error.outcomeUnknown) for (const entry of group) entry.reject(error);
    else for (const entry of group) await runAlone(entry);
    return;
  }
  group.forEach((entry, at) => {
    entry.resolve(values[at]);
  });
}
