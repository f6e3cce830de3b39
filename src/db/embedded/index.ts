export { EmbeddedServerError } from './error.ts';
export { resolveHome } from './home.ts';
export { ensureServer, runningUrls, serverStatus, stopServer } from './server.ts';
export type { RunningServer, ServerStatus } from './server.ts';
export { DATABASE } from './provision.ts';
export type { ServerUrls } from './provision.ts';
