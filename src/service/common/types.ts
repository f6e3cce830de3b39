import type { Database } from '../../db/port.ts';
import type { Format, JsonObject } from '../../transaction/index.ts';
import type { ServiceState } from './state.ts';

export type { Format, JsonObject };

/** What a service is made of. Nothing in this room builds a pool, reads the environment or knows a process. */
export interface ServiceDeps {
  database: Database;
  /** The one directory tree that may be imported from and published to; null or absent: none. */
  workspaceRoot?: string | null;
  /** Who the host says is acting: stored as a claim, never as a fact. */
  actor: JsonObject | null;
  /** Shared by the services of one process over one database, one service an actor; absent: this service's own. */
  state?: ServiceState;
}

/** Per call: a signal that cancels the call's SQL, and a listener for the progress of long work. */
export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (done: number, total: number | null, message: string) => void;
}

/**
 * The use cases. Each takes the tool's raw arguments (whatever JSON the caller sent, judged here) and answers the
 * tool's structured result: plain JSON, snake_case, with a `status`. A rejection, an invalid argument or an unknown target
 * is such a result; only the outside world (DatabaseError, src/db/sqlstate.ts) is thrown.
 */
export interface Service {
  listTargets(args: unknown, options?: CallOptions): Promise<JsonObject>;
  initializeTarget(args: unknown, options?: CallOptions): Promise<JsonObject>;
  /** What `initializeTarget` of a workspace file (`path`, `adopt_disk`, its guards) would come to; nothing is written. */
  foreseeImport(args: unknown, options?: CallOptions): Promise<JsonObject>;
  readTarget(args: unknown, options?: CallOptions): Promise<JsonObject>;
  readLines(args: unknown, options?: CallOptions): Promise<JsonObject>;
  findOccurrences(args: unknown, options?: CallOptions): Promise<JsonObject>;
  listScopes(args: unknown, options?: CallOptions): Promise<JsonObject>;
  observeScopes(args: unknown, options?: CallOptions): Promise<JsonObject>;
  preview(args: unknown, options?: CallOptions): Promise<JsonObject>;
  submit(format: Format, args: unknown, options?: CallOptions): Promise<JsonObject>;
  commitBundle(args: unknown, options?: CallOptions): Promise<JsonObject>;
  getPdcpLog(args: unknown, options?: CallOptions): Promise<JsonObject>;
  getManifestLedger(args: unknown, options?: CallOptions): Promise<JsonObject>;
  save(args: unknown, options?: CallOptions): Promise<JsonObject>;
  replayTarget(args: unknown, options?: CallOptions): Promise<JsonObject>;
  exportTarget(args: unknown, options?: CallOptions): Promise<JsonObject>;
}
