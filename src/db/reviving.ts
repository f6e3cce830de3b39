import type { Database } from './port.ts';
import { DatabaseError } from './sqlstate.ts';

export interface RevivingOptions {
  url: string;
  open: (url: string) => Database;
  /** Brings the server up and answers where it is now; called at most once at a time. */
  revive: () => Promise<string>;
  /** Told why the server could not be brought up; the call then fails as it had failed before. */
  onFailure: (error: unknown) => void;
}

/** Refused at the door: no statement of the call was sent. */
const NOT_SENT: ReadonlySet<string> = new Set(['database_unreachable', 'database_starting']);

/**
 * A database whose server may be started by this process: one that does not answer is brought up. A call of which certainly
 * nothing was sent is then made once more; one whose connection broke fails as it would have, and the calls after it find the
 * server up. A server that says itself that it is shutting down is left alone until the next call needs it.
 */
export function revivingDatabase(options: RevivingOptions): Database {
  let url = options.url;
  let database = options.open(url);
  let closed = false;
  let reviving: Promise<boolean> | null = null;

  async function bringUp(): Promise<boolean> {
    try {
      const now = await options.revive();
      if (now !== url && !closed) {
        const old = database;
        url = now;
        database = options.open(url);
        void old.close().catch(() => undefined);
      }
      return true;
    } catch (error) {
      options.onFailure(error);
      return false;
    }
  }

  function revived(): Promise<boolean> {
    return (reviving ??= bringUp().finally(() => (reviving = null)));
  }

  /** `sent`: whether something of the call may have reached a server, whatever the error says. */
  async function call<T>(once: (current: Database) => Promise<T>, sent: () => boolean): Promise<T> {
    try {
      return await once(database);
    } catch (error) {
      if (closed || !(error instanceof DatabaseError) || error.kind !== 'unavailable') throw error;
      if (NOT_SENT.has(error.code) && !sent()) {
        if (!(await revived())) throw error;
        return once(database);
      }
      if (error.sqlstate === null) void revived();
      throw error;
    }
  }

  function bracketed<T>(kind: 'transaction' | 'snapshot', work: (bound: Database) => Promise<T>): Promise<T> {
    let begun = false;
    return call(
      (current) =>
        current[kind]((bound) => {
          begun = true;
          return work(bound);
        }),
      () => begun,
    );
  }

  return {
    autocommit: true,
    query: (statement, query) =>
      call(
        (current) => current.query(statement, query),
        () => false,
      ),
    transaction: (work) => bracketed('transaction', work),
    snapshot: (work) => bracketed('snapshot', work),
    close: () => {
      closed = true;
      return database.close();
    },
  };
}
