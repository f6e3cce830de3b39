import pg from 'pg';
import type { Database, QueryOptions, Statement } from './port.ts';
import { DatabaseError, databaseError } from './sqlstate.ts';
import type { Phase } from './sqlstate.ts';
import { guardText, TextNotEncodableError } from './text-guard.ts';
import { typeParsers } from './types.ts';

export interface OpenDatabaseOptions {
  connectionString: string;
  /** Most connections at once; default 10. */
  max?: number;
  /** Seen in pg_stat_activity and in every attempt's row; default `patchdiff`. */
  applicationName?: string;
  /** A role taken on at once by every connection, for a login that owns more than it should use. */
  role?: string;
  /** Told about idle connections that broke; the pool replaces them by itself. */
  onIdleError?: (error: DatabaseError) => void;
}

const CONNECT_TIMEOUT_MS = 5_000;

/** Failures of ours that pass unchanged. */
const isOurs = (error: unknown): boolean =>
  error instanceof DatabaseError || error instanceof TextNotEncodableError || error instanceof RangeError;

async function guarded<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isOurs(error) ? error : databaseError(error, phase);
  }
}

/** A connection that must not serve another call. */
function isBroken(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === 'unavailable';
}

/** pg_cancel_backend over a connection of its own: the pool may be exhausted just then. A failed cancel changes nothing. */
async function cancelBackend(config: pg.ClientConfig, processId: number): Promise<void> {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select pg_catalog.pg_cancel_backend($1)', [processId]);
  } catch {
    // The statement then runs to its end, and its result is what the caller gets.
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Opens nothing yet: connections are made on demand. */
export function openDatabase(options: OpenDatabaseOptions): Database {
  const config: pg.ClientConfig = {
    connectionString: options.connectionString,
    application_name: options.applicationName ?? 'patchdiff',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
  const role = options.role;
  const enterRole = async (client: pg.ClientBase): Promise<void> => {
    if (role !== undefined) await client.query(`set role ${pg.escapeIdentifier(role)}`);
  };
  const pool = new pg.Pool({
    ...config,
    types: typeParsers,
    max: options.max ?? 10,
    // The pool awaits what this returns before it hands the connection out.
    onConnect: (client) => enterRole(client) as unknown as undefined,
  });
  pool.on('error', (error) => options.onIdleError?.(databaseError(error, 'statement')));
  let ended: Promise<void> | null = null;

  async function run<T>(
    client: pg.PoolClient,
    phase: Phase,
    statement: Statement,
    query: QueryOptions | undefined,
  ): Promise<T[]> {
    guardText(statement.name, statement.values);
    const signal = query?.signal;
    if (signal?.aborted === true) throw databaseError({ code: '57014' }, 'connect');
    let cancelling: Promise<void> | null = null;
    const onAbort = (): void => {
      const processId = (client as unknown as { processID: number | null }).processID;
      if (processId !== null) cancelling = cancelBackend(config, processId);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const { name, text, values } = statement;
      return await guarded(phase, async () => (await client.query({ name, text, values: values as unknown[] })).rows as T[]);
    } finally {
      signal?.removeEventListener('abort', onAbort);
      // A cancel on its way could strike the connection's next statement, so it is awaited first.
      if (cancelling !== null) await (cancelling as Promise<void>);
    }
  }

  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await guarded('connect', () => pool.connect());
    // Between two statements of a transaction the pool does not listen; an unheard error would end the process.
    const ignore = (): void => undefined;
    client.on('error', ignore);
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      broken = isBroken(error);
      throw error;
    } finally {
      client.removeListener('error', ignore);
      client.release(broken);
    }
  }

  async function inTransaction<T>(client: pg.PoolClient, begin: string, work: (database: Database) => Promise<T>): Promise<T> {
    const misuse = (what: string) => (): Promise<never> => Promise.reject(new TypeError(`${what} inside a transaction`));
    const bound: Database = {
      autocommit: false,
      query: (statement, query) => run(client, 'transaction', statement, query),
      transaction: misuse('transaction()'),
      snapshot: misuse('snapshot()'),
      close: misuse('close()'),
    };
    await guarded('transaction', () => client.query(begin));
    let result: T;
    try {
      result = await work(bound);
    } catch (error) {
      await guarded('transaction', () => client.query('rollback'));
      throw error;
    }
    const { command } = await guarded('commit', () => client.query('commit'));
    // The server answers COMMIT of a failed transaction with ROLLBACK and no error.
    if (command !== 'COMMIT') throw new TypeError('a statement of the transaction had failed and its error was swallowed');
    return result;
  }

  return {
    autocommit: true,
    query: (statement, query) => withClient((client) => run(client, 'statement', statement, query)),
    transaction: (work) => withClient((client) => inTransaction(client, 'begin isolation level read committed', work)),
    snapshot: (work) => withClient((client) => inTransaction(client, 'begin isolation level repeatable read read only', work)),
    close: () => (ended ??= pool.end()),
  };
}
