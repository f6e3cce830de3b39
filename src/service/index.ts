export { rebind } from './files/rebind.ts';
export type { RebindRequest } from './files/rebind.ts';
export { reconcile } from './files/reconcile.ts';
export type { ReconcileRequest } from './files/reconcile.ts';
export { createService } from './service.ts';
export { createServiceState } from './common/state.ts';
export type { ServiceState } from './common/state.ts';
export type { CallOptions, Format, JsonObject, Service, ServiceDeps } from './common/types.ts';
