export { createService } from './service.ts';
export type { CallOptions, Service, ServiceDeps } from './types.ts';
