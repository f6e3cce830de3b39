export { resolveHome } from './home.ts';
export { ensureServer, runningUrls, serverStatus, stopServer } from './server.ts';
export type { RunningServer, ServerStatus } from './server.ts';
export type { ServerUrls } from './provision.ts';
