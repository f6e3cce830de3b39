import type { SqlValue } from './text-guard.ts';

/** One statement: prepared once a connection under `name`, so one name must always carry one text. */
export interface Statement {
  name: string;
  text: string;
  values: readonly SqlValue[];
}

export interface QueryOptions {
  /** Cancels the statement at the server; the query then rejects with kind `cancelled`, unless it had already ended. */
  signal?: AbortSignal | undefined;
}

/**
 * The smallest port to PostgreSQL. Rows come with bigint as safe integers (RangeError beyond), json and jsonb parsed,
 * and timestamptz as ISO 8601 UTC text with microseconds. Every failure is a DatabaseError (src/db/sqlstate.ts),
 * a TextNotEncodableError or a RangeError; never a driver's own error, whose detail may hold row content.
 */
export interface Database {
  /** True where each query commits by itself; false inside a transaction, whose owner decides and may hold locks. */
  readonly autocommit: boolean;
  query<T>(statement: Statement, options?: QueryOptions): Promise<T[]>;
  /**
   * Runs `work` in one READ COMMITTED transaction on one connection: commits when it resolves, rolls back when it rejects.
   * Inside, `transaction`, `snapshot` and `close` are misuse and throw.
   */
  transaction<T>(work: (database: Database) => Promise<T>): Promise<T>;
  /** As `transaction`, but REPEATABLE READ and READ ONLY: every statement sees the same committed state, and none can write or lock a row. */
  snapshot<T>(work: (database: Database) => Promise<T>): Promise<T>;
  /** Ends all connections; calls under way fail. Safe to repeat. */
  close(): Promise<void>;
}
