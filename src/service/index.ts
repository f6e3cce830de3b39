export { rebind } from './rebind.ts';
export type { RebindRequest } from './rebind.ts';
export { reconcile } from './reconcile.ts';
export type { ReconcileRequest } from './reconcile.ts';
export { createService } from './service.ts';
export { createServiceState } from './state.ts';
export type { ServiceState } from './state.ts';
export type { CallOptions, Format, JsonObject, Service, ServiceDeps } from './types.ts';
