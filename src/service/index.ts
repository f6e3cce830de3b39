export { createService } from './service.ts';
export { createServiceState } from './state.ts';
export type { ServiceState } from './state.ts';
export type { CallOptions, Format, JsonObject, Service, ServiceDeps } from './types.ts';
