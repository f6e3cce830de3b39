export { openDatabase } from './db/pool.ts';
export type { OpenDatabaseOptions } from './db/pool.ts';
export type { Database, QueryOptions, Statement } from './db/port.ts';
export { DatabaseError } from './db/sqlstate.ts';
export type { FailureKind } from './db/sqlstate.ts';
export { createService, createServiceState } from './service/index.ts';
export type { CallOptions, Format, JsonObject, Service, ServiceDeps, ServiceState } from './service/index.ts';
